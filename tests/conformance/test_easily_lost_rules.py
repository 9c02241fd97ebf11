"""The rules of the seed that are easily lost (spec 1.11), sentence by sentence: each test bears the one it proves.

Not tested here, and why:

- "if the reason does not decide, it must read the body": what an agent does, and there is none here; that it can read
  the body is tested.
- "Prompts, traces and intermediate reasoning are never evidence by themselves": proved for what may be cited and for
  the working note; that no hook stores them belongs to the hooks, which are to come.
- "OceanBase: parent and child columns agree in character set, collation and signedness": there is no OceanBase adapter
  yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformance.store import Store, ops
from memlens.core.clock import utc_now
from memlens.core.errors import DuplicateOfInactiveError, EvidenceError, InactiveEntryError
from memlens.core.refs import EntryCitation
from memlens.core.sources import Source, make_source
from memlens.memory.candidates import CandidateProvider, CandidateProviders
from memlens.memory.models import Memory, MemoryEntryInput
from memlens.sessions.working_note import WorkingNotes

REPORT = "The parser handles empty files now; nested arrays still fail."


async def stored(store: Store, source_type: str, uri: str, **content: Any) -> Source:
    source = make_source(source_type, uri, content, utc_now())
    await store.backend.store_sources([source])
    return source


async def noted(store: Store, memory: Memory | None, *sources: Source) -> Memory | None:
    """Extract without a model."""
    providers = CandidateProviders(fallback=CandidateProvider("working_note", WorkingNotes()))
    return await store.with_pipeline(providers).remember(memory, sources=sources, mode="extract")


async def remembered(store: Store, *sources: Source, text: str = "walnut") -> Memory:
    memory = await store.service.remember(
        None, sources=sources, entries=[MemoryEntryInput("fact", text, sources=tuple(sources))]
    )
    assert memory is not None
    return memory


async def test_that_new_material_no_longer_mentions_something_does_not_make_an_entry_invalid(store: Store) -> None:
    old = await stored(store, "DocumentSource", "repo:///AGENTS.md", path="AGENTS.md", excerpt="walnut")
    new = await stored(store, "DocumentSource", "repo:///AGENTS.md", path="AGENTS.md", excerpt="")
    memory = await remembered(store, old)

    class Silent:
        async def extract(self, *_: Any) -> Sequence[MemoryEntryInput]:
            return ()

    assert await store.with_pipeline(Silent()).remember(memory, sources=[new]) == memory
    assert await store.texts(memory) == ["walnut"]


async def test_only_explicit_evidence_revises(store: Store) -> None:
    """A report that contradicts an entry adds a note beside it; nothing is overwritten on a guess."""
    memory = await remembered(store, await store.note("walnut"), text="The parser fails on empty files.")
    before = await store.entry(memory, "parser fails")

    after = await noted(store, memory, await stored(store, "TaskOutcomeSource", "task:1", report=REPORT))

    assert after is not None
    assert ops(after.content.changes) == [("add", None)]
    assert await store.entry(after, "parser fails") == before


async def test_only_forget_deactivates(store: Store) -> None:
    """organize() deactivates too, but only what stays in the memory word for word; undo() takes back an addition."""
    note = await store.note()
    memory = await store.add(None, "one", "two", "three")
    memory = await store.revise(memory, await store.entry(memory, "two"), "2")
    memory = await store.service.restore(memory, await store.entry(memory, "2"), 1)
    memory = await store.add(memory, "four")
    memory = await noted(store, memory, note) or memory
    memory = await store.service.organize(memory)

    history = await store.service.changes(memory, since_revision=0)
    assert {change.op for each in history for change in each.changes} == {"add", "revise"}
    assert await store.texts(memory) == ["four", "one", "three", "two"]


async def test_only_reactivate_restores(store: Store) -> None:
    memory = await store.add(None, "one")
    memory = await store.revise(memory, await store.entry(memory, "one"), "two")
    entry = await store.entry(memory, "two")
    memory = await store.service.forget(memory, [entry])

    with pytest.raises(DuplicateOfInactiveError):
        await store.add(memory, "two")
    with pytest.raises(InactiveEntryError):
        await store.revise(memory, entry, "three")
    with pytest.raises(InactiveEntryError):
        await store.service.restore(memory, entry, 1)
    assert await store.service.organize(memory) == memory
    assert await store.texts(memory) == []
    assert await store.texts(await store.service.reactivate(memory, [entry])) == ["two"]


async def test_a_stopped_turn_is_a_boundary_not_proof_that_a_task_is_done(store: Store) -> None:
    memory = await noted(store, None, await stored(store, "AgentTurnSource", "turn:1", report=REPORT))

    assert memory is not None
    (entry,) = await store.service.entries(memory)
    assert entry.text.startswith("An agent's turn, as it was reported; the task may be unfinished:")


async def test_a_persisted_report_supports_only_what_it_actually_states(store: Store) -> None:
    """It does not stand in for code, tests or the user's words: none of these becomes evidence beside it."""
    outcome = await stored(
        store,
        "TaskOutcomeSource",
        "task:1",
        report=REPORT,
        verification=[{"command": "make test", "outcome": "passed"}],
    )
    code = await stored(store, "DocumentSource", "repo:///parser.py", path="parser.py")

    memory = await noted(store, None, code, outcome, await store.note("Please fix the parser."))

    assert memory is not None
    (entry,) = await store.service.entries(memory)
    assert entry.sources == (outcome.ref,)
    assert entry.text == (
        f"A task's outcome, as it was reported:\n{REPORT}\n\nVerification, as reported: make test: passed"
    )


async def test_prompts_traces_and_intermediate_reasoning_are_never_evidence_by_themselves(store: Store) -> None:
    thoughts = await stored(
        store, "AgentTurnSource", "turn:1", prompt="Fix the parser.", trace=[REPORT], reasoning=f"Perhaps: {REPORT}"
    )
    assert await noted(store, None, thoughts) is None

    unstored = make_source("AgentTurnSource", "turn:2", {"report": REPORT}, utc_now())
    with pytest.raises(EvidenceError, match="store it first"):
        await noted(store, None, unstored)


async def test_two_conclusions_that_can_change_independently_are_two_entries(store: Store) -> None:
    """Nothing folds them together: one changes, the other one stays as it was, on the evidence that they share."""
    note = await store.note("Run make test; before a review make check.")
    entries = [MemoryEntryInput("preference", text, sources=(note,)) for text in ("make test", "make check in review")]
    memory = await store.service.remember(None, sources=[note], entries=entries)
    assert memory is not None
    memory = await store.service.organize(memory)
    review = await store.entry(memory, "review")

    memory = await store.revise(memory, await store.entry(memory, "make test"), "make docs-test")

    assert await store.entry(memory, "review") == review
    assert await store.texts(memory) == ["make check in review", "make docs-test"]


async def test_what_matters_only_for_the_current_hand_over_is_a_working_note(store: Store) -> None:
    memory = await noted(store, None, await stored(store, "TaskOutcomeSource", "task:1", report=REPORT))

    assert memory is not None
    assert [entry.kind for entry in await store.service.entries(memory)] == ["working_note"]


async def test_a_generator_without_a_reliable_reason_gives_none_and_invents_none(store: Store) -> None:
    memory = await noted(store, None, await stored(store, "TaskOutcomeSource", "task:1", report=REPORT))
    assert memory is not None
    assert ops(memory.content.changes) == [("add", None)]

    for operation in (store.service.forget, store.service.reactivate):
        memory = await operation(memory, await store.service.entries(memory, [next(iter(memory.manifest)).entry_id]))
        assert [change.reason for change in memory.content.changes] == [None]


async def test_op_entry_id_and_reason_can_be_read_first_and_only_what_matters_expanded(store: Store) -> None:
    memory = await store.add(None, "matters", "does not")
    matters, other = await store.entry(memory, "matters"), await store.entry(memory, "does not")
    memory = await store.service.forget(memory, [matters], "no longer true")
    store.tamper("DELETE FROM memory_entry_heads WHERE entry_id = ?", other.entry_id)
    store.tamper("DELETE FROM memory_entry_versions WHERE entry_id = ?", other.entry_id)

    (last,) = await store.service.changes(memory)
    (change,) = last.changes
    assert (change.op, change.entry_id, change.reason) == ("deactivate", matters.entry_id, "no longer true")
    citation = EntryCitation(last.memory_ref, change.entry_id, change.from_entry_version_id or "")
    assert await store.service.expand([citation]) == (matters,), "the other's body is gone and was not needed"


async def test_source_writes_never_create_memory_by_themselves(store: Store) -> None:
    for source_type in ("UserNoteSource", "TaskOutcomeSource", "AgentTurnSource", "GitChangeSource"):
        await stored(store, source_type, "x:1", report=REPORT, text="remember this")

    for table in ("artifact_revisions", "artifact_heads", "memory_entry_versions", "memory_entry_heads", "bindings"):
        assert store.rows(f"SELECT count(*) FROM {table}") == [(0,)]
