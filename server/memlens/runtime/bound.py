"""The memory that one binding key stands for, and writing to it whoever else writes (spec 1.5, 2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from memlens.core.errors import UnknownEntryError
from memlens.memory.models import Memory, MemoryEntryVersion
from memlens.memory.service import MemoryService
from memlens.runtime.retry import redo_on_conflict
from memlens.storage.state import StateStore


class BindingKey(Protocol):
    """Finds the key of a binding; ``create`` makes one that is made once and then kept, such as a person's."""

    def __call__(self, *, create: bool) -> str | None:
        """Return the key, or None when there is none yet. Raises HomeError. May touch the disk."""
        ...


class BoundMemory:
    """One Memory, found by its binding. It exists from the first entry on; before that at most its key does."""

    def __init__(
        self, key: BindingKey, service: MemoryService, store: StateStore, queue: asyncio.Lock, actor: str
    ) -> None:
        """Bind ``key``; ``queue`` orders the writes of this process, ``actor`` is the name that history shows."""
        self._key = key
        self._service = service
        self._store = store
        self._queue = queue
        self._actor = actor
        self._artifact_id: str | None = None

    async def artifact_id(self) -> str | None:
        """Return the bound Artifact, reserved or real, or None while nothing was ever written."""
        if self._artifact_id is None:
            key = await asyncio.to_thread(self._key, create=False)
            self._artifact_id = await self._store.bound_artifact(key) if key else None
        return self._artifact_id

    async def head(self) -> Memory | None:
        """Return the current Revision, or None while there is no Memory."""
        artifact_id = await self.artifact_id()
        return await self._service.head(artifact_id) if artifact_id else None

    async def grow(self, operation: Callable[[Memory | None, str], Awaitable[Memory | None]]) -> Memory | None:
        """Run an operation that may create the Memory: it gets the head, if any, and the reserved Artifact ID.

        It is redone on the new head after a conflict.
        """

        async def once() -> Memory | None:
            artifact_id = await self._reserved()
            return await operation(await self._service.head(artifact_id), artifact_id)

        async with self._queue:
            return await redo_on_conflict(once)

    async def _reserved(self) -> str:
        if self._artifact_id is None:
            key = await asyncio.to_thread(self._key, create=True)
            assert key is not None  # noqa: S101  that is what create asks for
            self._artifact_id = await self._store.reserve(key, self._actor)
        return self._artifact_id

    async def change(
        self, entry_ids: Sequence[str], operation: Callable[[Memory, Sequence[MemoryEntryVersion]], Awaitable[Memory]]
    ) -> tuple[Memory, Memory]:
        """Run an operation on entries as they are now; returns the Revisions before and after it.

        It is redone on the new head after a conflict. Raises UnknownEntryError.
        """

        async def on_entries(head: Memory) -> Memory:
            return await operation(head, await self._service.entries(head, entry_ids))

        changed = await self.change_head(on_entries)
        if changed is None:
            raise UnknownEntryError(f"There is no entry {entry_ids[0]}: nothing is remembered here yet.")
        return changed

    async def change_head(self, operation: Callable[[Memory], Awaitable[Memory]]) -> tuple[Memory, Memory] | None:
        """Run an operation on the head, whatever it holds; returns the Revisions before and after it.

        It is redone on the new head after a conflict. Returns None while there is no Memory.
        """

        async def once() -> tuple[Memory, Memory] | None:
            head = await self.head()
            return (head, await operation(head)) if head else None

        async with self._queue:
            return await redo_on_conflict(once)
