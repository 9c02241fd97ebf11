"""Checking and rebuilding what is no authority: the projection of active entries and the full-text index (case S4).

Both follow from Revisions and bodies alone, so a projection that is lost or wrong costs no memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memlens.core.errors import CorruptDatabaseError, IntegrityError
from memlens.memory.analyzer import index_terms
from memlens.memory.models import FAMILY, Memory, MemoryEntryVersion
from memlens.storage.reading import RevisionReader, is_exactly
from memlens.storage.rows import HeadRow
from memlens.storage.session import DatabaseSession


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """How one Memory's projections compare with its head.

    ``active`` entries should each have a row of the projection (``projected``) and of the index (``indexed``);
    ``is_right`` is whether all of them do, and say what they should. ``is_readable`` is False when the head itself
    cannot be read: then nothing can be compared.
    """

    artifact_id: str
    active: int
    projected: int
    indexed: int
    is_right: bool
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild wrote; ``skipped`` names the Memories whose heads cannot be read, which keep what they had."""

    memories: int
    entries: int
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatabaseHealth:
    """What a quick look at the whole database finds.

    ``file_problems`` are damage that only a backup mends; ``index_problems`` and ``stray_rows`` are mended by a
    rebuild, as are projections that are not right. With ``index_problems`` no projection is compared.
    """

    file_problems: tuple[str, ...]
    index_problems: tuple[str, ...]
    stray_rows: int
    projections: tuple[ProjectionState, ...]


def examine_database(session: DatabaseSession) -> DatabaseHealth:
    """Look at pages, index and projections inside one read transaction."""
    index_problems = session.index_problems()
    file_problems = [each for each in session.database_problems(quick=True) if each not in index_problems]
    if index_problems or file_problems:
        return DatabaseHealth(tuple(file_problems), tuple(index_problems), 0, ())
    reader = RevisionReader()
    projections = [_projection(session, reader, artifact_id) for artifact_id in session.artifact_ids(FAMILY)]
    return DatabaseHealth((), (), session.stray_index_rows(), tuple(projections))


def rebuild_projections(session: DatabaseSession) -> Rebuilt:
    """Write the projections of every Memory anew from its head, inside one write transaction.

    An entry whose body was altered gets no row: it is not searched. Raises CorruptDatabaseError, and writes
    nothing, when the file itself is damaged.
    """
    index_problems = session.index_problems()
    damage = [each for each in session.database_problems(quick=True) if each not in index_problems]
    if damage:
        raise CorruptDatabaseError(
            f"The database file itself is damaged ({damage[0]}), which no rebuild mends; nothing was written to it: "
            "move it away and restore it from a backup."
        )
    session.recreate_index()
    reader = RevisionReader()
    memories = entries = 0
    skipped = []
    for artifact_id in session.artifact_ids(FAMILY):
        kept = list(session.heads(artifact_id))
        memory = _head(session, reader, artifact_id)
        rows = kept if memory is None else list(_expected(session, memory).values())
        session.delete_heads(artifact_id, [row.entry_id for row in kept])
        session.put_heads(rows)
        if memory is None:
            skipped.append(artifact_id)
        else:
            memories, entries = memories + 1, entries + len(rows)
    return Rebuilt(memories, entries, tuple(skipped))


def _projection(session: DatabaseSession, reader: RevisionReader, artifact_id: str) -> ProjectionState:
    rows = {row.entry_id: row for row in session.heads(artifact_id)}
    indexed = session.indexed_heads(artifact_id)
    memory = _head(session, reader, artifact_id)
    if memory is None:
        return ProjectionState(artifact_id, 0, len(rows), indexed, is_right=True, is_readable=False)
    active = {line.entry_id for line in memory.manifest.active()}
    expected = _expected(session, memory)
    says_so = all(entry_id in rows and _same(rows[entry_id], row) for entry_id, row in expected.items())
    is_right = says_so and rows.keys() <= active and not session.unindexed_heads(artifact_id)
    return ProjectionState(artifact_id, len(active), len(rows), indexed, is_right)


def _head(session: DatabaseSession, reader: RevisionReader, artifact_id: str) -> Memory | None:
    try:
        return reader.head(session, artifact_id)
    except IntegrityError:
        return None


def _expected(session: DatabaseSession, memory: Memory) -> Mapping[str, HeadRow]:
    """Return the rows that the active entries should have, by entry; altered bodies have none."""
    artifact_id = memory.ref.artifact_id
    lines = list(memory.manifest.active())
    versions = session.entry_versions([line.entry_version_id for line in lines])
    return {
        line.entry_id: _row(memory, version)
        for line in lines
        if (version := versions.get(line.entry_version_id)) and is_exactly(artifact_id, line, version)
    }


def _row(memory: Memory, version: MemoryEntryVersion) -> HeadRow:
    return HeadRow(
        memory.ref.artifact_id,
        memory.ref.revision,
        version.entry_id,
        version.entry_version_id,
        version.entry_content_hash,
        index_terms(version.text),
    )


def _same(row: HeadRow, expected: HeadRow) -> bool:
    """Whether two rows say the same; which Revision wrote them is never compared (spec 1.5)."""
    return (row.entry_version_id, row.entry_content_hash, row.searchable_text) == (
        expected.entry_version_id,
        expected.entry_content_hash,
        expected.searchable_text,
    )
