"""Any sequence of operations by two writers, against a plain model; every Revision's bytes through the decoder.

CI runs some 6,000 steps. ``MEMLENS_STATE_MACHINE_STEPS=200000`` runs as many as that, and
``MEMLENS_STATE_MACHINE_MINUTES=20`` ends a long run sooner; run it with ``-s`` to see how many steps were made.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conformance.imported import add_as_it_is
from conformance.memory_model import Body, Model, Refused, State
from conformance.store import Store
from memlens.core.errors import DuplicateOfInactiveError, InactiveEntryError, RevisionConflictError
from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.models import Memory, MemoryEntryInput
from memlens.storage import revisions
from memlens.storage.reading import RevisionReader

STEPS_OF_ONE_HISTORY = 60
STEPS_IN_CI = 6000

TEXTS = st.sampled_from([f"walnut {word}" for word in ("oil", "tree", "wood", "核桃油", "🌰")])
KINDS = st.sampled_from(["fact", "decision"])
WRITER = st.integers(0, 1)
PICK = st.integers(0, 10**6)
EVIDENCE = st.lists(st.integers(0, 2), max_size=3)
SAID = st.tuples(KINDS, TEXTS, EVIDENCE)
UNSORTED = st.sampled_from([(), (2, 0, 0), (0, 1, 2)])
"""Evidence as it is not kept here, some of it in whichever order; few of them, so that twins come about."""
ORGANIZE = st.sampled_from(["default", "dedupe", "normalize"])

made_steps = 0


class MemoryMachine(RuleBasedStateMachine):
    """Drives one Memory through the services of two backends over one database."""

    backend: type[Store]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.stores = [self.backend(Path(self.folder.name)) for _ in range(2)]
        self.notes: list[Source] = [self.do(self.stores[0].note(f"note {number}")) for number in range(3)]
        self.model = Model()
        self.memory: Memory | None = None
        self.chain = revisions.MAX_CHAIN_LENGTH

    stale = Bundle("stale")

    def do(self, awaitable: Any) -> Any:
        return self.runner.run(awaitable)

    def teardown(self) -> None:
        try:
            self.every_revision_decodes_to_the_models_bytes()
        finally:
            revisions.MAX_CHAIN_LENGTH = self.chain
            for store in self.stores:
                self.do(store.close())
            self.runner.close()
            self.folder.cleanup()

    def every_revision_decodes_to_the_models_bytes(self) -> None:
        """In a process that starts now, with nothing kept from one Revision to the next."""
        store = self.stores[0]
        self.do(store.reopen())
        report = self.do(store.verify())
        assert report.ok, report.problems
        assert report.revisions == len(self.model.revisions)
        if self.memory is None:
            return
        artifact_id = self.memory.ref.artifact_id
        for number, expected in enumerate(self.model.revisions, start=1):
            ref = ArtifactRef(artifact_id, number)
            memory = self.do(store.backend.read(lambda s, ref=ref: RevisionReader(kept=0).revision(s, ref)))
            assert memory.content.canonical == expected
            assert memory.content.content_hash == hashlib.sha256(expected).hexdigest()

    def picked(self, number: int, *states: State) -> str | None:
        ids = sorted(i for i, e in self.model.entries.items() if e.state in states)
        return ids[number % len(ids)] if ids else None

    def sources(self, numbers: Sequence[int]) -> tuple[Source, ...]:
        return tuple(self.notes[number] for number in numbers)

    def current(self, writer: int, entry_id: str) -> Any:
        (entry,) = self.do(self.stores[writer].service.entries(self.memory, [entry_id]))
        return entry

    @initialize(chain=st.sampled_from([1, 2, 3, 7, 1000]))
    def with_snapshots_this_far_apart(self, chain: int) -> None:
        revisions.MAX_CHAIN_LENGTH = chain

    @rule(writer=WRITER, said=st.lists(SAID, min_size=1, max_size=3))
    def add(self, writer: int, said: list[tuple[str, str, list[int]]]) -> None:
        given = [(kind, text, self.sources(numbers)) for kind, text, numbers in said]
        bodies = [Body(kind, text, tuple(note.ref for note in notes)) for kind, text, notes in given]
        entries = [MemoryEntryInput(kind, text, sources=notes) for kind, text, notes in given]
        before = self.memory
        work = self.stores[writer].service.remember(before, sources=self.notes, entries=entries)
        try:
            planned = self.model.adding(bodies)
        except Refused as refused:
            with pytest.raises(DuplicateOfInactiveError) as refusal:
                self.do(work)
            assert refusal.value.entry_id == refused.entry_ids[0]
            return
        self.memory = self.do(work)
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, number=PICK, said=SAID)
    def revise(self, writer: int, number: int, said: tuple[str, str, list[int]]) -> None:
        entry_id = self.picked(number, "active", "inactive")
        assert entry_id is not None
        (kind, text, numbers), before = said, self.memory
        notes = self.sources(numbers)
        entry = MemoryEntryInput(kind, text, self.current(writer, entry_id), notes)
        work = self.stores[writer].service.remember(before, sources=notes, entries=[entry])
        if self.model.entries[entry_id].state == "inactive":
            with pytest.raises(InactiveEntryError):
                self.do(work)
            return
        planned = self.model.revising(entry_id, kind, text, [note.ref for note in notes])
        self.memory = self.do(work)
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, numbers=st.lists(PICK, min_size=1, max_size=3), state=st.sampled_from(["active", "inactive"]))
    def forget_or_reactivate(self, writer: int, numbers: list[int], state: State) -> None:
        ids = [str(self.picked(number, "active", "inactive")) for number in numbers]
        service, before = self.stores[writer].service, self.memory
        entries = self.do(service.entries(before, ids))
        planned = self.model.changing_state(ids, state)
        self.memory = self.do((service.reactivate if state == "active" else service.forget)(before, entries))
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, number=PICK, version=PICK, by_id=st.booleans())
    def restore(self, writer: int, number: int, version: int, by_id: bool) -> None:
        entry_id = self.picked(number, "active")
        if entry_id is None:
            return
        known, before = self.model.entries[entry_id], self.memory
        chosen = version % len(known.bodies) + 1
        name = known.version_ids[chosen - 1] if by_id else chosen
        planned = self.model.restoring(entry_id, chosen)
        entry = self.current(writer, entry_id)
        self.memory = self.do(self.stores[writer].service.restore(before, entry, name))
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, steps=ORGANIZE)
    def organize(self, writer: int, steps: Any) -> None:
        before, planned = self.memory, self.model.organizing(steps)
        assert before is not None
        self.memory = self.do(self.stores[writer].service.organize(before, steps))
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER)
    def undo(self, writer: int) -> None:
        before, planned = self.memory, self.model.undoing()
        assert before is not None
        self.memory = self.do(self.stores[writer].service.undo(before))
        self.model.settle(before, self.memory, planned)

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, kind=KINDS, text=TEXTS, numbers=UNSORTED)
    def another_implementation_adds(self, writer: int, kind: str, text: str, numbers: Sequence[int]) -> None:
        """It knows no duplicates and keeps references in no order: what organize() is for."""
        before = self.memory
        assert before is not None
        refs = tuple(note.ref for note in self.sources(numbers))
        self.memory = self.do(add_as_it_is(self.stores[writer], before, text, kind=kind, sources=refs))
        self.model.entries_added(before, self.memory, Body(kind, text, refs))

    @precondition(lambda self: self.memory)
    @rule(target=stale)
    def keep_this_revision(self) -> Memory:
        assert self.memory is not None
        return self.memory

    @rule(writer=WRITER, old=consumes(stale), number=PICK)
    def write_on_an_old_revision(self, writer: int, old: Memory, number: int) -> None:
        if old == self.memory:
            return
        service = self.stores[writer].service
        entries = self.do(service.entries(old, [next(iter(old.manifest)).entry_id]))
        writes = [
            lambda: service.remember(old, entries=[MemoryEntryInput("fact", "never")]),
            lambda: service.remember(old, entries=[MemoryEntryInput("fact", "never", entries[0])]),
            lambda: service.forget(old, entries),
            lambda: service.reactivate(old, entries),
            lambda: service.restore(old, entries[0], 1),
            lambda: service.organize(old),
            lambda: service.undo(old),
        ]
        with pytest.raises(RevisionConflictError):
            self.do(writes[number % len(writes)]())

    @precondition(lambda self: self.memory)
    @rule()
    def both_write_at_once(self) -> None:
        before, number = self.memory, len(self.model.revisions)
        bodies = [Body("fact", f"walnut race {number} of {writer}") for writer in range(2)]

        async def race() -> list[Any]:
            writes = [store.add(before, body.text) for store, body in zip(self.stores, bodies, strict=True)]
            return await asyncio.gather(*writes, return_exceptions=True)

        outcomes = self.do(race())
        (winner,) = [writer for writer, outcome in enumerate(outcomes) if isinstance(outcome, Memory)]
        assert isinstance(outcomes[1 - winner], RevisionConflictError)
        self.memory = outcomes[winner]
        self.model.settle(before, self.memory, self.model.adding([bodies[winner]]))

    @rule(writer=WRITER)
    def reopen(self, writer: int) -> None:
        self.do(self.stores[writer].reopen())

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER, number=PICK)
    def read_an_old_revision(self, writer: int, number: int) -> None:
        assert self.memory is not None
        revision = number % len(self.model.revisions) + 1
        ref = ArtifactRef(self.memory.ref.artifact_id, revision)
        read = self.do(self.stores[writer].backend.revision(ref))
        assert read.content.canonical == self.model.revisions[revision - 1]

    @precondition(lambda self: self.memory)
    @rule(writer=WRITER)
    def bodies_and_search_are_those_of_the_active_entries(self, writer: int) -> None:
        store, active = self.stores[writer], [e for e in self.model.entries.values() if e.state == "active"]
        entries = self.do(store.service.entries(self.memory))
        assert sorted(e.entry_content_hash for e in entries) == sorted(e.body.content_hash for e in active)
        found = self.do(store.hits("walnut", self.memory, limit=500))
        assert sorted(found) == sorted(e.body.text for e in active)

    @invariant()
    def both_read_the_head_that_the_model_wrote(self) -> None:
        global made_steps
        made_steps += 1
        if self.memory is None:
            return
        for store in self.stores:
            head = self.do(store.service.head(self.memory.ref.artifact_id))
            assert head == self.memory
            assert head.ref.revision == len(self.model.revisions)
            assert head.content.canonical == self.model.revisions[-1]


def test_any_sequence_of_operations_keeps_every_revision_as_the_model_wrote_it(backend: type[Store]) -> None:
    wanted = int(os.environ.get("MEMLENS_STATE_MACHINE_STEPS", STEPS_IN_CI))
    deadline = time.monotonic() + 60 * float(os.environ.get("MEMLENS_STATE_MACHINE_MINUTES", "60"))
    before = made_steps
    while (left := wanted - (made_steps - before)) > 0 and time.monotonic() < deadline:
        run_state_machine_as_test(
            type("Machine", (MemoryMachine,), {"backend": backend}),
            settings=settings(
                max_examples=min(100, -(-left // STEPS_OF_ONE_HISTORY)),
                stateful_step_count=STEPS_OF_ONE_HISTORY,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        print(f"{made_steps - before:,} of {wanted:,} steps")
