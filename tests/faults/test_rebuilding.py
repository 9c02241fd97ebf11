"""Search indexes that lost rows, hold too many, or are damaged: noticed, and rebuilt from Revisions alone (case S4)."""

from __future__ import annotations

import pytest

from conformance.store import SQLiteStore
from memlens.core.errors import CorruptDatabaseError
from memlens.memory.models import Memory
from memlens.storage.rebuilding import DatabaseHealth, Rebuilt, examine_database, rebuild_projections

FTS = "memory_entry_search_fts"

DAMAGE = {
    "half of the index is gone": f"DELETE FROM {FTS} WHERE rowid % 2",
    "all of the index is gone": f"DELETE FROM {FTS}",
    "half of the projection is gone": "DELETE FROM memory_entry_heads WHERE projection_id % 2",
    "all of the projection is gone": "DELETE FROM memory_entry_heads",
    "the projection says something else": "UPDATE memory_entry_heads SET searchable_text = 'poison'",
    "the projection has an old version": "UPDATE memory_entry_heads SET entry_content_hash = 'x'",
    "the index says something else": f"UPDATE {FTS} SET searchable_text = 'poison'",
    "the index has rows of no entry": f"INSERT INTO {FTS} (rowid, searchable_text) VALUES (999, 'walnut')",
    "the blocks of the index are noise": f"UPDATE {FTS}_data SET block = x'0102030405060708' WHERE id > 100",
    "the index has no blocks": f"DELETE FROM {FTS}_data",
}


async def fifty(store: SQLiteStore) -> Memory:
    """Fifty entries, two of them forgotten, one of them revised."""
    memory = await store.add(None, *(f"walnut number n{number}" for number in range(49)), "almond")
    memory = await store.revise(memory, await store.entry(memory, "n7"), "walnut number seven")
    return await store.service.forget(memory, [await store.entry(memory, "n8"), await store.entry(memory, "almond")])


async def health(store: SQLiteStore) -> DatabaseHealth:
    return await store.backend.read(examine_database)


async def rebuild(store: SQLiteStore) -> Rebuilt:
    return await store.backend.write(rebuild_projections)


def is_well(found: DatabaseHealth) -> bool:
    return found == DatabaseHealth((), (), 0, found.projections) and all(each.is_right for each in found.projections)


@pytest.mark.parametrize("damage", DAMAGE)
async def test_it_is_noticed_and_a_rebuild_mends_it(store: SQLiteStore, damage: str) -> None:
    memory = await fifty(store)
    assert is_well(await health(store))
    store.tamper(DAMAGE[damage])
    await store.reopen()

    assert not is_well(await health(store))
    assert not (await store.verify()).ok
    assert await rebuild(store) == Rebuilt(1, 48, ())

    assert is_well(await health(store))
    assert (await store.verify()).ok
    assert len(await store.hits("walnut", memory, limit=100)) == 48
    assert await store.hits("almond poison", memory) == [], "a forgotten entry gives no phantom hit"
    assert await store.service.head(memory.ref.artifact_id) == memory, "no Revision is written"
    memory = await store.add(memory, "hazelnut")
    assert await store.hits("hazelnut", memory) == ["hazelnut"]


async def test_a_rebuild_of_what_is_right_changes_no_row_that_is_an_authority(store: SQLiteStore) -> None:
    await fifty(store)
    tables = ("artifact_revisions", "artifact_heads", "memory_entry_versions", "sources", "bindings")
    before = {table: store.rows(f"SELECT * FROM {table}") for table in tables}
    await rebuild(store)
    assert {table: store.rows(f"SELECT * FROM {table}") for table in tables} == before


async def test_how_many_rows_there_are_is_told_for_each_memory(store: SQLiteStore) -> None:
    one, two = await fifty(store), await store.add(None, "hazelnut")
    store.tamper(f"DELETE FROM {FTS} WHERE rowid <= 10")
    found = {each.artifact_id: each for each in (await health(store)).projections}
    assert (found[one.ref.artifact_id].active, found[one.ref.artifact_id].projected) == (48, 48)
    assert found[one.ref.artifact_id].indexed < 48
    assert not found[one.ref.artifact_id].is_right
    assert (found[two.ref.artifact_id].indexed, found[two.ref.artifact_id].is_right) == (1, True)


async def test_an_entry_with_an_altered_body_is_left_out_of_the_search(store: SQLiteStore) -> None:
    memory = await store.add(None, "walnut", "almond")
    store.tamper("UPDATE memory_entry_versions SET text = 'poison' WHERE text = 'almond'")
    assert (await rebuild(store)).entries == 1
    assert await store.hits("walnut almond poison", memory) == ["walnut"]


async def test_a_memory_whose_head_cannot_be_read_keeps_what_it_had(store: SQLiteStore) -> None:
    broken, whole = await store.add(None, "walnut"), await store.add(None, "almond")
    store.tamper("UPDATE artifact_revisions SET content_hash = 'x' WHERE artifact_id = ?", broken.ref.artifact_id)
    store.tamper(f"DELETE FROM {FTS}")
    await store.reopen()
    assert await rebuild(store) == Rebuilt(1, 1, (broken.ref.artifact_id,))
    assert await store.hits("almond", whole) == ["almond"]
    assert store.rows("SELECT count(*) FROM memory_entry_heads") == [(2,)]
    unreadable = [each for each in (await health(store)).projections if not each.is_readable]
    assert [each.artifact_id for each in unreadable] == [broken.ref.artifact_id]


async def test_searching_a_damaged_index_says_how_to_mend_it(store: SQLiteStore) -> None:
    memory = await fifty(store)
    store.tamper(DAMAGE["the blocks of the index are noise"])
    await store.reopen()
    with pytest.raises(CorruptDatabaseError, match="no memory is lost: `memlens doctor --repair`"):
        await store.hits("walnut", memory)
    assert len(await store.texts(memory)) == 48


async def test_twenty_searches_change_no_row_of_the_index(store: SQLiteStore) -> None:
    memory = await fifty(store)
    before = store.rows(f"SELECT * FROM {FTS}_content")
    for _ in range(20):
        await store.hits("walnut", memory)
    assert store.rows(f"SELECT * FROM {FTS}_content") == before


def broken(_: object, *, quick: bool) -> list[str]:
    return ["Tree 7 page 9: broken"]


async def test_a_damaged_file_is_not_written_to(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await fifty(store)
    session = type(store.backend.connect())
    monkeypatch.setattr(session, "database_problems", broken)
    before = store.rows("SELECT * FROM memory_entry_heads")
    with pytest.raises(CorruptDatabaseError, match=r"Tree 7 page 9.*restore it from a backup"):
        await rebuild(store)
    assert store.rows("SELECT * FROM memory_entry_heads") == before
