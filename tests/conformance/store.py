"""Databases under test. Each backend is one subclass of Store; the tests know no more of it than this file says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import apsw

from memlens.core.clock import utc_now
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.core.sources import Source, make_source
from memlens.memory.candidates import CandidatePipeline
from memlens.memory.models import Memory, MemoryEntryInput, MemoryEntryVersion
from memlens.memory.ports import EmbeddingProfile
from memlens.memory.service import MemoryService
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.sqlite.backend import SQLiteMemoryBackend
from memlens.storage.verification import Report, verify_database

PROFILE = EmbeddingProfile("test", "no-model", 4, "l2", "unit")


class Store(ABC):
    """One database with a backend and a service over it, and the short cuts that keep tests readable."""

    backend: DatabaseMemoryBackend
    service: MemoryService

    def __init__(self) -> None:
        self.open()

    def open(self) -> None:
        """Open the database, as a process that starts would."""
        self.backend = self.make_backend()
        self.service = MemoryService(self.backend)

    async def close(self) -> None:
        await self.backend.close()

    async def reopen(self) -> None:
        """Close and open, so that nothing that a process kept in memory is left."""
        await self.close()
        self.open()

    @abstractmethod
    def make_backend(self) -> DatabaseMemoryBackend:
        """Return another backend over the same database."""

    @abstractmethod
    def tamper(self, sql: str, *values: Any) -> int:
        """Change rows behind the backend's back, constraints off; return how many.

        Tables and columns have the same names in every backend (spec 1.10).
        """

    @abstractmethod
    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return rows as they are stored."""

    async def verify(self) -> Report:
        return await self.backend.read(verify_database)

    async def problems(self) -> set[str]:
        return {problem.code for problem in (await self.verify()).problems}

    def with_pipeline(self, pipeline: CandidatePipeline) -> MemoryService:
        return MemoryService(self.backend, pipeline)

    async def note(self, text: str = "Said so.") -> Source:
        """Store what a user said, and return it as evidence."""
        source = make_source("UserNoteSource", "note:test", {"text": text}, utc_now())
        await self.backend.store_sources([source])
        return source

    async def note_refs(self, count: int) -> list[SourceRef]:
        """Store several notes, and return their references in the order in which entries hold them."""
        return sorted([(await self.note(str(number))).ref for number in range(count)])

    async def add(self, memory: Memory | None, *texts: str, kind: str = "fact", **options: Any) -> Memory:
        """Add one entry a text, without evidence."""
        entries = [MemoryEntryInput(kind, text) for text in texts]
        updated = await self.service.remember(memory, entries=entries, **options)
        assert updated is not None
        return updated

    async def revise(self, memory: Memory, entry: MemoryEntryVersion, text: str, **options: Any) -> Memory:
        """Give an entry another text."""
        given = MemoryEntryInput(entry.kind, text, entry=entry, **options)
        updated = await self.service.remember(memory, entries=[given])
        assert updated is not None
        return updated

    async def entry(self, memory: Memory, text: str) -> MemoryEntryVersion:
        """Return the entry of a Revision, active or not, whose text holds ``text``."""
        entries = await self.service.entries(memory, [line.entry_id for line in memory.manifest])
        (found,) = [entry for entry in entries if text in entry.text]
        return found

    async def texts(self, memory: Memory) -> list[str]:
        """Return the texts of the active entries, sorted."""
        return sorted(entry.text for entry in await self.service.entries(memory))

    async def hits(self, query: str, *memories: Memory, limit: int = 8) -> list[str]:
        """Return the texts that a search finds, best first."""
        return [hit.text for hit in (await self.service.search(query, memories, limit=limit)).hits]


class SQLiteStore(Store):
    """A SQLite file in a directory of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.db"
        super().__init__()

    def make_backend(self) -> DatabaseMemoryBackend:
        return SQLiteMemoryBackend(self.path, PROFILE)

    def tamper(self, sql: str, *values: Any) -> int:
        connection = apsw.Connection(str(self.path))
        try:
            connection.execute(sql, values)
            return connection.changes()
        finally:
            connection.close()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return list(connection.execute(sql, values))
        finally:
            connection.close()


Forged = TypeVar("Forged")

BACKENDS = {"sqlite": SQLiteStore}
"""Every backend that must pass the suite, by the name of its parameter."""


def forged(entry: Forged, **changes: Any) -> Forged:
    """Return what a careless or hostile caller might make of an entry, a Memory or a citation."""
    return replace(entry, **changes)  # type: ignore[type-var]


def ops(changes: Sequence[Any]) -> list[tuple[str, str | None]]:
    """Return operation and reason of each change, sorted: what a reader looks at first."""
    return sorted((change.op, change.reason) for change in changes)


def elsewhere(ref: ArtifactRef, revision: int) -> ArtifactRef:
    """Return the reference of another Revision of the same Memory."""
    return replace(ref, revision=revision)
