"""restore, organize and undo as every surface calls them: one step, across processes and restarts (spec 2.2)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memlens.app import open_runtime
from memlens.core.errors import (
    CannotUndoError,
    InactiveEntryError,
    InvalidInputError,
    UnknownEntryError,
    UnknownVersionError,
)
from memlens.runtime.api import EvidenceInput, Receipt, RememberRequest, ReviseRequest, StatedApplicability
from memlens.runtime.repository import RepositoryMemory
from memlens.runtime.runtime import Runtime


def fact(text: str, **more: object) -> RememberRequest:
    return RememberRequest("fact", text, **more)  # type: ignore[arg-type]


def texts(repository: RepositoryMemory) -> list[str]:
    return sorted(card.text for card in repository.snapshot().cards.values())


@asynccontextmanager
async def process(environ: dict[str, str], root: Path, **more: str) -> AsyncIterator[RepositoryMemory]:
    """A process of its own: opened, used, closed."""
    opened = await open_runtime(environ={**environ, **more}, watch=True)
    try:
        repository = await opened.repository(root)
        await repository.refresh()
        yield repository
    finally:
        await opened.close()


@pytest.fixture
async def repository(runtime: Runtime, root: Path) -> RepositoryMemory:
    return await runtime.repository(root)


async def test_remembering_is_undone_by_forgetting_and_redone_by_reactivating(repository: RepositoryMemory) -> None:
    kept = await repository.remember(fact("one"))

    (undone,) = await repository.undo()
    assert (undone.entry_id, undone.changed, texts(repository)) == (kept.entry_id, True, [])
    (redone,) = await repository.undo()
    assert (redone.entry_version_id, texts(repository)) == (kept.entry_version_id, ["one"])
    assert (await repository.undo(), texts(repository))[1] == []


async def test_forgetting_and_reactivating_are_undone_by_each_other(repository: RepositoryMemory) -> None:
    kept = await repository.remember(fact("one"))
    await repository.forget([kept.entry_id])
    await repository.undo()
    assert texts(repository) == ["one"]

    await repository.forget([kept.entry_id])
    await repository.reactivate([kept.entry_id])
    await repository.undo()
    assert texts(repository) == []


async def test_revising_and_restoring_are_undone_by_restoring_the_version_before(repository: RepositoryMemory) -> None:
    kept = await repository.remember(fact("one"))
    await repository.revise(ReviseRequest(kept.entry_id, "two"))
    (undone,) = await repository.undo()
    assert texts(repository) == ["one"]
    assert undone.entry_version_id != kept.entry_version_id, "history stays: it is a new version"

    await repository.restore(kept.entry_id, 2)
    assert texts(repository) == ["two"]
    await repository.undo()
    assert texts(repository) == ["one"]
    history = await repository.history(kept.entry_id)
    assert [(step["op"], step["reason"], step["text"]) for step in history] == [
        ("add", None, "one"),
        ("revise", None, "two"),
        ("revise", "undo", "one"),
        ("revise", None, "two"),
        ("revise", "undo", "one"),
    ]


async def test_a_batch_is_undone_as_a_batch_in_one_revision(repository: RepositoryMemory) -> None:
    await repository.remember(fact("before"))
    batch = await repository.remember_all([fact("one"), fact("two"), fact("three")])

    undone = await repository.undo()

    assert {receipt.entry_id for receipt in undone} == {receipt.entry_id for receipt in batch}
    assert {receipt.memory_ref.revision for receipt in undone} == {3}
    assert texts(repository) == ["before"]


async def test_undo_works_across_processes_and_restarts(environ: dict[str, str], root: Path) -> None:
    async with process(environ, root) as repository:
        await repository.remember(fact("one"))
    async with process(environ, root) as repository:
        await repository.undo()
        assert texts(repository) == []
    async with process(environ, root) as repository:
        await repository.undo()
        assert texts(repository) == ["one"]


async def test_what_somebody_else_did_last_is_not_undone_and_the_error_says_who_and_when(
    environ: dict[str, str], root: Path
) -> None:
    async with process(environ, root) as ada:
        await ada.remember(fact("hers"))
        async with process(environ, root, MEMLENS_ACTOR="Bob") as bob:
            await bob.remember(fact("his"))
            (change,) = await bob.changes(None)
        with pytest.raises(CannotUndoError, match=f"made by Bob at {change['created_at']}, not by Ada"):
            await ada.undo()
        async with process(environ, root, MEMLENS_ACTOR="Bob") as bob:
            await bob.undo()
            assert texts(bob) == ["hers"]
        with pytest.raises(CannotUndoError, match="made by Bob"):
            await ada.undo()


async def test_where_nothing_is_remembered_there_is_nothing_to_undo(repository: RepositoryMemory) -> None:
    with pytest.raises(CannotUndoError, match="nothing to undo"):
        await repository.undo()
    await repository.remember(fact("mine", personal=True))
    with pytest.raises(CannotUndoError, match="nothing to undo"):
        await repository.undo()
    assert texts(repository) == ["mine"], "a person's own memory is another one"
    await repository.undo(personal=True)
    assert texts(repository) == []


async def test_evidence_is_not_taken_back_and_the_receipt_says_that_nothing_changed(
    repository: RepositoryMemory,
) -> None:
    await repository.remember(fact("one"))
    await repository.remember(fact("one", evidence=(EvidenceInput(path="Makefile"),)))

    (undone,) = await repository.undo()

    assert (undone.changed, undone.memory_ref.revision) == (False, 2)


async def test_restoring_names_a_version_by_number_or_id_in_either_memory(repository: RepositoryMemory) -> None:
    for personal in (False, True):
        kept = await repository.remember(fact("one", personal=personal))
        revised = await repository.revise(ReviseRequest(kept.entry_id, "two"))
        restored = await repository.restore(kept.entry_id, kept.entry_version_id, "it was right")
        assert (restored.changed, restored.memory_ref.revision) == (True, 3)
        assert (await repository.restore(kept.entry_id, 1)).changed is False
        await repository.restore(kept.entry_id, revised.entry_version_id)
        assert (await repository.history(kept.entry_id))[-1]["text"] == "two"
        with pytest.raises(UnknownVersionError):
            await repository.restore(kept.entry_id, 9)
        await repository.forget([kept.entry_id])
        with pytest.raises(InactiveEntryError):
            await repository.restore(kept.entry_id, 1)
    with pytest.raises(UnknownEntryError):
        await repository.restore("mem_ent_none", 1)


Taking = Callable[[RepositoryMemory, Receipt], Awaitable[object]]


@pytest.mark.parametrize(
    "back", [lambda r, e: r.restore(e.entry_id, 1), lambda r, _: r.undo()], ids=["restore", "undo"]
)
async def test_a_text_that_comes_back_applies_where_it_applied(repository: RepositoryMemory, back: Taking) -> None:
    kept = await repository.remember(fact("See Makefile."))
    stated = await repository.remember(fact("Docs.", applies=StatedApplicability(paths=("docs/**",))))
    await repository.revise(ReviseRequest(kept.entry_id, "See docs/guide.md."))

    await back(repository, kept)

    index = repository.snapshot().index
    assert [anchor.entry_id for anchor in index.anchors("Makefile", [""])] == [kept.entry_id]
    assert [anchor.entry_id for anchor in index.anchors("docs/guide.md", [""])] == [stated.entry_id]


async def test_organizing_leaves_one_of_equal_entries_and_can_be_undone(repository: RepositoryMemory) -> None:
    one, two, _ = await repository.remember_all([fact("one"), fact("two"), fact("bystander")])
    await repository.revise(ReviseRequest(two.entry_id, "one"))

    (receipt,) = await repository.organize()

    assert (receipt.entry_id, receipt.changed) == (max(one.entry_id, two.entry_id), True)
    assert texts(repository) == ["bystander", "one"]
    assert await repository.organize() == ()
    await repository.undo()
    assert texts(repository) == ["bystander", "one", "one"]
    assert await repository.organize("normalize") == ()


async def test_a_persons_own_memory_is_organized_when_asked_for(repository: RepositoryMemory) -> None:
    _, two = await repository.remember_all([fact("one", personal=True), fact("two", personal=True)])
    await repository.revise(ReviseRequest(two.entry_id, "one"))

    assert await repository.organize() == ()
    assert len(await repository.organize(personal=True)) == 1
    assert texts(repository) == ["one"]


async def test_organizing_nothing_is_no_error_but_unknown_steps_are(repository: RepositoryMemory) -> None:
    assert await repository.organize() == ()
    with pytest.raises(InvalidInputError, match="dedupe"):
        await repository.organize("merge")
