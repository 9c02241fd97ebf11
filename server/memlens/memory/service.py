"""MemoryService: domain checks and orchestration (spec 1.2, 1.4, 1.6).

Every writer works on one exact Revision and fails with RevisionConflictError when the head has moved on. The service
never merges or retries; the runtime above it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from memlens.core.errors import (
    ArtifactNotFoundError,
    CapabilityNotSupportedError,
    EvidenceError,
    InvalidInputError,
    RevisionConflictError,
)
from memlens.core.ids import check_id, new_artifact_id
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.core.sources import Source, is_intact
from memlens.core.text import normalise_reason
from memlens.memory.candidates import CandidatePipeline, check_candidates
from memlens.memory.manifest import Manifest
from memlens.memory.models import (
    EntryApplicability,
    Lineage,
    Memory,
    MemoryEntryInput,
    MemoryEntryVersion,
    MemoryHit,
    MemoryRevisionChanges,
    OrganizeSteps,
    RememberMode,
    SearchMode,
    SearchResult,
)
from memlens.memory.organizing import plan_dedupe, plan_normalize, repeated_entries
from memlens.memory.planning import (
    Evidence,
    NormalInput,
    PlanBuilder,
    check_active,
    check_current,
    check_evidence,
    merge_additions,
    plan_additions,
)
from memlens.memory.ports import MemoryBackend, MemorySearchRequest, NewRevision
from memlens.memory.window import current_window

MAX_SEARCH_LIMIT = 1000
UNDO_REASON = "undo"

AppliesTo = Callable[[MemoryEntryVersion], Iterable[EntryApplicability]]
"""Says what a version applies to, once its entry has an identifier; pure, and quick."""


class MemoryService:
    """Remembers, forgets and finds entries of Memories.

    ``actor`` of each writer is the name that history shows: a person, a hook, an agent. It is no evidence.
    """

    def __init__(self, backend: MemoryBackend, pipeline: CandidatePipeline | None = None) -> None:
        """Work on ``backend``; ``pipeline`` generates the candidates of extract mode, None if there is none."""
        self._backend = backend
        self._pipeline = pipeline

    async def head(self, artifact_id: str) -> Memory | None:
        """Return the current Revision of a Memory, or None when it has none yet."""
        return await self._backend.head(artifact_id)

    async def remember(
        self,
        memory: Memory | None,
        *,
        sources: Sequence[Source] = (),
        artifacts: Sequence[ArtifactRef] = (),
        entries: Sequence[MemoryEntryInput] = (),
        mode: RememberMode = "auto",
        artifact_id: str | None = None,
        applies: AppliesTo | None = None,
        actor: str = "",
    ) -> Memory | None:
        """Keep explicit entries (append), or what the pipeline finds in the evidence (extract).

        ``memory`` must be the current Revision; None creates a Memory, under ``artifact_id`` if the caller reserved
        one, and only if there is something to keep. Returns the new Revision, the same one when nothing changed,
        or None when a first computation kept nothing. ``applies`` says what each new version applies to, which is
        committed with it.

        Raises ValueError without work to do, RevisionConflictError, EntryError, InvalidTextError,
        InvalidKindError, EvidenceError, CapabilityNotSupportedError (spec 1.4).
        """
        base = await self._current(memory) if memory else None
        operation = Evidence(frozenset(source.ref for source in sources), frozenset(artifacts))
        inputs = await self._inputs(_effective_mode(mode, entries, operation), base, sources, artifacts, entries)
        target = (
            base.ref.artifact_id
            if base
            else check_id(new_artifact_id() if artifact_id is None else artifact_id, "a Memory")
        )
        builder = _builder(target, base)
        await self._plan_remember(builder, base, [NormalInput.of(given) for given in inputs], operation)
        lineage = Lineage(tuple(sorted(operation.sources)), tuple(sorted(operation.artifacts)))
        return await self._commit(builder, base, lineage, actor, applies)

    async def check_remember(
        self, memory: Memory | None, sources: Sequence[Source], entries: Sequence[MemoryEntryInput]
    ) -> None:
        """Raise what keeping explicit entries would raise now, and write nothing.

        For a caller that writes to several Memories, which no transaction holds together.
        """
        base = await self._current(memory) if memory else None
        builder = _builder(base.ref.artifact_id if base else new_artifact_id(), base)
        operation = Evidence(frozenset(source.ref for source in sources))
        await self._plan_remember(builder, base, [NormalInput.of(given) for given in entries], operation)

    async def forget(
        self,
        memory: Memory,
        entries: Sequence[MemoryEntryVersion],
        reason: str | None = None,
        *,
        actor: str = "",
    ) -> Memory:
        """Make entries inactive: no longer recalled or shown; history and bodies stay.

        Idempotent on inactive entries. Raises RevisionConflictError, StaleEntryError, ForeignEntryError.
        """
        base, reason = await self._current(memory), normalise_reason(reason)
        builder = _builder(base.ref.artifact_id, base)
        for version in _distinct(entries):
            if check_current(version, base.ref.artifact_id, base.manifest).is_active:
                builder.deactivate(version, reason)
        return await self._commit(builder, base, Lineage(), actor) or base

    async def reactivate(
        self,
        memory: Memory,
        entries: Sequence[MemoryEntryVersion],
        reason: str | None = None,
        *,
        actor: str = "",
    ) -> Memory:
        """Make inactive entries active again with the same versions.

        Idempotent on active entries. Raises RevisionConflictError, StaleEntryError, ForeignEntryError.
        """
        base, reason = await self._current(memory), normalise_reason(reason)
        builder = _builder(base.ref.artifact_id, base)
        inactive = [
            version
            for version in _distinct(entries)
            if not check_current(version, base.ref.artifact_id, base.manifest).is_active
        ]
        # The projection is made from the stored bodies, never from what the caller passed in.
        for version in await self._backend.entries(base, [version.entry_id for version in inactive]):
            builder.reactivate(version, reason)
        return await self._commit(builder, base, Lineage(), actor) or base

    async def restore(
        self,
        memory: Memory,
        entry: MemoryEntryVersion,
        version: int | str,
        reason: str | None = None,
        *,
        applies: AppliesTo | None = None,
        actor: str = "",
    ) -> Memory:
        """Revise an entry back to what an earlier version of it says: a new version; evidence stays and never shrinks.

        ``entry`` is the exact current active version; ``version`` is the number or identifier of any version of the
        same entry. Returns the same Revision when the entry says that already. Raises UnknownVersionError,
        RevisionConflictError, EntryError, IntegrityError (spec 1.4 [D]).
        """
        base, reason = await self._current(memory), normalise_reason(reason)
        builder = _builder(base.ref.artifact_id, base)
        check_active(entry, base.ref.artifact_id, base.manifest)
        (current,) = await self._backend.entries(base, [entry.entry_id])
        builder.revise(current, await self._said_before(base, entry.entry_id, version, reason))
        return await self._commit(builder, base, Lineage(), actor, applies) or base

    async def organize(
        self, memory: Memory, steps: OrganizeSteps = "default", *, applies: AppliesTo | None = None, actor: str = ""
    ) -> Memory:
        """Deactivate exact duplicates, then bring references into normal form: both by default, or one of the steps.

        Of active entries with equal hash and bytes the one with the smallest entry_id stays. Returns the same
        Revision when there is nothing to do. Raises ValueError for unknown steps, RevisionConflictError (spec 1.4).
        """
        self.check_organize(steps)
        base = await self._current(memory)
        builder = _builder(base.ref.artifact_id, base)
        if steps != "normalize":
            plan_dedupe(builder, await self._backend.entries(base, repeated_entries(base.manifest)))
        if steps != "dedupe":
            plan_normalize(builder, await self._backend.entries(base))
        return await self._commit(builder, base, Lineage(), actor, applies) or base

    def check_organize(self, steps: OrganizeSteps) -> None:
        """Raise what :meth:`organize` raises for its steps, whatever would be organized."""
        if steps not in ("default", "dedupe", "normalize"):
            raise InvalidInputError(f"{steps!r} is no way to organize: default, dedupe and normalize are.")

    async def undo(self, memory: Memory, *, applies: AppliesTo | None = None, actor: str = "") -> Memory:
        """Take back what the head Revision changed, all of it in one Revision; history stays (spec 2.2).

        What was added or reactivated is deactivated, what was deactivated is reactivated, what was revised says again
        what it said before. Evidence never shrinks, so a Revision that only added evidence has nothing to take back:
        then the same Revision is returned. Raises RevisionConflictError, IntegrityError.
        """
        base = await self._current(memory)
        builder = _builder(base.ref.artifact_id, base)
        changes = base.content.changes
        for change, current in zip(
            changes, await self._backend.entries(base, [change.entry_id for change in changes]), strict=True
        ):
            if change.op == "revise" and change.from_entry_version_id:
                before = await self._said_before(base, change.entry_id, change.from_entry_version_id, UNDO_REASON)
                builder.revise(current, before)
            elif change.op == "deactivate":
                builder.reactivate(current, UNDO_REASON)
            else:
                builder.deactivate(current, UNDO_REASON)
        return await self._commit(builder, base, Lineage(), actor, applies) or base

    async def entries(self, memory: Memory, entry_ids: Sequence[str] | None = None) -> tuple[MemoryEntryVersion, ...]:
        """Return the entries of one Revision: all active ones, or those asked for, active or not."""
        return await self._backend.entries(memory, entry_ids)

    async def search(
        self, query: str, memories: Sequence[Memory], limit: int = 8, mode: SearchMode = "auto"
    ) -> SearchResult:
        """Search the current heads of explicitly chosen Memories; results of several rank together (spec 1.6).

        Raises ValueError without a Memory or for a bad limit or mode; CapabilityNotSupportedError for a Revision
        that is not the head, and for an explicit mode that is not available.
        """
        if not memories:
            raise InvalidInputError("Name at least one Memory to search.")
        await self.check_search(limit, mode)
        refs = tuple(dict.fromkeys(memory.ref for memory in memories))
        text = query.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
        return await self._backend.search(MemorySearchRequest(text, refs, limit, mode))

    async def check_search(self, limit: int, mode: SearchMode) -> None:
        """Raise what :meth:`search` raises for a limit or a mode, whatever would be searched."""
        if not 1 <= limit <= MAX_SEARCH_LIMIT:
            raise InvalidInputError(f"The limit of a search is 1 to {MAX_SEARCH_LIMIT}, not {limit}.")
        if mode not in ("fts", "vector", "hybrid", "auto"):
            raise InvalidInputError(f"{mode!r} is no search mode: fts, vector, hybrid and auto are.")
        capabilities = await self._backend.capabilities()
        if (mode == "vector" and not capabilities.vector) or (mode == "hybrid" and not capabilities.hybrid):
            raise CapabilityNotSupportedError(
                f"{mode.capitalize()} search needs an embedding model and a vector index, and there is none here: "
                "use mode fts or auto."
            )

    async def changes(
        self, memory: Memory | ArtifactRef, since_revision: int | None = None
    ) -> tuple[MemoryRevisionChanges, ...]:
        """Return what changed, by Revision ascending, reading no bodies.

        ``since_revision`` is exclusive; None means the target Revision's own changes, 0 the whole history.
        Raises ValueError for a negative one or one beyond the target, ArtifactNotFoundError for an unknown one.
        """
        return await self._backend.changes(memory.ref if isinstance(memory, Memory) else memory, since_revision)

    async def expand(
        self, hits: Sequence[MemoryHit | EntryCitation], layer: Literal["full"] = "full"
    ) -> tuple[MemoryEntryVersion, ...]:
        """Return exactly the versions that ``hits`` cite. Raises InvalidCitationError for any that does not verify."""
        if layer != "full":
            raise InvalidInputError(f"{layer!r} is no layer: only 'full' is.")
        citations = [hit.citation if isinstance(hit, MemoryHit) else hit for hit in hits]
        return await self._backend.expand(citations)

    async def _current(self, memory: Memory) -> Memory:
        """Return the head as the backend has it; what the caller passed in only says which Revision it worked on."""
        head = await self._backend.head(memory.ref.artifact_id)
        if head is None:
            raise ArtifactNotFoundError(f"There is no Memory {memory.ref.artifact_id} in this database.")
        if head.ref != memory.ref:
            raise RevisionConflictError(
                f"The head is Revision {head.ref.revision}, not {memory.ref.revision}: read it and redo this."
            )
        return head

    async def _said_before(self, base: Memory, entry_id: str, version: int | str, reason: str | None) -> NormalInput:
        earlier = await self._backend.version(base, entry_id, version)
        return NormalInput.of(MemoryEntryInput(earlier.kind, earlier.text, reason=reason))

    async def _inputs(
        self,
        mode: Literal["append", "extract"],
        base: Memory | None,
        sources: Sequence[Source],
        artifacts: Sequence[ArtifactRef],
        entries: Sequence[MemoryEntryInput],
    ) -> Sequence[MemoryEntryInput]:
        if mode == "append":
            return entries
        if self._pipeline is None:
            raise CapabilityNotSupportedError(
                "No candidate pipeline is configured, so nothing can be extracted: pass the entries to keep."
            )
        for source in sources:
            if not is_intact(source):
                raise EvidenceError(f"Source {source.source_id} is not what its hash and identifier commit to.")
        window = await current_window(self._backend, base, sources, artifacts) if base else ()
        return check_candidates(await self._pipeline.extract(sources, artifacts, window))

    async def _plan_remember(
        self, builder: PlanBuilder, base: Memory | None, inputs: Sequence[NormalInput], operation: Evidence
    ) -> None:
        revisions = [given for given in inputs if given.entry is not None]
        additions = [given for given in inputs if given.entry is None]
        for given in revisions:
            assert given.entry is not None  # noqa: S101  narrows the type
            check_active(given.entry, builder.artifact_id, builder.base)
        if base is None:
            check_evidence(inputs, operation)
            plan_additions(builder, merge_additions([], additions)[1], {})
            return
        # The predecessor's evidence is read from the store: a caller's copy of the entry vouches for nothing.
        current = await self._backend.entries(base, [given.entry.entry_id for given in revisions if given.entry])
        revisions = [
            NormalInput(given.statement, given.evidence, given.reason, stored)
            for given, stored in zip(revisions, current, strict=True)
        ]
        check_evidence([*revisions, *additions], operation)
        revisions, additions = merge_additions(revisions, additions)
        for given, stored in zip(revisions, current, strict=True):
            builder.revise(stored, given)
        plan_additions(
            builder,
            additions,
            await self._backend.find_statements(base, [given.statement for given in additions]),
        )

    async def _commit(
        self,
        builder: PlanBuilder,
        base: Memory | None,
        lineage: Lineage,
        actor: str,
        applies: AppliesTo | None = None,
    ) -> Memory | None:
        plan = builder.build()
        if plan is None:
            return base
        applicability = tuple(each for version in plan.versions for each in applies(version)) if applies else ()
        revision = NewRevision(ArtifactRef(builder.artifact_id, builder.revision), lineage, actor, applicability)
        async with self._backend.begin() as unit:
            return await unit.commit(revision, base, plan.content, plan.versions, plan.projections)


def _builder(artifact_id: str, base: Memory | None) -> PlanBuilder:
    if base is None:
        return PlanBuilder(artifact_id, Manifest(), 1)
    return PlanBuilder(artifact_id, base.manifest, base.ref.revision + 1)


def _effective_mode(
    mode: RememberMode, entries: Sequence[MemoryEntryInput], operation: Evidence
) -> Literal["append", "extract"]:
    has_evidence = bool(operation.sources or operation.artifacts)
    if mode == "auto":
        if not entries and not has_evidence:
            raise InvalidInputError("There is nothing to remember: pass entries, or evidence to extract them from.")
        return "append" if entries else "extract"
    if mode == "append" and not entries:
        raise InvalidInputError("Mode append needs at least one entry.")
    if mode == "extract" and (entries or not has_evidence):
        raise InvalidInputError("Mode extract needs at least one Source or Artifact, and takes no entries.")
    if mode not in ("append", "extract"):
        raise InvalidInputError(f"{mode!r} is no mode: auto, append and extract are.")
    return mode


def _distinct(entries: Sequence[MemoryEntryVersion]) -> list[MemoryEntryVersion]:
    if not entries:
        raise InvalidInputError("Name at least one entry.")
    return list(dict.fromkeys(entries))
