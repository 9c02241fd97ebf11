"""Measures powercontext in process on SQLite: ``python peer_powercontext.py SIZE`` prints one run's figures as JSON.

It runs in an interpreter of the peer's own. Two generations are known, and told apart by what is installed: 1.2.x
keeps one manifest of all entries, from 1.3.0 every memory is an Artifact of its own.
"""

from __future__ import annotations

import importlib.util
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import corpus
import harness

LIST_PAGE = 100


class Peer:
    """What both generations share: the file, and the context manager that holds it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: Any = None

    async def close(self) -> None:
        await self.opened.__aexit__(None, None, None)

    def checkpoint(self) -> None:
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class ManifestPeer(Peer):
    """Up to 1.2.x: the whole manifest is one Artifact Revision."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.config = _config(path)
        # Its default budget ends at 5,000 entries.
        lifted = {"memory_max_active_entries": 100_000, "memory_max_manifest_entries": 100_000}
        runtime = self.config.runtime.model_copy(update=lifted | {"memory_max_manifest_bytes": 64 << 20})
        self.config = self.config.model_copy(update={"runtime": runtime})
        self.service: Any = None
        self.head: Any = None

    async def open(self) -> None:
        from powercontext.builtin.runtime import open_builtin_contexts

        self.opened = open_builtin_contexts(self.config)
        contexts = await self.opened.__aenter__()
        self.service = (await contexts.get("bench")).artifacts.memory

    async def add(self, items: list[corpus.Item]) -> None:
        from powercontext.builtin.artifacts.memory import MemoryEntryInput

        entries = tuple(MemoryEntryInput(kind=kind, text=text) for kind, text in items)
        self.head = await self.service.remember(memory=self.head, mode="append", entries=entries)

    async def search(self, query: str) -> int:
        found = await self.service.search(query, memories=(self.head,), limit=harness.SEARCH_LIMIT, mode="fts")
        return len(found.hits)

    async def list_all(self) -> int:
        return len(await self.service.entries(self.head))

    async def forgettable(self, count: int) -> list[Any]:
        return list(await self.service.entries(self.head))[:count]

    async def forget(self, entry: Any) -> None:
        self.head = await self.service.forget(self.head, entries=(entry,), reason="bench")


class AtomicPeer(Peer):
    """From 1.3.0: every memory is an Artifact of its own."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.config = _config(path)
        self.scope_id: str | None = None
        self.memories: Any = None
        self.last: list[Any] = []

    async def open(self) -> None:
        from powercontext.builtin.runtime import open_builtin_runtime

        self.opened = open_builtin_runtime(self.config, scheduler_path=f"{self.path}.scheduler.db")
        runtime = await self.opened.__aenter__()
        # Looked up once: it is no part of what the peer does at each opening.
        self.scope_id = self.scope_id or self._default_scope()
        self.memories = runtime.atomic_memory.for_scope(self.scope_id)

    async def add(self, items: list[corpus.Item]) -> None:
        from powercontext.builtin.artifacts.atomic_memory import AtomicMemoryContent

        contents = tuple(AtomicMemoryContent(kind=kind, text=text) for kind, text in items)
        self.last = list((await self.memories.create(contents)).records)

    async def search(self, query: str) -> int:
        return len((await self.memories.search(query, mode="text", limit=harness.SEARCH_LIMIT)).hits)

    async def list_all(self) -> int:
        seen, cursor = 0, None
        while True:
            page = await self.memories.list(limit=LIST_PAGE, cursor=cursor)
            seen += len(page.items)
            cursor = page.next_cursor
            if cursor is None:
                return seen

    async def forgettable(self, count: int) -> list[Any]:
        return self.last[:count]

    async def forget(self, entry: Any) -> None:
        await self.memories.forget(
            entry.ref.artifact_id,
            expected_revision=entry.ref.revision,
            expected_state_version=entry.state.state_version,
        )

    def _default_scope(self) -> str:
        with closing(sqlite3.connect(self.path)) as connection:
            return str(connection.execute("SELECT scope_id FROM pc_scopes LIMIT 1").fetchone()[0])


def _config(path: Path) -> Any:
    from powercontext.builtin.persistence.sqlite import SQLiteConfig
    from powercontext.builtin.runtime import BuiltinConfig

    return BuiltinConfig(database=SQLiteConfig(url=f"sqlite+aiosqlite:///{path}"))


def _has_manifests() -> bool:
    try:
        return importlib.util.find_spec("powercontext.builtin.artifacts.memory.service") is not None
    except ModuleNotFoundError:
        return False


if __name__ == "__main__":
    harness.main(ManifestPeer if _has_manifests() else AtomicPeer)
