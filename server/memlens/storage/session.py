"""The SPI a database adapter implements: synchronous CRUD, head CAS, transactions and the search dialect (spec 1.2).

A session is one connection, used by one thread at a time. It holds no domain rule: those are in the shared backend.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryVersion
from memlens.storage.rows import ApplicabilityRow, BindingRow, CloneRow, EngineFacts, HeadRow, RevisionRow


class DatabaseSession(ABC):
    """One connection to the database.

    Methods that write are called inside a write transaction only, methods that read inside either kind. Errors of
    the driver are raised as they are; the backend turns them into typed ones.
    """

    @abstractmethod
    def begin_read(self) -> None:
        """Begin a transaction that sees one consistent state and blocks no writer."""

    @abstractmethod
    def begin_write(self) -> None:
        """Begin a transaction that may write, waiting a bounded time for another writer."""

    @abstractmethod
    def commit(self) -> None:
        """Commit; when this returns the transaction is durable."""

    @abstractmethod
    def rollback(self) -> None:
        """Roll back; no error when no transaction is open."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def is_current(self) -> bool:
        """Whether this still is a connection to the database; False once another one was put in its place."""

    @abstractmethod
    def change_token(self) -> object:
        """Return a value that differs after another connection committed anything; cheap enough to poll."""

    # Artifacts

    @abstractmethod
    def head_revision(self, artifact_id: str) -> int | None:
        """Return the number of the current Revision."""

    @abstractmethod
    def artifact_ids(self, family: str) -> list[str]:
        """Return the identifiers of all Artifacts of a family that have a Revision, ascending."""

    @abstractmethod
    def revision(self, artifact_id: str, revision: int) -> RevisionRow | None:
        """Return one Revision's row."""

    @abstractmethod
    def revisions(self, artifact_id: str, after: int, until: int) -> Iterator[RevisionRow]:
        """Yield the rows with ``after < revision <= until``, ascending, without their snapshots."""

    @abstractmethod
    def revision_stamps(self, artifact_id: str, first: int) -> dict[int, tuple[str, str]]:
        """Return when (UTC) and by whom each Revision from ``first`` on was made."""

    @abstractmethod
    def insert_revision(self, row: RevisionRow) -> bool:
        """Insert a Revision; False when that number is taken."""

    @abstractmethod
    def advance_head(self, artifact_id: str, base: int | None, revision: int) -> bool:
        """Move the head from ``base`` (None: no head yet) to ``revision``; False when the head is not at ``base``."""

    # Entry versions

    @abstractmethod
    def insert_entry_versions(self, versions: Sequence[MemoryEntryVersion]) -> None:
        """Insert immutable bodies."""

    @abstractmethod
    def entry_versions(self, entry_version_ids: Sequence[str]) -> dict[str, MemoryEntryVersion]:
        """Return bodies by entry_version_id; those that do not exist, or cannot be decoded, are left out."""

    @abstractmethod
    def all_entry_versions(self, artifact_id: str) -> Iterator[MemoryEntryVersion]:
        """Yield every version of a Memory, by entry and version ascending.

        A row that cannot be decoded raises IntegrityError in its turn, and the iteration goes on after it.
        """

    @abstractmethod
    def entry_history(self, artifact_id: str, entry_id: str) -> list[MemoryEntryVersion]:
        """Return all versions of one entry, ascending."""

    @abstractmethod
    def versions_saying(self, artifact_id: str, statement_hashes: Sequence[str]) -> list[MemoryEntryVersion]:
        """Return all versions with one of the statement hashes that can be decoded, by entry and version ascending."""

    # Projection of active heads

    @abstractmethod
    def put_heads(self, rows: Sequence[HeadRow]) -> None:
        """Write projection rows and their full-text index, replacing those of the same entries."""

    @abstractmethod
    def delete_heads(self, artifact_id: str, entry_ids: Sequence[str]) -> None:
        """Delete projection rows and their full-text index."""

    @abstractmethod
    def heads(self, artifact_id: str) -> Iterator[HeadRow]:
        """Yield the projection rows of a Memory by entry_id."""

    @abstractmethod
    def unindexed_heads(self, artifact_id: str) -> list[str]:
        """Return the entry_ids whose full-text index does not hold their searchable_text; all of an index that is
        damaged beyond reading.
        """

    @abstractmethod
    def indexed_heads(self, artifact_id: str) -> int:
        """Return how many entries of a Memory have a row in the full-text index, whatever it says; 0 of one that is
        damaged beyond reading.
        """

    @abstractmethod
    def stray_index_rows(self) -> int:
        """Return how many rows of the full-text index belong to no entry; 0 of one damaged beyond reading."""

    @abstractmethod
    def recreate_index(self) -> None:
        """Replace the full-text index, whatever state it is in, by an empty one."""

    @abstractmethod
    def engine_facts(self) -> EngineFacts:
        """Return what the database says of itself."""

    @abstractmethod
    def database_problems(self, *, quick: bool = False) -> list[str]:
        """Return, in words, what the database's own checks find: damaged pages and indexes, and unless ``quick``
        references to rows that are missing.
        """

    @abstractmethod
    def index_problems(self) -> list[str]:
        """Return, in words, what the database's own check of the full-text index finds."""

    @abstractmethod
    def count_indexed(self, artifact_ids: Sequence[str]) -> int:
        """Return how many entries of these Memories the full-text index holds."""

    # Search

    @abstractmethod
    def document_counts(self, terms: Sequence[str], artifact_ids: Sequence[str]) -> dict[str, int]:
        """Return in how many entries of these Memories each term occurs."""

    @abstractmethod
    def search_fts(self, terms: Sequence[str], artifact_ids: Sequence[str], limit: int) -> list[HeadRow]:
        """Return at most ``limit`` entries that hold any of the terms, best first, ties in the same order always."""

    # Sources

    @abstractmethod
    def insert_sources(self, sources: Sequence[Source]) -> None:
        """Insert Sources that are not there yet."""

    @abstractmethod
    def sources(self, source_ids: Sequence[str]) -> dict[str, Source]:
        """Return Sources by source_id; those that do not exist are left out."""

    @abstractmethod
    def source_ids_at(self, uris: Sequence[str]) -> list[str]:
        """Return the identifiers of all Sources at these URIs."""

    # Bindings and applicability

    @abstractmethod
    def binding(self, binding_key: str) -> BindingRow | None:
        """Return the binding of a key."""

    @abstractmethod
    def insert_binding(self, row: BindingRow) -> None:
        """Insert a binding; no change when the key is bound already."""

    @abstractmethod
    def replace_binding(self, row: BindingRow) -> None:
        """Write a binding, whatever the key was bound to before."""

    @abstractmethod
    def bindings_of(self, artifact_id: str) -> list[BindingRow]:
        """Return every key that is bound to an Artifact, oldest binding first."""

    @abstractmethod
    def clones_of(self, artifact_id: str) -> list[CloneRow]:
        """Return the known clones of an Artifact, oldest first."""

    @abstractmethod
    def clones_at(self, machine: str, place: str) -> list[CloneRow]:
        """Return every Artifact that one clone is known for, oldest first."""

    @abstractmethod
    def insert_clone(self, row: CloneRow) -> None:
        """Insert a known clone; no change when it is known already."""

    @abstractmethod
    def delete_clones(self, artifact_id: str, place: str) -> int:
        """Delete the known clones of an Artifact at a place, on whichever machine; return how many there were."""

    @abstractmethod
    def applicability(self, artifact_id: str) -> Iterator[ApplicabilityRow]:
        """Yield the stored applicability of a Memory's entries."""

    @abstractmethod
    def put_applicability(self, rows: Sequence[ApplicabilityRow]) -> None:
        """Write applicability, replacing what is there for the same entry and origin."""
