"""What the runtime reads and keeps beside the Memory family: applicability, and whole states (spec 1.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memlens.core.clock import utc_now
from memlens.core.errors import IntegrityError, UnknownEntryError
from memlens.core.sources import Source, is_intact
from memlens.memory.models import EntryApplicability, Memory, MemoryChange, MemoryEntryVersion
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.reading import RevisionReader, is_exactly, read_changes
from memlens.storage.rows import ApplicabilityRow
from memlens.storage.session import DatabaseSession
from memlens.storage.verification import Report, verify_database


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a Revision was made (UTC) and by whom."""

    created_at: str
    actor: str


@dataclass(frozen=True, slots=True)
class MemoryState:
    """The active entries of one head, all or those that changed, with everything that is shown of them.

    ``removed`` names entries that are active no more; ``damaged`` those whose bodies were altered, which are never
    shown.
    """

    memory: Memory
    versions: tuple[MemoryEntryVersion, ...]
    removed: tuple[str, ...]
    damaged: tuple[str, ...]
    sources: Mapping[str, Source]
    stamps: Mapping[int, Stamp]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """One change of one entry: what happened, in which Revision, when and by whom, and the version it led to."""

    revision: int
    stamp: Stamp
    change: MemoryChange
    version: MemoryEntryVersion


class StateStore:
    """Reads and writes the runtime's tables through a backend's own transactions."""

    def __init__(self, backend: DatabaseMemoryBackend) -> None:
        """Work on ``backend``."""
        self._backend = backend
        self._reader = RevisionReader()

    async def state(self, artifact_id: str, since: Memory | None = None) -> MemoryState | None:
        """Return the state of a Memory's head, in one read transaction, or None when it has no Revision yet.

        With ``since``, a Revision that the caller has, only what changed after it.
        """
        return await self._backend.read(lambda session: _read_state(session, self._reader, artifact_id, since))

    async def applicability(self, artifact_id: str) -> tuple[ApplicabilityRow, ...]:
        """Return all stored applicability of a Memory."""
        return await self._backend.read(lambda session: tuple(session.applicability(artifact_id)))

    async def put_applicability(
        self, artifact_id: str, applicability: Sequence[EntryApplicability], actor: str
    ) -> None:
        """Store applicability of entries that stay as they are, replacing that of the same entry and origin."""
        if applicability:
            now = utc_now()
            rows = [
                ApplicabilityRow(artifact_id, each.entry_id, each.origin, each.targets, now, actor)
                for each in applicability
            ]
            await self._backend.write(lambda session: session.put_applicability(rows))

    async def history(self, artifact_id: str, entry_id: str) -> tuple[HistoryStep, ...]:
        """Return what happened to one entry, oldest first. Raises UnknownEntryError, IntegrityError."""
        return await self._backend.read(lambda session: _read_history(session, self._reader, artifact_id, entry_id))

    async def sources(self, source_ids: Sequence[str]) -> Mapping[str, Source]:
        """Return stored Sources by source_id."""
        return await self._backend.read(lambda session: session.sources(source_ids))

    async def versions(self, entry_version_ids: Sequence[str]) -> Mapping[str, MemoryEntryVersion]:
        """Return the bodies that are what their hashes say, by entry_version_id."""
        stored = await self._backend.read(lambda session: session.entry_versions(entry_version_ids))
        return {entry_version_id: version for entry_version_id, version in stored.items() if version.is_intact}

    async def circumstances(
        self, artifact_id: str, versions: Sequence[MemoryEntryVersion]
    ) -> tuple[Mapping[str, Source], Mapping[int, Stamp]]:
        """Return the intact Sources that versions of one Memory cite, and when and by whom they were written."""
        revisions = {version.created_in_revision for version in versions}
        return await self._backend.read(
            lambda session: (_intact_sources(session, versions), _stamps(session, artifact_id, revisions))
        )

    async def verify(self) -> Report:
        """Check the whole database."""
        return await self._backend.read(lambda session: verify_database(session, self._backend.typed))


def _read_state(
    session: DatabaseSession, reader: RevisionReader, artifact_id: str, since: Memory | None
) -> MemoryState | None:
    memory = reader.head(session, artifact_id)
    if memory is None:
        return None
    touched = _touched(session, memory, since)
    lines = list(memory.manifest.active()) if touched is None else [memory.manifest[each] for each in touched]
    active = [line for line in lines if line.is_active]
    stored = session.entry_versions([line.entry_version_id for line in active])
    intact = {
        line.entry_id: version
        for line in active
        if (version := stored.get(line.entry_version_id)) and is_exactly(artifact_id, line, version)
    }
    versions = tuple(intact.values())
    return MemoryState(
        memory=memory,
        versions=versions,
        removed=tuple(line.entry_id for line in lines if not line.is_active),
        damaged=tuple(line.entry_id for line in active if line.entry_id not in intact),
        sources=_intact_sources(session, versions),
        stamps=_stamps(session, artifact_id, {version.created_in_revision for version in versions}),
        is_whole=touched is None,
    )


def _intact_sources(session: DatabaseSession, versions: Sequence[MemoryEntryVersion]) -> dict[str, Source]:
    """Return the Sources that the versions cite, without those that were altered: they vouch for nothing."""
    cited = {ref for version in versions for ref in version.sources}
    stored = session.sources(sorted(ref.source_id for ref in cited))
    return {
        ref.source_id: source
        for ref in cited
        if (source := stored.get(ref.source_id)) is not None and source.ref == ref and is_intact(source)
    }


def _touched(session: DatabaseSession, memory: Memory, since: Memory | None) -> list[str] | None:
    """Return the entries that changed after ``since``, or None when all must be read."""
    if since is None or since.ref.artifact_id != memory.ref.artifact_id or since.ref.revision > memory.ref.revision:
        return None
    stored = session.revision(since.ref.artifact_id, since.ref.revision)
    if stored is None or stored.content_hash != since.content.content_hash:
        # The database was replaced by another history of the same Memory, a backup say.
        return None
    revisions = read_changes(session, memory.ref, since.ref.revision)
    return sorted({change.entry_id for revision in revisions for change in revision.changes})


def _stamps(session: DatabaseSession, artifact_id: str, revisions: set[int]) -> dict[int, Stamp]:
    stamps = session.revision_stamps(artifact_id, min(revisions, default=0))
    return {revision: Stamp(*stamps.get(revision, ("", ""))) for revision in revisions}


def _read_history(
    session: DatabaseSession, reader: RevisionReader, artifact_id: str, entry_id: str
) -> tuple[HistoryStep, ...]:
    memory = reader.head(session, artifact_id)
    if memory is None or memory.manifest.get(entry_id) is None:
        raise UnknownEntryError(f"This Memory has no entry {entry_id}.")
    versions = {version.entry_version_id: version for version in session.entry_history(artifact_id, entry_id)}
    steps = []
    for revision in read_changes(session, memory.ref, 0):
        for change in revision.changes:
            if change.entry_id == entry_id:
                stamp = Stamp(revision.created_at, revision.actor)
                version = versions.get(change.to_entry_version_id or change.from_entry_version_id or "")
                if version is None or not version.is_intact:
                    raise IntegrityError(
                        f"A version of entry {entry_id} is missing or altered: run `memlens verify`, "
                        "and restore the database from a backup."
                    )
                steps.append(HistoryStep(revision.memory_ref.revision, stamp, change, version))
    return tuple(steps)
