"""Any sequence of operations, against a plain model; every Revision's bytes against the model's own (spec 1.12)."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conformance.store import Store
from memlens.core.errors import DuplicateOfInactiveError, RevisionConflictError
from memlens.memory.models import Memory, MemoryEntryInput
from memlens.storage import revisions

TEXTS = st.sampled_from([f"walnut {word}" for word in ("oil", "tree", "wood", "核桃油", "核桃树", "🌰")])
KINDS = st.sampled_from(["fact", "decision"])
PICK = st.integers(0, 10**6)


@dataclass
class Entry:
    """What the model knows of an entry: its versions as (kind, text), and its state."""

    version_ids: list[str]
    statements: list[tuple[str, str]]
    state: str = "active"

    @property
    def content_hash(self) -> str:
        kind, text = self.statements[-1]
        body = rfc8785.dumps({"kind": kind, "text": text, "refs": {"sources": [], "artifacts": []}})
        return hashlib.sha256(b"powercontext:entry-content:v1\0" + body).hexdigest()


@dataclass
class Model:
    """One Memory as plain values, and the canonical bytes of every Revision as the model writes them."""

    entries: dict[str, Entry] = field(default_factory=dict)
    revisions: list[bytes] = field(default_factory=list)

    def saying(self, statement: tuple[str, str], state: str) -> list[str]:
        return sorted(i for i, e in self.entries.items() if e.state == state and e.statements[-1] == statement)

    def record(self, op: str, entry_id: str, before: str | None, after: str | None) -> None:
        change = {
            "op": op,
            "entry_id": entry_id,
            "from_entry_version_id": before,
            "to_entry_version_id": after,
            "reason": None,
        }
        lines = [
            {
                "entry_id": i,
                "entry_version_id": e.version_ids[-1],
                "entry_content_hash": e.content_hash,
                "state": e.state,
            }
            for i, e in sorted(self.entries.items(), key=lambda item: item[0].encode())
        ]
        manifest = {"format": "flat-v1", "entries": lines}
        self.revisions.append(
            rfc8785.dumps({"schema": "powercontext.memory.v1", "manifest": manifest, "changes": [change]})
        )


class MemoryMachine(RuleBasedStateMachine):
    """Drives one Memory through its service."""

    backend: type[Store]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.store = self.backend(Path(self.folder.name))
        self.model = Model()
        self.memory: Memory | None = None

    stale = Bundle("stale")

    def do(self, awaitable: Any) -> Any:
        return self.runner.run(awaitable)

    def teardown(self) -> None:
        try:
            report = self.do(self.store.verify())
            assert report.ok, report.problems
            assert report.revisions == len(self.model.revisions)
        finally:
            self.do(self.store.close())
            self.runner.close()
            self.folder.cleanup()

    def pick(self, number: int, state: str) -> str | None:
        ids = sorted(i for i, e in self.model.entries.items() if e.state == state)
        return ids[number % len(ids)] if ids else None

    @rule(kind=KINDS, text=TEXTS)
    def add(self, kind: str, text: str) -> None:
        active, inactive = (self.model.saying((kind, text), state) for state in ("active", "inactive"))
        before = self.memory
        try:
            self.memory = self.do(self.store.add(before, text, kind=kind))
        except DuplicateOfInactiveError as refusal:
            assert not active
            assert refusal.entry_id in inactive
            return
        if active:
            assert self.memory == before
            return
        assert not inactive
        assert self.memory is not None
        (change,) = self.memory.content.changes
        assert change.to_entry_version_id is not None
        self.model.entries[change.entry_id] = Entry([change.to_entry_version_id], [(kind, text)])
        self.model.record("add", change.entry_id, None, change.to_entry_version_id)

    @precondition(lambda self: self.memory)
    @rule(number=PICK, kind=KINDS, text=TEXTS)
    def revise(self, number: int, kind: str, text: str) -> None:
        entry_id = self.pick(number, "active")
        if entry_id is None:
            return
        (entry,) = self.do(self.store.service.entries(self.memory, [entry_id]))
        known, before = self.model.entries[entry_id], self.memory
        self.memory = self.do(self.store.service.remember(before, entries=[MemoryEntryInput(kind, text, entry=entry)]))
        if known.statements[-1] == (kind, text):
            assert self.memory == before
            return
        assert self.memory is not None
        (change,) = self.memory.content.changes
        assert change.to_entry_version_id is not None
        old = known.version_ids[-1]
        known.version_ids.append(change.to_entry_version_id)
        known.statements.append((kind, text))
        self.model.record("revise", entry_id, old, known.version_ids[-1])

    @precondition(lambda self: self.memory)
    @rule(number=PICK, from_state=st.sampled_from(["active", "inactive"]), op=st.sampled_from(["forget", "reactivate"]))
    def change_state(self, number: int, from_state: str, op: str) -> None:
        entry_id = self.pick(number, from_state)
        if entry_id is None:
            return
        entries, before = self.do(self.store.service.entries(self.memory, [entry_id])), self.memory
        self.memory = self.do(getattr(self.store.service, op)(before, entries))
        known = self.model.entries[entry_id]
        if (op == "forget") == (known.state == "inactive"):
            assert self.memory == before
            return
        known.state = "inactive" if op == "forget" else "active"
        versions = (known.version_ids[-1], None) if op == "forget" else (None, known.version_ids[-1])
        self.model.record("deactivate" if op == "forget" else "reactivate", entry_id, *versions)

    @precondition(lambda self: self.memory)
    @rule(target=stale)
    def keep_this_revision(self) -> Memory:
        assert self.memory is not None
        return self.memory

    @rule(old=consumes(stale))
    def write_on_an_old_revision(self, old: Memory) -> None:
        if old == self.memory:
            return
        with pytest.raises(RevisionConflictError):
            self.do(self.store.add(old, "never"))

    @rule()
    def reopen(self) -> None:
        self.do(self.store.reopen())

    @precondition(lambda self: self.memory)
    @rule(number=PICK)
    def read_an_old_revision(self, number: int) -> None:
        assert self.memory is not None
        revision = number % len(self.model.revisions) + 1
        ref = type(self.memory.ref)(self.memory.ref.artifact_id, revision)
        assert self.do(self.store.backend.revision(ref)).content.canonical == self.model.revisions[revision - 1]

    @precondition(lambda self: self.memory)
    @rule()
    def search_finds_exactly_the_active_entries(self) -> None:
        expected = sorted(e.statements[-1][1] for e in self.model.entries.values() if e.state == "active")
        assert sorted(self.do(self.store.hits("walnut", self.memory, limit=200))) == expected

    @invariant()
    def the_head_has_the_models_bytes(self) -> None:
        if self.memory is None:
            return
        head = self.do(self.store.service.head(self.memory.ref.artifact_id))
        assert head == self.memory
        assert head.ref.revision == len(self.model.revisions)
        assert head.content.canonical == self.model.revisions[-1]
        assert head.content.content_hash == hashlib.sha256(self.model.revisions[-1]).hexdigest()


@pytest.mark.parametrize("chain", [3, 1000])
def test_any_sequence_of_operations_keeps_every_revision_as_the_model_wrote_it(
    backend: type[Store], monkeypatch: pytest.MonkeyPatch, chain: int
) -> None:
    monkeypatch.setattr(revisions, "MAX_CHAIN_LENGTH", chain)
    machine = type("Machine", (MemoryMachine,), {"backend": backend})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
