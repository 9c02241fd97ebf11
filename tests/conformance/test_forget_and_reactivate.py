"""forget() and reactivate(): state changes only, both idempotent, history untouched (spec 1.4)."""

from __future__ import annotations

import pytest

from conformance.store import Store, forged, ops
from memlens.core.errors import (
    ForeignEntryError,
    InvalidInputError,
    InvalidTextError,
    StaleEntryError,
    UnknownEntryError,
)


async def test_a_forgotten_entry_is_inactive_and_no_longer_found_or_listed(store: Store) -> None:
    memory = await store.add(None, "walnut", "almond")
    walnut = await store.entry(memory, "walnut")

    forgotten = await store.service.forget(memory, [walnut], "user_requested")

    assert forgotten.ref.revision == 2
    line = forgotten.manifest.get(walnut.entry_id)
    assert line is not None
    assert (line.state, line.entry_version_id) == ("inactive", walnut.entry_version_id)
    assert await store.texts(forgotten) == ["almond"]
    assert await store.hits("walnut", forgotten) == []
    assert await store.service.entries(forgotten, [walnut.entry_id]) == (walnut,)
    (change,) = forgotten.content.changes
    assert (change.op, change.from_entry_version_id, change.to_entry_version_id, change.reason) == (
        ("deactivate", walnut.entry_version_id, None, "user_requested")
    )


async def test_a_reactivated_entry_has_the_same_version_and_hash_and_is_found_again(store: Store) -> None:
    memory = await store.add(None, "walnut", "almond")
    walnut = await store.entry(memory, "walnut")
    forgotten = await store.service.forget(memory, [walnut])

    restored = await store.service.reactivate(forgotten, [walnut], "user_restored")

    assert restored.manifest == memory.manifest
    assert await store.entry(restored, "walnut") == walnut
    assert await store.hits("walnut", restored) == ["walnut"]
    (change,) = restored.content.changes
    assert (change.op, change.from_entry_version_id, change.to_entry_version_id, change.reason) == (
        ("reactivate", None, walnut.entry_version_id, "user_restored")
    )
    assert store.rows("SELECT count(*) FROM memory_entry_versions") == [(2,)]


async def test_forgetting_what_is_forgotten_and_reactivating_what_is_active_is_no_change(store: Store) -> None:
    memory = await store.add(None, "walnut")
    walnut = await store.entry(memory, "walnut")
    assert await store.service.reactivate(memory, [walnut]) == memory

    forgotten = await store.service.forget(memory, [walnut])
    assert await store.service.forget(forgotten, [walnut], "again") == forgotten

    restored = await store.service.reactivate(forgotten, [walnut])
    assert await store.service.reactivate(restored, [walnut]) == restored
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(3,)]


async def test_of_a_mixed_batch_only_the_entries_whose_state_changes_are_recorded(store: Store) -> None:
    memory = await store.add(None, "one", "two", "three")
    one, two, three = [await store.entry(memory, text) for text in ("one", "two", "three")]
    memory = await store.service.forget(memory, [one])

    memory = await store.service.forget(memory, [one, two, three, two])
    assert ops(memory.content.changes) == [("deactivate", None)] * 2

    memory = await store.service.reactivate(memory, [one, two])
    memory = await store.service.reactivate(memory, [one, three])
    assert [change.entry_id for change in memory.content.changes] == [three.entry_id]


@pytest.mark.parametrize("operation", ["forget", "reactivate"])
async def test_stale_foreign_and_unknown_entry_objects_are_refused(store: Store, operation: str) -> None:
    memory, other = await store.add(None, "text"), await store.add(None, "other")
    stale, foreign = await store.entry(memory, "text"), await store.entry(other, "other")
    memory = await store.revise(memory, stale, "newer")
    current = await store.entry(memory, "newer")
    if operation == "reactivate":
        memory = await store.service.forget(memory, [current])
    act = getattr(store.service, operation)

    for wrong, error in [
        (stale, StaleEntryError),
        (foreign, ForeignEntryError),
        (forged(current, entry_id="mem_ent_none"), UnknownEntryError),
        (forged(current, entry_content_hash="0" * 64), StaleEntryError),
    ]:
        with pytest.raises(error):
            await act(memory, [current, wrong])
    assert await store.service.head(memory.ref.artifact_id) == memory


@pytest.mark.parametrize("operation", ["forget", "reactivate"])
async def test_without_an_entry_there_is_nothing_to_do(store: Store, operation: str) -> None:
    memory = await store.add(None, "text")
    with pytest.raises(InvalidInputError):
        await getattr(store.service, operation)(memory, [])


async def test_reasons_are_normalised_and_bounded(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")
    with pytest.raises(InvalidTextError):
        await store.service.forget(memory, [entry], "x" * 513)
    memory = await store.service.forget(memory, [entry], "  cafe\u0301 ")
    with pytest.raises(InvalidTextError):
        await store.service.reactivate(memory, [entry], "\0")

    assert ops(memory.content.changes) == [("deactivate", "café")]


async def test_a_tampered_copy_restores_the_stored_body_and_nothing_else(store: Store) -> None:
    memory = await store.add(None, "walnut")
    walnut = await store.entry(memory, "walnut")
    memory = await store.service.forget(memory, [walnut])

    memory = await store.service.reactivate(memory, [forged(walnut, text="pistachio")])

    assert await store.hits("walnut", memory) == ["walnut"]
    assert await store.hits("pistachio", memory) == []


async def test_everything_may_be_forgotten_and_the_memory_stays(store: Store) -> None:
    memory = await store.add(None, "one", "two")
    memory = await store.service.forget(memory, await store.service.entries(memory))

    assert await store.texts(memory) == []
    assert len(memory.manifest) == 2
    assert await store.texts(await store.add(memory, "three")) == ["three"]
