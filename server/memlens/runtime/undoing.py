"""Undo: the last change of a memory, whichever process made it, if the same person made it (spec 2.2)."""

from __future__ import annotations

from memlens.core.errors import CannotUndoError
from memlens.memory.models import Memory
from memlens.memory.service import AppliesTo, MemoryService
from memlens.runtime.bound import BoundMemory


async def undo_last(
    memory: BoundMemory, service: MemoryService, actor: str, applies: AppliesTo
) -> tuple[Memory, Memory]:
    """Take back what the head changed; returns that Revision and the one that takes it back.

    Raises CannotUndoError when nothing is remembered yet, or when the head was made by somebody else.
    """

    first = await memory.head()

    async def operation(head: Memory) -> Memory:
        if first is None or head.ref != first.ref:
            raise CannotUndoError(
                f"Revision {head.ref.revision} was made meanwhile, and it is not what was to be undone: look at "
                "`memlens changes`, then undo again."
            )
        if head.actor != actor:
            raise CannotUndoError(
                f"The last change (Revision {head.ref.revision}) was made by {head.actor or 'somebody unnamed'} "
                f"at {head.created_at}, not by {actor}: forget, reactivate or restore the entry itself."
            )
        return await service.undo(head, applies=applies, actor=actor)

    changed = await memory.change_head(operation)
    if changed is None:
        raise CannotUndoError("Nothing is remembered in this memory yet, so there is nothing to undo.")
    return changed
