"""Reading Revisions, entries and citations inside one transaction, each checked against its hash (spec 1.3, 1.6)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from memlens.core.errors import (
    ArtifactNotFoundError,
    IntegrityError,
    InvalidCitationError,
    InvalidInputError,
    UnknownEntryError,
    UnknownVersionError,
)
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.memory.manifest import Manifest, ManifestEntry
from memlens.memory.models import (
    FAMILY,
    Memory,
    MemoryContent,
    MemoryEntryVersion,
    MemoryRevisionChanges,
    statement_hash,
)
from memlens.storage.revisions import Delta, decode_lineage, decode_snapshot, replay
from memlens.storage.rows import RevisionRow
from memlens.storage.session import DatabaseSession


class RevisionReader:
    """Decodes Memory Revisions and keeps the last few.

    Revisions are immutable, so one that was decoded and checked once may be kept by Artifact, number and hash.
    Safe to use from several threads.
    """

    def __init__(self, kept: int = 8) -> None:
        """Keep at most ``kept`` decoded Revisions."""
        self._kept = kept
        self._memories: OrderedDict[tuple[ArtifactRef, str], Memory] = OrderedDict()
        self._lock = threading.Lock()

    def head(self, session: DatabaseSession, artifact_id: str) -> Memory | None:
        """Return the current Revision, or None when there is none yet. Raises IntegrityError."""
        revision = session.head_revision(artifact_id)
        if revision is not None:
            return self.revision(session, ArtifactRef(artifact_id, revision))
        if session.revision(artifact_id, 1) is not None:
            raise IntegrityError(
                f"Memory {artifact_id} has Revisions and no head: run `memlens verify`, "
                "and restore the database from a backup."
            )
        return None

    def revision(self, session: DatabaseSession, ref: ArtifactRef) -> Memory:
        """Return one exact Revision. Raises ArtifactNotFoundError, IntegrityError."""
        row = session.revision(ref.artifact_id, ref.revision)
        if row is None or row.family != FAMILY:
            raise ArtifactNotFoundError(f"There is no Memory {ref.artifact_id} with a Revision {ref.revision} here.")
        with self._lock:
            known = self._memories.get((ref, row.content_hash))
        if known is not None:
            self.keep(known)
            return known
        memory = decode_memory(row, self._manifest(session, row))
        self.keep(memory)
        return memory

    def keep(self, memory: Memory) -> None:
        """Keep a Revision that is known to be stored as it is."""
        with self._lock:
            self._memories[memory.ref, memory.content.content_hash] = memory
            self._memories.move_to_end((memory.ref, memory.content.content_hash))
            while len(self._memories) > self._kept:
                self._memories.popitem(last=False)

    def _manifest(self, session: DatabaseSession, row: RevisionRow) -> Manifest:
        if row.snapshot is not None:
            return decode_snapshot(row.snapshot)
        start, manifest = self._nearest(session, row)
        deltas = (Delta.decode(each.content) for each in session.revisions(row.artifact_id, start, row.revision))
        return replay(manifest, deltas)

    def _nearest(self, session: DatabaseSession, row: RevisionRow) -> tuple[int, Manifest]:
        """Return the nearest state before ``row`` that is at hand: a kept Revision, a snapshot, or the beginning."""
        start = row.revision - row.chain_length
        with self._lock:
            kept = [
                memory
                for (ref, _), memory in self._memories.items()
                if ref.artifact_id == row.artifact_id and start <= ref.revision < row.revision
            ]
        if kept:
            nearest = max(kept, key=lambda memory: memory.ref.revision)
            stored = session.revision(nearest.ref.artifact_id, nearest.ref.revision)
            if stored is not None and stored.content_hash == nearest.content.content_hash:
                return nearest.ref.revision, nearest.manifest
        if start <= 0:
            return 0, Manifest()
        base = session.revision(row.artifact_id, start)
        if base is None or base.snapshot is None:
            raise IntegrityError(f"Revision {start} of {row.artifact_id} should hold a snapshot and does not.")
        return start, decode_snapshot(base.snapshot)


def decode_memory(row: RevisionRow, manifest: Manifest) -> Memory:
    """Return the Memory of a row and its manifest. Raises IntegrityError unless the content hash fits."""
    content = decode_content(row, manifest)
    lineage = decode_lineage(row.lineage)
    return Memory(ArtifactRef(row.artifact_id, row.revision), content, lineage, row.created_at, row.actor)


def decode_content(row: RevisionRow, manifest: Manifest) -> MemoryContent:
    """Return the content of a row and its manifest. Raises IntegrityError unless the content hash fits."""
    content = MemoryContent(manifest, Delta.decode(row.content).changes)
    if content.content_hash != row.content_hash:
        raise IntegrityError(
            f"Revision {row.revision} of {row.artifact_id} is not what its content hash commits to: "
            "run `memlens verify`, and restore the database from a backup."
        )
    return content


def read_entries(
    session: DatabaseSession, memory: Memory, entry_ids: Sequence[str] | None
) -> tuple[MemoryEntryVersion, ...]:
    """Return the versions that a Revision points at. Raises UnknownEntryError, IntegrityError."""
    lines = list(memory.manifest.active()) if entry_ids is None else [_line(memory, each) for each in entry_ids]
    versions = session.entry_versions([line.entry_version_id for line in lines])
    return tuple(_checked(memory.ref.artifact_id, line, versions.get(line.entry_version_id)) for line in lines)


def _line(memory: Memory, entry_id: str) -> ManifestEntry:
    line = memory.manifest.get(entry_id)
    if line is None:
        raise UnknownEntryError(f"This Memory has no entry {entry_id}.")
    return line


def read_version(
    session: DatabaseSession, reader: RevisionReader, memory: Memory, entry_id: str, wanted: int | str
) -> MemoryEntryVersion:
    """Return the version with this number or identifier, if it is no later than ``memory``.

    A body is checked against the manifest of the Revision that introduced it: its own row vouches for nothing.
    Raises UnknownEntryError, UnknownVersionError, IntegrityError.
    """
    artifact_id = memory.ref.artifact_id
    _line(memory, entry_id)
    for version in session.entry_history(artifact_id, entry_id):
        if wanted in (version.version, version.entry_version_id) and version.created_in_revision <= memory.ref.revision:
            introduced = reader.revision(session, ArtifactRef(artifact_id, version.created_in_revision))
            return _checked(artifact_id, _line(introduced, entry_id), version)
    raise UnknownVersionError(
        f"Entry {entry_id} has no version {wanted} in Revision {memory.ref.revision}: "
        "`memlens history` lists its versions."
    )


def _checked(artifact_id: str, line: ManifestEntry, version: MemoryEntryVersion | None) -> MemoryEntryVersion:
    if version is None or not is_exactly(artifact_id, line, version):
        raise IntegrityError(
            f"The stored body of entry {line.entry_id} is missing or altered: run `memlens verify`, "
            "and restore the database from a backup."
        )
    return version


def is_exactly(artifact_id: str, line: ManifestEntry, version: MemoryEntryVersion) -> bool:
    """Whether ``version`` is the one that the manifest's line names: by identity, by hash, and by its bytes."""
    return (
        version.memory_artifact_id == artifact_id
        and version.entry_id == line.entry_id
        and version.entry_version_id == line.entry_version_id
        and version.entry_content_hash == line.entry_content_hash
        and version.is_intact
    )


def find_statements(
    session: DatabaseSession, memory: Memory, statements: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[MemoryEntryVersion, ...]]:
    """Return the current versions, active or not, that say exactly one of the (kind, text) pairs."""
    wanted = set(statements)
    found: dict[tuple[str, str], list[MemoryEntryVersion]] = {}
    hashes = sorted({statement_hash(kind, text) for kind, text in wanted})
    for version in session.versions_saying(memory.ref.artifact_id, hashes):
        line = memory.manifest.get(version.entry_id)
        pair = (version.kind, version.text)
        if pair in wanted and line is not None and is_exactly(memory.ref.artifact_id, line, version):
            found.setdefault(pair, []).append(version)
    return {pair: tuple(versions) for pair, versions in found.items()}


def read_changes(
    session: DatabaseSession, memory: ArtifactRef, since_revision: int | None
) -> tuple[MemoryRevisionChanges, ...]:
    """Return changes by Revision ascending, reading deltas only (spec 1.6)."""
    since = memory.revision - 1 if since_revision is None else since_revision
    if since < 0:
        raise InvalidInputError("A Revision to start after is 0 (the whole history) or higher.")
    if since > memory.revision:
        raise InvalidInputError(
            f"Revision {since} comes after Revision {memory.revision}, whose changes were asked for."
        )
    target = session.revision(memory.artifact_id, memory.revision)
    if target is None or target.family != FAMILY:
        raise ArtifactNotFoundError(f"There is no Memory {memory.artifact_id} with a Revision {memory.revision} here.")
    return tuple(
        MemoryRevisionChanges(
            ArtifactRef(row.artifact_id, row.revision), Delta.decode(row.content).changes, row.created_at, row.actor
        )
        for row in session.revisions(memory.artifact_id, since, memory.revision)
    )


def expand_citations(
    session: DatabaseSession, reader: RevisionReader, citations: Sequence[EntryCitation]
) -> tuple[MemoryEntryVersion, ...]:
    """Return exactly the cited versions; never stitched across Revisions or Memories. Raises InvalidCitationError."""
    memories = {ref: _cited_revision(session, reader, ref) for ref in dict.fromkeys(c.memory_ref for c in citations)}
    versions = session.entry_versions([citation.entry_version_id for citation in citations])
    return tuple(
        _cited(memories[citation.memory_ref], citation, versions.get(citation.entry_version_id))
        for citation in citations
    )


def _cited_revision(session: DatabaseSession, reader: RevisionReader, ref: ArtifactRef) -> Memory:
    try:
        return reader.revision(session, ref)
    except ArtifactNotFoundError as error:
        raise InvalidCitationError(
            f"The cited Revision {ref.revision} of {ref.artifact_id} does not exist here."
        ) from error


def _cited(memory: Memory, citation: EntryCitation, version: MemoryEntryVersion | None) -> MemoryEntryVersion:
    line = memory.manifest.get(citation.entry_id)
    where = f"Revision {memory.ref.revision} of {memory.ref.artifact_id}"
    if line is None:
        raise InvalidCitationError(f"{where} has no entry {citation.entry_id}.")
    if line.entry_version_id != citation.entry_version_id:
        raise InvalidCitationError(
            f"{where} points at version {line.entry_version_id} of entry {citation.entry_id}, "
            f"not at {citation.entry_version_id}."
        )
    if version is None or not is_exactly(memory.ref.artifact_id, line, version):
        raise InvalidCitationError(f"The body of {citation.entry_version_id} is missing or was altered.")
    return version
