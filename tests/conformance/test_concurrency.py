"""Optimistic head CAS: the service never merges and never retries (spec 1.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from conformance.store import Store, elsewhere
from memlens.core.errors import ArtifactNotFoundError, MemLensError, RevisionConflictError, StorageError
from memlens.core.ids import new_artifact_id
from memlens.core.refs import ArtifactRef
from memlens.memory.models import Memory, MemoryContent, MemoryEntryInput, MemoryEntryVersion
from memlens.memory.ports import NewRevision, Projections
from memlens.memory.service import MemoryService

Write = Callable[[MemoryService, Memory, MemoryEntryVersion], Awaitable[Memory | None]]

WRITERS: dict[str, Write] = {
    "remember": lambda service, memory, _: service.remember(memory, entries=[MemoryEntryInput("fact", "more")]),
    "revise": lambda service, memory, entry: service.remember(
        memory, entries=[MemoryEntryInput("fact", "new", entry=entry)]
    ),
    "forget": lambda service, memory, entry: service.forget(memory, [entry]),
    "reactivate": lambda service, memory, entry: service.reactivate(memory, [entry]),
    "restore": lambda service, memory, entry: service.restore(memory, entry, 1),
    "organize": lambda service, memory, _: service.organize(memory),
    "undo": lambda service, memory, _: service.undo(memory),
}


@pytest.mark.parametrize("writer", WRITERS)
async def test_a_write_on_a_stale_revision_is_a_conflict_and_changes_nothing(store: Store, writer: str) -> None:
    stale = await store.add(None, "text")
    entry = await store.entry(stale, "text")
    head = await store.add(stale, "moved on")

    with pytest.raises(RevisionConflictError, match="read it and redo"):
        await WRITERS[writer](store.service, stale, entry)

    assert await store.service.head(stale.ref.artifact_id) == head


async def test_replaying_on_the_current_head_is_no_change_and_on_a_stale_one_a_conflict(store: Store) -> None:
    first = await store.add(None, "one")
    second = await store.add(first, "two")

    assert await store.add(second, "two") == second
    with pytest.raises(RevisionConflictError):
        await store.add(first, "two")


async def test_a_memory_that_is_not_there_and_a_revision_from_the_future_are_refused(store: Store) -> None:
    memory = await store.add(None, "text")
    nowhere = Memory(ArtifactRef("mem_art_nowhere", 1), memory.content)
    future = Memory(elsewhere(memory.ref, 9), memory.content)

    with pytest.raises(ArtifactNotFoundError):
        await store.add(nowhere, "more")
    with pytest.raises(RevisionConflictError):
        await store.add(future, "more")


async def test_of_two_writers_on_one_head_exactly_one_wins(store: Store) -> None:
    memory = await store.add(None, "base")
    peer = MemoryService(store.make_backend())

    outcomes = await asyncio.gather(
        store.add(memory, "mine"),
        peer.remember(memory, entries=[MemoryEntryInput("fact", "theirs")]),
        return_exceptions=True,
    )

    won = [outcome for outcome in outcomes if isinstance(outcome, Memory)]
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, Memory)] == [RevisionConflictError]
    assert await store.service.head(memory.ref.artifact_id) == won[0]
    await peer._backend.close()  # type: ignore[attr-defined]


async def test_a_head_that_moves_between_reading_and_committing_is_a_conflict(store: Store) -> None:
    """The transaction checks again what the service checked before it."""
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")
    line = memory.manifest.get(entry.entry_id)
    assert line is not None
    await store.add(memory, "moved on")

    with pytest.raises(RevisionConflictError):
        async with store.backend.begin() as unit:
            content = MemoryContent(memory.manifest, memory.content.changes)
            await unit.commit(
                NewRevision(elsewhere(memory.ref, 2), memory.lineage, ""), memory, content, [], Projections()
            )


@pytest.mark.parametrize("step", ["insert_revision", "advance_head"])
async def test_a_writer_whose_view_of_the_head_was_stale_is_stopped_by_the_compare_and_set(
    store: Store, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Where a transaction may read an older state than it writes to, these two statements decide."""
    memory = await store.add(None, "text")
    session = store.backend.connect()
    session.close()

    with monkeypatch.context() as patch:
        patch.setattr(type(session), step, lambda *_: False)
        with pytest.raises(RevisionConflictError):
            await store.add(memory, "too late")

    assert await store.service.head(memory.ref.artifact_id) == memory
    assert (await store.verify()).ok


async def test_a_base_whose_content_is_not_the_stored_one_is_a_conflict(store: Store) -> None:
    memory = await store.add(None, "text")
    invented = Memory(memory.ref, MemoryContent(memory.manifest, ()))

    with pytest.raises(RevisionConflictError):
        async with store.backend.begin() as unit:
            await unit.commit(
                NewRevision(elsewhere(memory.ref, 2), memory.lineage, ""), invented, memory.content, [], Projections()
            )


async def test_two_creators_of_one_reserved_memory_leave_one_memory_and_no_orphan(store: Store) -> None:
    reserved = new_artifact_id()
    peer = MemoryService(store.make_backend())

    outcomes = await asyncio.gather(
        store.add(None, "mine", artifact_id=reserved),
        peer.remember(None, artifact_id=reserved, entries=[MemoryEntryInput("fact", "theirs")]),
        return_exceptions=True,
    )

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Memory", "RevisionConflictError"]
    head = await store.service.head(reserved)
    assert head is not None
    redone = [text for text in ("mine", "theirs") if text not in await store.texts(head)]
    assert await store.texts(await store.add(head, *redone)) == ["mine", "theirs"]
    assert store.rows("SELECT DISTINCT artifact_id FROM artifact_revisions") == [(reserved,)]
    assert (await store.verify()).ok
    await peer._backend.close()  # type: ignore[attr-defined]


async def test_a_reserved_identifier_without_a_revision_has_no_head(store: Store) -> None:
    assert await store.service.head(new_artifact_id()) is None


async def test_creating_under_an_identifier_that_has_a_memory_is_a_conflict(store: Store) -> None:
    memory = await store.add(None, "text")

    with pytest.raises(RevisionConflictError):
        await store.add(None, "other", artifact_id=memory.ref.artifact_id)


async def test_a_unit_of_work_that_was_rolled_back_or_used_commits_nothing_more(store: Store) -> None:
    memory = await store.add(None, "text")
    arguments = (NewRevision(elsewhere(memory.ref, 2), memory.lineage, ""), memory, memory.content, [], Projections())

    async with store.backend.begin() as unit:
        await unit.rollback()
        with pytest.raises(StorageError, match="commits once"):
            await unit.commit(*arguments)

    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_a_failed_commit_leaves_nothing_and_the_next_one_works(store: Store) -> None:
    memory, note = await store.add(None, "text"), await store.note()
    store.tamper("DELETE FROM sources")
    tables = ("artifact_revisions", "memory_entry_versions", "memory_entry_heads")
    before = [store.rows(f"SELECT count(*) FROM {table}") for table in tables]

    with pytest.raises(MemLensError):
        await store.service.remember(
            memory, sources=[note], entries=[MemoryEntryInput("fact", "more", sources=(note,))]
        )

    assert [store.rows(f"SELECT count(*) FROM {table}") for table in tables] == before
    assert await store.texts(await store.add(memory, "more")) == ["more", "text"]


async def test_another_process_commit_changes_the_token_and_is_seen_at_once(store: Store) -> None:
    memory = await store.add(None, "text")
    peer = store.make_backend()
    token = await store.backend.change_token()
    assert await store.backend.change_token() == token

    updated = await MemoryService(peer).remember(memory, entries=[MemoryEntryInput("fact", "more")])

    assert await store.backend.change_token() != token
    assert await store.service.head(memory.ref.artifact_id) == updated
    await peer.close()
