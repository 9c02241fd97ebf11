"""undo(): what the head changed is taken back, as one Revision; an undo is undone the same way (spec 2.2)."""

from __future__ import annotations

import pytest

from conformance.imported import add_as_it_is
from conformance.store import Store, ops
from memlens.core.errors import RevisionConflictError
from memlens.memory.models import MemoryEntryInput


async def test_each_operation_is_taken_back_by_its_opposite(store: Store) -> None:
    memory = await store.add(None, "one")
    added = await store.service.undo(memory, actor="Ada")
    assert (ops(added.content.changes), added.actor) == ([("deactivate", "undo")], "Ada")

    memory = await store.service.undo(added)
    assert ops(memory.content.changes) == [("reactivate", "undo")]
    assert await store.texts(memory) == ["one"]

    entry = await store.entry(memory, "one")
    memory = await store.service.forget(memory, [entry])
    memory = await store.service.undo(memory)
    assert ops(memory.content.changes) == [("reactivate", "undo")]

    memory = await store.revise(memory, entry, "two")
    memory = await store.service.undo(memory)
    assert ops(memory.content.changes) == [("revise", "undo")]
    assert await store.texts(memory) == ["one"]
    memory = await store.service.restore(memory, await store.entry(memory, "one"), 2)
    memory = await store.service.undo(memory)
    assert await store.texts(memory) == ["one"]
    assert (await store.verify()).ok


async def test_undoing_an_undo_redoes(store: Store) -> None:
    memory = await store.add(None, "one")
    memory = await store.revise(memory, await store.entry(memory, "one"), "two")

    seen = []
    for _ in range(4):
        memory = await store.service.undo(memory)
        seen += await store.texts(memory)

    assert seen == ["one", "two", "one", "two"]


async def test_a_batch_is_undone_as_a_batch(store: Store) -> None:
    memory = await store.add(None, "kept", "old")
    before = await store.texts(memory)
    batch = [
        MemoryEntryInput("fact", "new", entry=await store.entry(memory, "old")),
        MemoryEntryInput("fact", "one"),
        MemoryEntryInput("fact", "two"),
    ]
    changed = await store.service.remember(memory, entries=batch)
    assert changed is not None

    undone = await store.service.undo(changed)
    redone = await store.service.undo(undone)

    assert undone.ref.revision == changed.ref.revision + 1
    assert ops(undone.content.changes) == [("deactivate", "undo"), ("deactivate", "undo"), ("revise", "undo")]
    assert await store.texts(undone) == before
    assert await store.texts(redone) == await store.texts(changed)


async def test_organizing_is_undone_but_for_the_order_of_references(store: Store) -> None:
    memory = await store.add(None, "a", "b")
    memory = await store.revise(memory, await store.entry(memory, "b"), "a")
    one, two = await store.note_refs(2)
    memory = await add_as_it_is(store, memory, "unsorted", sources=[two, one])
    organized = await store.service.organize(memory)
    assert ops(organized.content.changes) == [("deactivate", "dedupe"), ("revise", "normalize")]

    undone = await store.service.undo(organized)

    assert ops(undone.content.changes) == [("reactivate", "undo")]
    assert await store.texts(undone) == ["a", "a", "unsorted"]


async def test_evidence_alone_is_not_taken_back(store: Store) -> None:
    memory, note = await store.add(None, "one"), await store.note()
    supported = await store.service.remember(
        memory, sources=[note], entries=[MemoryEntryInput("fact", "one", sources=(note,))]
    )
    assert supported is not None

    assert await store.service.undo(supported) == supported


async def test_a_stale_revision_is_a_conflict(store: Store) -> None:
    stale = await store.add(None, "one")
    await store.add(stale, "two")
    with pytest.raises(RevisionConflictError):
        await store.service.undo(stale)
