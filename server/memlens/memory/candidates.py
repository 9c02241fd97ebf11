"""Who proposes entries from evidence: the port, and several providers behind it (spec 1.2, 1.4).

Providers run outside any transaction, and what they propose is untrusted: the service checks it as it checks a caller.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memlens.core.errors import CapabilityNotSupportedError, InvalidInputError
from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryInput, MemoryEntryVersion


class CandidatePipeline(Protocol):
    """Proposes entries to add or to revise from evidence that is already stored (spec 1.2, 1.4)."""

    async def extract(
        self,
        sources: Sequence[Source],
        artifacts: Sequence[ArtifactRef],
        current_entries: Sequence[MemoryEntryVersion],
    ) -> Sequence[MemoryEntryInput]:
        """Return candidates. Unsure which entry new material belongs to: add, never revise.

        ``current_entries`` is a bounded window. Raises CapabilityNotSupportedError when it cannot work at present.
        """
        ...


@dataclass(frozen=True, slots=True)
class CandidateProvider:
    """One pipeline under a name by which it can be asked for. An optional one may be away without harm."""

    name: str
    pipeline: CandidatePipeline
    is_optional: bool = True


class CandidateProviders:
    """Several providers as one pipeline.

    All of ``default`` propose, in their order; of two that revise the same entry the first one is heard. Where they
    propose nothing, ``fallback`` is asked. A provider of either kind that is unavailable is skipped if it is optional.
    """

    def __init__(self, default: Sequence[CandidateProvider] = (), fallback: CandidateProvider | None = None) -> None:
        """Ask ``default``, then ``fallback``. Raises InvalidInputError when two have one name."""
        self._default = tuple(default)
        self._fallback = fallback
        names = [provider.name for provider in self._configured()]
        if len(set(names)) != len(names):
            raise InvalidInputError(f"Two candidate providers have one name: {', '.join(names)}.")

    def asked(self, *names: str) -> CandidateProviders:
        """Return exactly the named providers, none of which may be away.

        Raises CapabilityNotSupportedError for one that is not configured.
        """
        known = {provider.name: provider for provider in self._configured()}
        if missing := [name for name in names if name not in known]:
            raise CapabilityNotSupportedError(
                f"No candidate provider {', '.join(missing)} is configured; there {_are(list(known))}."
            )
        return CandidateProviders([CandidateProvider(name, known[name].pipeline, is_optional=False) for name in names])

    async def extract(
        self,
        sources: Sequence[Source],
        artifacts: Sequence[ArtifactRef],
        current_entries: Sequence[MemoryEntryVersion],
    ) -> Sequence[MemoryEntryInput]:
        """Return what the providers propose. Raises CapabilityNotSupportedError when none of them is available."""
        proposed: list[MemoryEntryInput] = []
        heard = False
        for provider in self._configured():
            if provider is self._fallback and proposed:
                break
            try:
                more = await provider.pipeline.extract(sources, artifacts, current_entries)
            except CapabilityNotSupportedError:
                if not provider.is_optional:
                    raise
                continue
            heard = True
            proposed += _without_revised(check_candidates(more), proposed)
        if not heard:
            raise CapabilityNotSupportedError(
                f"No candidate provider is available, so nothing can be extracted (there {_are(self._names())}): "
                "pass the entries to keep."
            )
        return proposed

    def _configured(self) -> tuple[CandidateProvider, ...]:
        return self._default if self._fallback is None else (*self._default, self._fallback)

    def _names(self) -> list[str]:
        return [provider.name for provider in self._configured()]


def check_candidates(proposed: Sequence[MemoryEntryInput]) -> list[MemoryEntryInput]:
    """Return what a provider proposed if it has the shape of candidates. Raises InvalidInputError.

    What they say and cite is judged where every input of a caller is.
    """
    candidates: list[object] = [*proposed] if isinstance(proposed, Sequence) else [proposed]
    checked = [candidate for candidate in candidates if isinstance(candidate, MemoryEntryInput)]
    if len(checked) != len(candidates) or not all(map(_is_well_formed, checked)):
        raise InvalidInputError("A candidate provider returned something that is no candidate: report it as a defect.")
    return checked


def _is_well_formed(candidate: MemoryEntryInput) -> bool:
    return (
        isinstance(candidate.entry, MemoryEntryVersion | None)
        and all(isinstance(source, Source) for source in candidate.sources)
        and all(isinstance(artifact, ArtifactRef) for artifact in candidate.artifacts)
    )


def _without_revised(
    candidates: Sequence[MemoryEntryInput], before: Sequence[MemoryEntryInput]
) -> list[MemoryEntryInput]:
    """Return ``candidates`` without revisions of entries that an earlier provider revises."""
    taken = {candidate.entry.entry_id for candidate in before if candidate.entry}
    return [candidate for candidate in candidates if not (candidate.entry and candidate.entry.entry_id in taken)]


def _are(names: Sequence[str]) -> str:
    return "is none" if not names else f"is {names[0]}" if len(names) == 1 else f"are {', '.join(names)}"
