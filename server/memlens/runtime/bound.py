"""The memory that one binding leads to, and writing to it whoever else writes (spec 1.5, 2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from memlens.core.errors import UnknownEntryError
from memlens.memory.models import Memory, MemoryEntryVersion
from memlens.memory.service import MemoryService
from memlens.runtime.binding import Binding
from memlens.runtime.retry import redo_on_conflict


class BoundMemory:
    """One Memory, found by its binding. It exists from the first entry on; before that at most its key does."""

    def __init__(self, binding: Binding, service: MemoryService, queue: asyncio.Lock) -> None:
        """Follow ``binding``; ``queue`` orders the writes of this process."""
        self._binding = binding
        self._service = service
        self._queue = queue

    async def artifact_id(self) -> str | None:
        """Return the Artifact that may be read, reserved or real, or None."""
        return await self._binding.artifact_id()

    async def head(self) -> Memory | None:
        """Return the current Revision, or None while there is no Memory."""
        artifact_id = await self.artifact_id()
        return await self._service.head(artifact_id) if artifact_id else None

    async def grow(self, operation: Callable[[Memory | None, str], Awaitable[Memory | None]]) -> Memory | None:
        """Run an operation that may create the Memory: it gets the head, if any, and the reserved Artifact ID.

        It is redone on the new head after a conflict. Raises UnconfirmedCloneError.
        """

        async def once() -> Memory | None:
            artifact_id = await self._binding.reserve()
            return await operation(await self._service.head(artifact_id), artifact_id)

        async with self._queue:
            return await redo_on_conflict(once)

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
