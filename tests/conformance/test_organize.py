"""organize(): exact duplicates, then references in normal form; nothing by meaning (spec 1.4)."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.imported import add_as_it_is
from conformance.store import Store, ops
from memlens.core.errors import InvalidInputError, RevisionConflictError
from memlens.memory.models import Memory, MemoryEntryInput


async def twins(store: Store, *, count: int = 3) -> Memory:
    """Return a Memory with entries that were revised until they said the same, and one bystander."""
    memory = await store.add(None, "bystander", *(f"wording {number}" for number in range(count)))
    for number in range(count):
        memory = await store.revise(memory, await store.entry(memory, f"wording {number}"), "the same")
    return memory


async def test_of_equal_active_entries_the_smallest_id_stays_and_the_rest_are_deactivated(store: Store) -> None:
    memory = await twins(store)
    same = sorted(e.entry_id for e in await store.service.entries(memory) if e.text == "the same")

    organized = await store.service.organize(memory, actor="Ada")

    assert organized.ref.revision == memory.ref.revision + 1
    assert organized.actor == "Ada"
    assert ops(organized.content.changes) == [("deactivate", "dedupe")] * 2
    assert [change.entry_id for change in organized.content.changes] == same[1:]
    assert await store.texts(organized) == ["bystander", "the same"]
    assert await store.hits("same", organized) == ["the same"]
    assert (await store.verify()).ok


async def test_entries_that_differ_in_kind_or_evidence_are_no_duplicates(store: Store) -> None:
    note = await store.note()
    memory = await store.add(None, "a", "b", "c")
    memory = await store.revise(memory, await store.entry(memory, "a"), "same")
    b, c = await store.entry(memory, "b"), await store.entry(memory, "c")
    changed = [MemoryEntryInput("decision", "same", b), MemoryEntryInput("fact", "same", c, sources=(note,))]
    supported = await store.service.remember(memory, sources=[note], entries=changed)
    assert supported is not None

    assert await store.service.organize(supported) == supported
    assert await store.texts(supported) == ["same", "same", "same"]


async def test_an_inactive_twin_neither_counts_nor_changes(store: Store) -> None:
    memory = await twins(store, count=2)
    first, second = [e for e in await store.service.entries(memory) if e.text == "the same"]
    memory = await store.service.forget(memory, [first])

    assert await store.service.organize(memory) == memory
    assert await store.service.entries(memory, [second.entry_id]) == (second,)


async def test_references_come_into_normal_form_as_a_new_version(store: Store) -> None:
    notes = await store.note_refs(3)
    base = await store.add(None, "other")
    memory = await add_as_it_is(
        store, base, "unsorted", sources=[notes[2], notes[0], notes[2]], artifacts=[base.ref, base.ref]
    )
    before = await store.entry(memory, "unsorted")

    organized = await store.service.organize(memory)

    after = await store.entry(organized, "unsorted")
    assert ops(organized.content.changes) == [("revise", "normalize")]
    assert (after.version, after.previous_version_id) == (2, before.entry_version_id)
    assert (after.sources, after.artifacts) == ((notes[0], notes[2]), (base.ref,))
    assert (after.kind, after.text) == (before.kind, before.text)
    assert await store.service.organize(organized) == organized
    assert (await store.verify()).ok


async def test_the_steps_can_be_run_one_by_one(store: Store) -> None:
    first, second = await store.note_refs(2)
    memory = await add_as_it_is(store, await twins(store, count=2), "unsorted", sources=[second, first])

    deduped = await store.service.organize(memory, "dedupe")
    normalized = await store.service.organize(memory := deduped, "normalize")

    assert ops(deduped.content.changes) == [("deactivate", "dedupe")]
    assert ops(normalized.content.changes) == [("revise", "normalize")]
    assert await store.service.organize(normalized, "default") == normalized


async def test_both_steps_are_one_revision_and_what_goes_is_not_normalized_first(store: Store) -> None:
    first, second = await store.note_refs(2)
    memory = await store.add(None, "other")
    for entry_id in ("mem_ent_b", "mem_ent_a"):
        memory = await add_as_it_is(store, memory, "unsorted", sources=[second, first], entry_id=entry_id)

    organized = await store.service.organize(memory)

    assert [(c.entry_id, c.op, c.reason) for c in organized.content.changes] == [
        ("mem_ent_a", "revise", "normalize"),
        ("mem_ent_b", "deactivate", "dedupe"),
    ]


async def test_with_nothing_to_do_the_revision_is_the_same(store: Store) -> None:
    memory = await store.add(None, "one", "two")
    for steps in ("default", "dedupe", "normalize"):
        assert await store.service.organize(memory, steps) == memory  # type: ignore[arg-type]
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(1,)]


async def test_a_stale_revision_is_a_conflict_also_with_nothing_to_do(store: Store) -> None:
    stale = await store.add(None, "one")
    await store.add(stale, "two")
    with pytest.raises(RevisionConflictError):
        await store.service.organize(stale)


@pytest.mark.parametrize("steps", ["", "merge", "all", None])
async def test_unknown_steps_are_refused(store: Store, steps: Any) -> None:
    with pytest.raises(InvalidInputError, match="default, dedupe and normalize"):
        await store.service.organize(await store.add(None, "one"), steps)


async def test_equal_hashes_are_not_enough_the_bytes_are_compared(store: Store) -> None:
    """A body altered together with nothing else is found out before it can count as a duplicate."""
    memory = await twins(store, count=2)
    store.tamper("UPDATE memory_entry_versions SET text = 'something else' WHERE text = 'the same' AND rowid IN "
                 "(SELECT max(rowid) FROM memory_entry_versions WHERE text = 'the same')")  # fmt: skip
    with pytest.raises(Exception, match="altered"):
        await store.service.organize(memory)
    assert await store.service.head(memory.ref.artifact_id) == memory
