"""Requests and answers of the runtime: what editors, the command line and agents ask of a repository's memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memlens.anchors.index import AnchorIndex
from memlens.core.refs import ArtifactRef
from memlens.queries.model import EntryCard


@dataclass(frozen=True, slots=True)
class EvidenceInput:
    """Evidence as a caller names it: a file of the repository, a person's words, or a Source object.

    ``path`` is relative to the repository root. ``start_line`` and ``end_line`` are 1-based and inclusive; without
    them the whole file is the evidence. ``text`` is the file's text where the caller has it (an editor's unsaved
    buffer), else it is read from disk. ``note`` is words that a person said; ``source`` is a Source object as
    ``export`` writes it. Exactly one of ``path``, ``note`` and ``source`` is given.
    """

    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    text: str | None = None
    note: str | None = None
    source: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class StatedApplicability:
    """What a caller says an entry applies to (spec 2.5, ``applies``)."""

    paths: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    origin: str = "confirmed"


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """One entry to keep. ``personal`` puts it in the person's own memory instead of the repository's.

    ``label`` is what errors call it, where several are kept at once: ``Line 3``.
    """

    kind: str
    text: str
    evidence: tuple[EvidenceInput, ...] = ()
    reason: str | None = None
    applies: StatedApplicability | None = None
    personal: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True)
class ReviseRequest:
    """New wording for an active entry; None keeps the current kind or text.

    ``entry_version_id``, when given, must still be the current version (else StaleEntryError).
    """

    entry_id: str
    text: str | None = None
    kind: str | None = None
    entry_version_id: str | None = None
    evidence: tuple[EvidenceInput, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class BindRequest:
    """What to change about a repository's binding: at most one of these; nothing shows it (spec 2.4).

    ``confirm`` makes this clone known. ``to`` is a key or an Artifact ID whose memory this repository shall have.
    ``forget_clone`` is the place of a clone that shall be unknown again.
    """

    confirm: bool = False
    to: str | None = None
    forget_clone: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a write left behind. ``changed`` is False when there was nothing to change.

    ``applies`` is what a remembered entry applies to by its words or as stated, where that was worked out.
    """

    memory_ref: ArtifactRef
    entry_id: str
    entry_version_id: str
    changed: bool
    applies: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """All active entries that bear on one repository, at exact heads. Immutable; safe in any thread."""

    heads: tuple[ArtifactRef, ...]
    cards: Mapping[str, EntryCard]
    index: AnchorIndex
