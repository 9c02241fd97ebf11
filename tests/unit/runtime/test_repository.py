"""What surfaces ask of one repository's memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memlens.app import open_runtime
from memlens.core.errors import (
    DuplicateOfInactiveError,
    EvidenceError,
    InvalidInputError,
    InvalidTextError,
    StaleEntryError,
    UnknownEntryError,
)
from memlens.runtime.api import (
    EvidenceInput,
    MemorySnapshot,
    RememberRequest,
    ReviseRequest,
    StatedApplicability,
)
from memlens.runtime.runtime import Runtime


def fact(text: str, **more: object) -> RememberRequest:
    return RememberRequest("fact", text, **more)  # type: ignore[arg-type]


async def test_entries_that_fail_together_leave_nothing(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    with pytest.raises(InvalidTextError):
        await repository.remember_all([fact("fine"), fact(" ")])
    assert (await repository.status())["memory"] is None


async def test_receipts_come_in_the_order_of_the_requests(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    requests = [fact("b"), fact("mine", personal=True), fact("a"), fact("b")]
    receipts = await repository.remember_all(requests)
    texts = {card.entry_id: card.text for card in repository.snapshot().cards.values()}
    assert [texts[receipt.entry_id] for receipt in receipts] == ["b", "mine", "a", "b"]
    assert receipts[0].entry_id == receipts[3].entry_id


async def test_saying_it_again_with_new_evidence_is_a_revision_and_without_it_nothing(
    runtime: Runtime, root: Path
) -> None:
    repository = await runtime.repository(root)
    first = await repository.remember(fact("tests poll"))
    again = await repository.remember(fact("tests poll"))
    supported = await repository.remember(fact("tests poll", evidence=(EvidenceInput(path="Makefile"),)))
    assert (again.changed, again.entry_version_id) == (False, first.entry_version_id)
    assert (supported.changed, supported.entry_id) == (True, first.entry_id)
    assert supported.memory_ref.revision == 2


async def test_an_entry_equal_to_a_forgotten_one_names_it(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    kept = await repository.remember(fact("tests poll"))
    await repository.forget([kept.entry_id])
    with pytest.raises(DuplicateOfInactiveError) as caught:
        await repository.remember(fact("tests poll"))
    assert caught.value.entry_id == kept.entry_id


async def test_a_revision_on_an_older_version_is_stale(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    kept = await repository.remember(fact("one"))
    revised = await repository.revise(ReviseRequest(kept.entry_id, "two"))
    assert revised.changed
    with pytest.raises(StaleEntryError):
        await repository.revise(ReviseRequest(kept.entry_id, "three", entry_version_id=kept.entry_version_id))


async def test_entries_of_both_memories_can_be_forgotten_at_once(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    own, mine = await repository.remember_all([fact("own"), fact("mine", personal=True)])
    receipts = await repository.forget([mine.entry_id, own.entry_id, mine.entry_id])
    assert [receipt.entry_id for receipt in receipts] == [mine.entry_id, own.entry_id]
    assert repository.snapshot().cards == {}
    with pytest.raises(UnknownEntryError):
        await repository.forget(["mem_ent_nope"])
    with pytest.raises(InvalidInputError):
        await repository.forget([])


@pytest.mark.parametrize(
    "evidence",
    [
        EvidenceInput(),
        EvidenceInput(path=""),
        EvidenceInput(path="nope.md"),
        EvidenceInput(path="docs"),
        EvidenceInput(path="../outside.md"),
        EvidenceInput(path="a\0b"),
        EvidenceInput(path="Makefile", start_line=2, end_line=1),
        EvidenceInput(path="Makefile", start_line=0),
        EvidenceInput(path="Makefile", start_line=4),
        EvidenceInput(source={"type": "DocumentSource", "uri": "x"}),
        EvidenceInput(source={"type": "Gossip", "uri": "x", "content": {}}),
        EvidenceInput(source={"type": "UserNoteSource", "uri": "x", "content": {}, "content_hash": "0" * 64}),
    ],
    ids=str,
)
async def test_evidence_that_cannot_be_stored_is_refused(runtime: Runtime, root: Path, evidence: EvidenceInput) -> None:
    (root.parent / "outside.md").write_text("secret")
    repository = await runtime.repository(root)
    with pytest.raises(EvidenceError):
        await repository.remember(fact("x", evidence=(evidence,)))
    assert (await repository.status())["memory"] is None


async def test_stated_applicability_replaces_what_the_text_proposes(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    await repository.remember(fact("See Makefile.", applies=StatedApplicability(paths=("docs/**",))))
    index = repository.snapshot().index
    assert [anchor.rule for anchor in index.anchors("docs/guide.md", ["# Guide"])] == ["stated"]
    assert index.anchors("Makefile", ["test:"]) == ()


async def test_a_revised_text_is_proposed_anew_and_what_a_person_stated_stays(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    proposed, stated = await repository.remember_all(
        [fact("See Makefile."), fact("Docs.", applies=StatedApplicability(paths=("docs/**",)))]
    )
    await repository.revise(ReviseRequest(proposed.entry_id, "See docs/guide.md."))
    await repository.revise(ReviseRequest(stated.entry_id, "See Makefile."))
    index = repository.snapshot().index
    assert {anchor.entry_id for anchor in index.anchors("docs/guide.md", [""])} == {proposed.entry_id, stated.entry_id}
    assert index.anchors("Makefile", ["test:"]) == ()


def comparable(snapshot: MemorySnapshot) -> tuple[object, ...]:
    return snapshot.heads, dict(snapshot.cards), dict(snapshot.index.entries)


async def test_a_snapshot_kept_current_equals_one_read_anew(environ: dict[str, str], root: Path) -> None:
    """Step by step through every kind of change, by this process and by another one."""
    kept, other = await open_runtime(environ=environ), await open_runtime(environ=environ)
    here, there = await kept.repository(root), await other.repository(root)
    one = await here.remember(fact("One, see Makefile.", evidence=(EvidenceInput(path="Makefile", start_line=1),)))
    steps = [
        lambda: there.remember(fact("Two.", personal=True)),
        lambda: there.revise(ReviseRequest(one.entry_id, "One, see docs/guide.md.")),
        lambda: here.remember(fact("Three.", applies=StatedApplicability(paths=("docs/",)))),
        lambda: there.forget([one.entry_id]),
        lambda: here.remember_all([fact(f"Many {number}.") for number in range(20)]),
        lambda: there.reactivate([one.entry_id]),
    ]
    for step in steps:
        await step()
        await here.refresh()
        fresh = await open_runtime(environ=environ)
        anew = await fresh.repository(root)
        await anew.refresh()
        assert comparable(here.snapshot()) == comparable(anew.snapshot())
        await fresh.close()
    assert not await here.refresh()
    await kept.close()
    await other.close()


async def test_watching_tells_listeners_of_other_processes_commits(environ: dict[str, str], root: Path) -> None:
    watching, other = await open_runtime(environ=environ, watch=True), await open_runtime(environ=environ)
    repository = await watching.repository(root)
    told = asyncio.Event()
    stop = watching.subscribe(told.set)
    kept = await (await other.repository(root)).remember(fact("news"))
    await asyncio.wait_for(told.wait(), 5)
    assert kept.entry_id in repository.snapshot().cards
    stop()
    await watching.close()
    await other.close()


async def test_twenty_writers_at_once_in_one_process_keep_all(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    await asyncio.gather(*(repository.remember(fact(f"entry {number}")) for number in range(20)))
    assert (await repository.status())["memory"]["active"] == 20


async def test_two_directories_of_one_repository_are_one(runtime: Runtime, root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git" / "objects").mkdir()
    (root / ".git" / "refs").mkdir()
    assert await runtime.repository(root) is await runtime.repository(root / "docs")


async def test_an_entry_is_found_by_the_last_characters_of_its_id(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    one, _ = await repository.remember_all([fact("one"), fact("two")])
    assert await repository.resolve(one.entry_id[-6:]) == one.entry_id
    for prefix in ("", one.entry_id[-3:], "mem_ent", "nope"):
        with pytest.raises(UnknownEntryError):
            await repository.resolve(prefix)


async def test_a_personal_entry_means_the_files_of_the_repository_it_is_read_in(runtime: Runtime, root: Path) -> None:
    """Its evidence stays with the repository that it came from."""
    other = root.parent / "other"
    (other / "docs").mkdir(parents=True)
    (other / "guide.md").touch()
    here, there = await runtime.repository(root), await runtime.repository(other)
    text = "Keep guide.md short."
    await here.remember(fact(text, personal=True, evidence=(EvidenceInput(path="Makefile"),)))
    await there.refresh()
    assert [a.rule for a in here.snapshot().index.anchors("docs/guide.md", [""])] == ["path"]
    assert [a.rule for a in here.snapshot().index.anchors("Makefile", [""])] == ["evidence"]
    assert [a.rule for a in there.snapshot().index.anchors("guide.md", [""])] == ["path"]
    assert there.snapshot().index.anchors("docs/guide.md", [""]) == ()
    assert there.snapshot().index.anchors("Makefile", [""]) == ()


async def test_an_error_among_several_entries_names_the_one(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    bad = EvidenceInput(path="nope.md")
    for request in (
        fact(" ", label="Line 2"),
        fact("x", label="Line 2", evidence=(bad,)),
        fact("x", label="Line 2", applies=StatedApplicability(paths=("/etc",))),
    ):
        with pytest.raises(InvalidInputError, match=r"^Line 2: "):
            await repository.remember_all([fact("fine", label="Line 1"), request])
