"""Measures MemLens: ``python memory_bench.py SIZE`` prints the figures of one run as JSON."""

from __future__ import annotations

from pathlib import Path

import apsw
import corpus
import harness

from memlens.memory.models import Memory, MemoryEntryInput, MemoryEntryVersion
from memlens.memory.ports import EmbeddingProfile
from memlens.memory.service import MemoryService
from memlens.storage.sqlite.backend import SQLiteMemoryBackend

PROFILE = EmbeddingProfile("p", "m", 512, "l2", "unit")
ARTIFACT_ID = "mem_art_benchmark"


class MemLens:
    """MemoryService on a SQLite file, as the language server holds it; open means that the head is decoded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.backend: SQLiteMemoryBackend
        self.service: MemoryService
        self.memory: Memory | None = None

    async def open(self) -> None:
        self.backend = SQLiteMemoryBackend(self.path, PROFILE)
        self.service = MemoryService(self.backend)
        self.memory = await self.service.head(ARTIFACT_ID)

    async def close(self) -> None:
        await self.backend.close()

    async def add(self, items: list[corpus.Item]) -> None:
        entries = [MemoryEntryInput(kind, text) for kind, text in items]
        reserved = None if self.memory else ARTIFACT_ID
        self.memory = await self.service.remember(self.memory, entries=entries, artifact_id=reserved)

    async def search(self, query: str) -> int:
        found = await self.service.search(query, [self.head], limit=harness.SEARCH_LIMIT, mode="fts")
        return len(found.hits)

    async def list_all(self) -> int:
        return len(await self.service.entries(self.head))

    async def forgettable(self, count: int) -> list[MemoryEntryVersion]:
        return list(await self.service.entries(self.head))[:count]

    async def forget(self, entry: MemoryEntryVersion) -> None:
        self.memory = await self.service.forget(self.head, [entry], "bench")

    def checkpoint(self) -> None:
        # The standard sqlite3 would be a second SQLite in this process: closing its file drops APSW's locks.
        connection = apsw.Connection(str(self.path))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()

    @property
    def head(self) -> Memory:
        """The Revision to work on; there is one after the first commit."""
        assert self.memory is not None
        return self.memory


if __name__ == "__main__":
    harness.main(MemLens)
