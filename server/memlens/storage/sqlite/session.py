"""SQLiteSession: the SPI over one APSW connection."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import apsw

from memlens.core.canonical import canonical_bytes
from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryVersion
from memlens.storage.rows import ApplicabilityRow, BindingRow, CloneRow, EngineFacts, HeadRow, RevisionRow
from memlens.storage.session import DatabaseSession
from memlens.storage.sqlite.decoding import decodable, source_of, version_of, version_values

_IDS_PER_STATEMENT = 500

_REVISION = "artifact_id, revision, family, content, content_hash, lineage, created_at, actor"
_VERSION = (
    "memory_artifact_id, entry_id, entry_version_id, version, previous_version_id, kind, text, "
    "source_refs, artifact_refs, entry_content_hash, created_in_revision"
)
_HEAD = "memory_artifact_id, head_revision, entry_id, entry_version_id, entry_content_hash, searchable_text"
_HEAD_OF_H = ", ".join("h." + column for column in _HEAD.split(", "))

_BINDING = "binding_key, artifact_id, created_at, actor"
_CLONE = "artifact_id, machine, place, known_since, actor"

_INDEX = "memory_entry_search_fts"
_TERM_COUNTS = "CREATE VIRTUAL TABLE temp.memory_entry_terms USING fts5vocab('main', 'memory_entry_search_fts', 'row')"


class SQLiteSession(DatabaseSession):
    """One connection to one SQLite database."""

    def __init__(self, connection: apsw.Connection, signature: Callable[[], object] = lambda: None) -> None:
        """Use ``connection``, whose schema is up to date.

        ``signature`` tells the file apart from any that is put in its place later.
        """
        self._connection = connection
        self._signature = signature
        self._opened = signature()
        self._connection.execute(_TERM_COUNTS)

    def begin_read(self) -> None:
        """Begin a deferred transaction; WAL gives it one state and lets others write."""
        self._connection.execute("BEGIN")

    def begin_write(self) -> None:
        """Begin IMMEDIATE: a deferred transaction that turns writer fails at once when the database has moved on."""
        self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Commit, synced to disk."""
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        """Roll back; SQLite may have done so by itself (disk full)."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def change_token(self) -> object:
        """Return SQLite's own counter of other connections' commits, with the file that it counts for."""
        return (self._opened, self._connection.pragma("data_version"))

    def is_current(self) -> bool:
        """Whether the file is the one that was opened, and, where it is read as one that nobody writes, unchanged."""
        return self._signature() == self._opened

    def head_revision(self, artifact_id: str) -> int | None:
        """Return the number of the current Revision."""
        row = self._one("SELECT revision FROM artifact_heads WHERE artifact_id = ?", (artifact_id,))
        return row[0] if row else None

    def artifact_ids(self, family: str) -> list[str]:
        """Return the identifiers of all Artifacts of a family."""
        sql = "SELECT DISTINCT artifact_id FROM artifact_revisions WHERE family = ? ORDER BY artifact_id"
        return [row[0] for row in self._rows(sql, (family,))]

    def revision(self, artifact_id: str, revision: int) -> RevisionRow | None:
        """Return one Revision's row."""
        sql = (
            f"SELECT {_REVISION}, snapshot, chain_length, chain_bytes FROM artifact_revisions "
            "WHERE artifact_id = ? AND revision = ?"
        )
        row = self._one(sql, (artifact_id, revision))
        return RevisionRow(*row) if row else None

    def revisions(self, artifact_id: str, after: int, until: int) -> Iterator[RevisionRow]:
        """Yield rows of a range, without snapshots."""
        sql = (
            f"SELECT {_REVISION}, NULL, chain_length, chain_bytes FROM artifact_revisions "
            "WHERE artifact_id = ? AND revision > ? AND revision <= ? ORDER BY revision"
        )
        return (RevisionRow(*row) for row in self._rows(sql, (artifact_id, after, until)))

    def revision_stamps(self, artifact_id: str, first: int) -> dict[int, tuple[str, str]]:
        """Return when and by whom each Revision from ``first`` on was made."""
        sql = "SELECT revision, created_at, actor FROM artifact_revisions WHERE artifact_id = ? AND revision >= ?"
        return {row[0]: (row[1], row[2]) for row in self._rows(sql, (artifact_id, first))}

    def insert_revision(self, row: RevisionRow) -> bool:
        """Insert a Revision; False when that number is taken."""
        self._connection.execute(
            f"INSERT INTO artifact_revisions ({_REVISION}, snapshot, chain_length, chain_bytes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                row.artifact_id,
                row.revision,
                row.family,
                row.content,
                row.content_hash,
                row.lineage,
                row.created_at,
                row.actor,
                row.snapshot,
                row.chain_length,
                row.chain_bytes,
            ),
        )
        return self._connection.changes() == 1

    def advance_head(self, artifact_id: str, base: int | None, revision: int) -> bool:
        """Move the head by compare-and-set."""
        if base is None:
            self._connection.execute(
                "INSERT INTO artifact_heads (artifact_id, revision) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (artifact_id, revision),
            )
        else:
            self._connection.execute(
                "UPDATE artifact_heads SET revision = ? WHERE artifact_id = ? AND revision = ?",
                (revision, artifact_id, base),
            )
        return self._connection.changes() == 1

    def insert_entry_versions(self, versions: Sequence[MemoryEntryVersion]) -> None:
        """Insert immutable bodies."""
        self._connection.executemany(
            f"INSERT INTO memory_entry_versions ({_VERSION}, statement_hash) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [version_values(version) for version in versions],
        )

    def entry_versions(self, entry_version_ids: Sequence[str]) -> dict[str, MemoryEntryVersion]:
        """Return bodies by entry_version_id."""
        sql = f"SELECT {_VERSION} FROM memory_entry_versions WHERE entry_version_id IN ({{}})"
        versions = decodable(self._in_pieces(sql, entry_version_ids))
        return {version.entry_version_id: version for version in versions}

    def all_entry_versions(self, artifact_id: str) -> Iterator[MemoryEntryVersion]:
        """Yield every version of a Memory."""
        sql = f"SELECT {_VERSION} FROM memory_entry_versions WHERE memory_artifact_id = ? ORDER BY entry_id, version"
        return map(version_of, self._rows(sql, (artifact_id,)))

    def entry_history(self, artifact_id: str, entry_id: str) -> list[MemoryEntryVersion]:
        """Return all versions of one entry, ascending."""
        sql = (
            f"SELECT {_VERSION} FROM memory_entry_versions "
            "WHERE memory_artifact_id = ? AND entry_id = ? ORDER BY version"
        )
        return list(map(version_of, self._rows(sql, (artifact_id, entry_id))))

    def versions_saying(self, artifact_id: str, statement_hashes: Sequence[str]) -> list[MemoryEntryVersion]:
        """Return all versions with one of the statement hashes."""
        sql = f"SELECT {_VERSION} FROM memory_entry_versions WHERE memory_artifact_id = ? AND statement_hash IN ({{}})"
        versions = decodable(self._in_pieces(sql, statement_hashes, (artifact_id,)))
        return sorted(versions, key=lambda version: (version.entry_id, version.version))

    def put_heads(self, rows: Sequence[HeadRow]) -> None:
        """Write projection rows and their full-text index."""
        for row in rows:
            found = self._one(
                f"INSERT INTO memory_entry_heads ({_HEAD}) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (memory_artifact_id, entry_id) DO UPDATE SET head_revision = excluded.head_revision, "
                "entry_version_id = excluded.entry_version_id, entry_content_hash = excluded.entry_content_hash, "
                "searchable_text = excluded.searchable_text RETURNING projection_id",
                (
                    row.memory_artifact_id,
                    row.head_revision,
                    row.entry_id,
                    row.entry_version_id,
                    row.entry_content_hash,
                    row.searchable_text,
                ),
            )
            assert found is not None  # noqa: S101  RETURNING gives one row for one row
            self._connection.execute("DELETE FROM memory_entry_search_fts WHERE rowid = ?", found)
            self._connection.execute(
                "INSERT INTO memory_entry_search_fts (rowid, searchable_text) VALUES (?, ?)",
                (*found, row.searchable_text),
            )

    def delete_heads(self, artifact_id: str, entry_ids: Sequence[str]) -> None:
        """Delete projection rows and their full-text index."""
        for entry_id in entry_ids:
            found = self._one(
                "DELETE FROM memory_entry_heads WHERE memory_artifact_id = ? AND entry_id = ? RETURNING projection_id",
                (artifact_id, entry_id),
            )
            if found:
                self._connection.execute("DELETE FROM memory_entry_search_fts WHERE rowid = ?", found)

    def heads(self, artifact_id: str) -> Iterator[HeadRow]:
        """Yield the projection rows of a Memory by entry_id."""
        sql = f"SELECT {_HEAD} FROM memory_entry_heads WHERE memory_artifact_id = ? ORDER BY entry_id"
        return (HeadRow(*row) for row in self._rows(sql, (artifact_id,)))

    def unindexed_heads(self, artifact_id: str) -> list[str]:
        """Return the entries whose full-text row is missing or says something else."""
        sql = (
            "SELECT h.entry_id FROM memory_entry_heads h "
            "LEFT JOIN memory_entry_search_fts f ON f.rowid = h.projection_id "
            "WHERE h.memory_artifact_id = ? AND f.searchable_text IS NOT h.searchable_text ORDER BY h.entry_id"
        )
        try:
            return [row[0] for row in self._rows(sql, (artifact_id,))]
        except apsw.CorruptError:
            return [row.entry_id for row in self.heads(artifact_id)]

    def indexed_heads(self, artifact_id: str) -> int:
        """Return how many entries of a Memory have a full-text row."""
        sql = (
            "SELECT count(*) FROM memory_entry_heads h JOIN memory_entry_search_fts f ON f.rowid = h.projection_id "
            "WHERE h.memory_artifact_id = ?"
        )
        return self._count_of_index(sql, (artifact_id,))

    def stray_index_rows(self) -> int:
        """Return how many full-text rows belong to no entry."""
        return self._count_of_index(
            "SELECT count(*) FROM memory_entry_search_fts WHERE rowid NOT IN "
            "(SELECT projection_id FROM memory_entry_heads)"
        )

    def recreate_index(self) -> None:
        """Drop the full-text table and create it again as the schema has it."""
        found = self._one("SELECT sql FROM sqlite_schema WHERE name = ?", (_INDEX,))
        assert found is not None  # noqa: S101  the schema is up to date
        self._connection.execute(f"DROP TABLE {_INDEX}")
        self._connection.execute(found[0])

    def engine_facts(self) -> EngineFacts:
        """Return what SQLite says of the database."""
        fts = self._count("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'")
        journal = str(self._connection.pragma("journal_mode"))
        version = int(self._connection.pragma("user_version"))
        return EngineFacts(f"SQLite {apsw.sqlite_lib_version()}", version, journal, bool(fts))

    def database_problems(self, *, quick: bool = False) -> list[str]:
        """Return what SQLite's own checks of the file find."""
        # Reading the full-text index first makes FTS5 drop what it cached of an older state; SQLite's own check does
        # not, and would call an index damaged that another connection has written to since.
        self.stray_index_rows()
        check = "quick_check" if quick else "integrity_check"
        problems = [row[0] for row in self._rows(f"PRAGMA {check}(20)") if row[0] != "ok"]
        if not quick:
            problems += [
                f"row {rowid} of {table} refers to a row of {parent} that is missing"
                for table, rowid, parent, _ in self._rows("PRAGMA foreign_key_check")
            ]
        return problems

    def index_problems(self) -> list[str]:
        """Return what FTS5's own check finds: SQLite's names the table."""
        return [row[0] for row in self._rows(f"PRAGMA quick_check({_INDEX})") if row[0] != "ok"]

    def count_indexed(self, artifact_ids: Sequence[str]) -> int:
        """Return how many entries of these Memories the full-text index holds."""
        sql = (
            "SELECT count(*) FROM memory_entry_heads h JOIN memory_entry_search_fts f ON f.rowid = h.projection_id "
            "WHERE h.memory_artifact_id IN ({})"
        )
        return sum(row[0] for row in self._in_pieces(sql, artifact_ids))

    def document_counts(self, terms: Sequence[str], artifact_ids: Sequence[str]) -> dict[str, int]:
        """Return in how many entries of these Memories each term occurs."""
        counts = dict(self._in_pieces("SELECT term, doc FROM temp.memory_entry_terms WHERE term IN ({})", terms))
        if not self._has_others(artifact_ids):
            return counts
        return {term: self._count_within(term, artifact_ids) for term in counts}

    def search_fts(self, terms: Sequence[str], artifact_ids: Sequence[str], limit: int) -> list[HeadRow]:
        """Return the best entries by BM25. Terms are the analyzer's: ASCII letters, digits and ``_`` only."""
        # Ordered by rank alone, FTS5 itself sorts row numbers, and the join sees no more rows than are wanted.
        sql = (
            f"SELECT {_HEAD_OF_H} FROM (SELECT f.rowid AS id, f.rank AS rank FROM memory_entry_search_fts f "
            "JOIN memory_entry_heads h ON h.projection_id = f.rowid "
            f"WHERE memory_entry_search_fts MATCH ? AND h.memory_artifact_id IN ({_marks(artifact_ids)}) "
            "ORDER BY f.rank LIMIT ?) best JOIN memory_entry_heads h ON h.projection_id = best.id "
            "ORDER BY best.rank, h.memory_artifact_id, h.entry_id"
        )
        return [HeadRow(*row) for row in self._rows(sql, (_match(terms), *artifact_ids, limit))]

    def insert_sources(self, sources: Sequence[Source]) -> None:
        """Insert Sources that are not there yet."""
        self._connection.executemany(
            "INSERT INTO sources (source_id, source_type, uri, content, content_hash, created_at) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (s.source_id, s.source_type, s.uri, canonical_bytes(s.content).decode(), s.content_hash, s.created_at)
                for s in sources
            ],
        )

    def sources(self, source_ids: Sequence[str]) -> dict[str, Source]:
        """Return Sources by source_id."""
        sql = (
            "SELECT source_id, source_type, uri, content, content_hash, created_at FROM sources WHERE source_id IN ({})"
        )
        return {row[0]: source_of(row) for row in self._in_pieces(sql, source_ids)}

    def source_ids_at(self, uris: Sequence[str]) -> list[str]:
        """Return the identifiers of all Sources at these URIs."""
        return [row[0] for row in self._in_pieces("SELECT source_id FROM sources WHERE uri IN ({})", uris)]

    def binding(self, binding_key: str) -> BindingRow | None:
        """Return the binding of a key."""
        sql = f"SELECT {_BINDING} FROM bindings WHERE binding_key = ?"
        row = self._one(sql, (binding_key,))
        return BindingRow(*row) if row else None

    def insert_binding(self, row: BindingRow) -> None:
        """Insert a binding; no change when the key is bound already."""
        self._connection.execute(
            f"INSERT INTO bindings ({_BINDING}) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (row.binding_key, row.artifact_id, row.created_at, row.actor),
        )

    def replace_binding(self, row: BindingRow) -> None:
        """Write a binding, whatever the key was bound to before."""
        self._connection.execute(
            f"INSERT OR REPLACE INTO bindings ({_BINDING}) VALUES (?, ?, ?, ?)",
            (row.binding_key, row.artifact_id, row.created_at, row.actor),
        )

    def bindings_of(self, artifact_id: str) -> list[BindingRow]:
        """Return every key that is bound to an Artifact."""
        sql = f"SELECT {_BINDING} FROM bindings WHERE artifact_id = ? ORDER BY created_at, binding_key"
        return [BindingRow(*row) for row in self._rows(sql, (artifact_id,))]

    def clones_of(self, artifact_id: str) -> list[CloneRow]:
        """Return the known clones of an Artifact."""
        sql = f"SELECT {_CLONE} FROM known_clones WHERE artifact_id = ? ORDER BY known_since, place"
        return [CloneRow(*row) for row in self._rows(sql, (artifact_id,))]

    def clones_at(self, machine: str, place: str) -> list[CloneRow]:
        """Return every Artifact that one clone is known for."""
        sql = f"SELECT {_CLONE} FROM known_clones WHERE machine = ? AND place = ? ORDER BY known_since, artifact_id"
        return [CloneRow(*row) for row in self._rows(sql, (machine, place))]

    def insert_clone(self, row: CloneRow) -> None:
        """Insert a known clone; no change when it is known already."""
        self._connection.execute(
            f"INSERT INTO known_clones ({_CLONE}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (row.artifact_id, row.machine, row.place, row.known_since, row.actor),
        )

    def delete_clones(self, artifact_id: str, place: str) -> int:
        """Delete the known clones of an Artifact at a place."""
        self._connection.execute("DELETE FROM known_clones WHERE artifact_id = ? AND place = ?", (artifact_id, place))
        return self._connection.changes()

    def applicability(self, artifact_id: str) -> Iterator[ApplicabilityRow]:
        """Yield the stored applicability of a Memory's entries."""
        sql = (
            "SELECT memory_artifact_id, entry_id, origin, targets, updated_at, actor FROM entry_applicability "
            "WHERE memory_artifact_id = ? ORDER BY entry_id, origin"
        )
        return (ApplicabilityRow(*row) for row in self._rows(sql, (artifact_id,)))

    def put_applicability(self, rows: Sequence[ApplicabilityRow]) -> None:
        """Write applicability, replacing what is there for the same entry and origin."""
        self._connection.executemany(
            "INSERT INTO entry_applicability (memory_artifact_id, entry_id, origin, targets, updated_at, actor) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "targets = excluded.targets, updated_at = excluded.updated_at, actor = excluded.actor",
            [(r.memory_artifact_id, r.entry_id, r.origin, r.targets, r.updated_at, r.actor) for r in rows],
        )

    def _has_others(self, artifact_ids: Sequence[str]) -> bool:
        """Whether the projection holds entries of any other Memory; asked by Memory, not by entry."""
        sql = (
            f"SELECT EXISTS (SELECT 1 FROM artifact_heads a WHERE a.artifact_id NOT IN ({_marks(artifact_ids)}) AND "
            "EXISTS (SELECT 1 FROM memory_entry_heads h WHERE h.memory_artifact_id = a.artifact_id))"
        )
        return self._one(sql, tuple(artifact_ids)) == (1,)

    def _count_within(self, term: str, artifact_ids: Sequence[str]) -> int:
        row = self._one(
            "SELECT count(*) FROM memory_entry_search_fts f JOIN memory_entry_heads h ON h.projection_id = f.rowid "
            f"WHERE memory_entry_search_fts MATCH ? AND h.memory_artifact_id IN ({_marks(artifact_ids)})",
            (_match([term]), *artifact_ids),
        )
        return int(row[0]) if row else 0

    def _count_of_index(self, sql: str, values: tuple[Any, ...] = ()) -> int:
        try:
            return self._count(sql, values)
        except apsw.CorruptError:  # the check of the index tells
            return 0

    def _count(self, sql: str, values: tuple[Any, ...] = ()) -> int:
        found = self._one(sql, values)
        return int(found[0]) if found else 0

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        return iter(self._connection.execute(sql, values))

    def _one(self, sql: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        return self._connection.execute(sql, values).fetchone()

    def _in_pieces(self, sql: str, ids: Sequence[str], before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Run ``sql``, whose ``{}`` stands for a list of ids, as often as the bound of parameters asks for."""
        for start in range(0, len(ids), _IDS_PER_STATEMENT):
            piece = ids[start : start + _IDS_PER_STATEMENT]
            yield from self._rows(sql.format(_marks(piece)), (*before, *piece))


def _marks(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))


def _match(terms: Iterable[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)
