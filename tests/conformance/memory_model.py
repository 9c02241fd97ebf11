"""A Memory as plain values: what the specification says of each operation, written down without the code under test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import rfc8785

from memlens.core.refs import SourceRef
from memlens.memory.models import Memory

State = Literal["active", "inactive"]


@dataclass(frozen=True)
class Body:
    """What one version says, and the references it holds, in the order in which it holds them."""

    kind: str
    text: str
    sources: tuple[SourceRef, ...] = ()

    @property
    def statement(self) -> tuple[str, str]:
        return self.kind, self.text

    @property
    def content_hash(self) -> str:
        sources = [{"source_id": ref.source_id, "content_hash": ref.content_hash} for ref in self.sources]
        body = rfc8785.dumps({"kind": self.kind, "text": self.text, "refs": {"sources": sources, "artifacts": []}})
        return hashlib.sha256(b"powercontext:entry-content:v1\0" + body).hexdigest()

    def said_on(self, kind: str, text: str, more: Iterable[SourceRef] = ()) -> Body:
        """The next version: new words on this one's evidence and more."""
        return Body(kind, text, normal({*self.sources, *more}))


def normal(sources: Iterable[SourceRef]) -> tuple[SourceRef, ...]:
    return tuple(sorted(set(sources), key=lambda ref: (ref.source_id, ref.content_hash)))


@dataclass
class Entry:
    version_ids: list[str]
    bodies: list[Body]
    state: State = "active"

    @property
    def body(self) -> Body:
        return self.bodies[-1]


@dataclass(frozen=True)
class Step:
    """One change that an operation must make; ``entry_id`` is None for an entry that it adds."""

    op: str
    entry_id: str | None
    body: Body | None = None
    reason: str | None = None


class Refused(Exception):
    """The operation must be refused because only inactive entries, these, say the same."""

    def __init__(self, entry_ids: list[str]) -> None:
        self.entry_ids = entry_ids


@dataclass
class Model:
    """One Memory, and the canonical bytes of every Revision as the model writes them."""

    entries: dict[str, Entry] = field(default_factory=dict)
    revisions: list[bytes] = field(default_factory=list)
    last: list[dict[str, str | None]] = field(default_factory=list)

    # What each operation must do

    def adding(self, bodies: Sequence[Body]) -> list[Step]:
        merged: dict[tuple[str, str], Body] = {}
        for body in bodies:
            known = merged.get(body.statement, body)
            merged[body.statement] = known.said_on(*body.statement, body.sources)
        return [step for body in merged.values() for step in self._adding_one(body)]

    def _adding_one(self, body: Body) -> list[Step]:
        twins = [i for i in sorted(self.entries) if self.entries[i].body.statement == body.statement]
        active = [i for i in twins if self.entries[i].state == "active"]
        if active:
            return self.revising(active[0], *body.statement, body.sources)
        if twins:
            raise Refused(twins)
        return [Step("add", None, body)]

    def revising(
        self, entry_id: str, kind: str, text: str, more: Iterable[SourceRef] = (), reason: str | None = None
    ) -> list[Step]:
        now = self.entries[entry_id].body
        after = now.said_on(kind, text, more)
        if after.statement == now.statement and set(after.sources) == set(now.sources):
            return []
        return [Step("revise", entry_id, after, reason)]

    def changing_state(self, entry_ids: Iterable[str], state: State) -> list[Step]:
        op = "reactivate" if state == "active" else "deactivate"
        return [Step(op, i) for i in dict.fromkeys(entry_ids) if self.entries[i].state != state]

    def restoring(self, entry_id: str, version: int) -> list[Step]:
        return self.revising(entry_id, *self.entries[entry_id].bodies[version - 1].statement)

    def organizing(self, steps: str) -> list[Step]:
        active = {i: self.entries[i].body for i in sorted(self.entries) if self.entries[i].state == "active"}
        planned: list[Step] = []
        if steps != "normalize":
            firsts: dict[Body, str] = {}
            spare = [i for i, body in active.items() if firsts.setdefault(body, i) != i]
            planned += [Step("deactivate", i, reason="dedupe") for i in spare]
            active = {i: body for i, body in active.items() if i not in spare}
        if steps != "dedupe":
            planned += [
                Step("revise", i, body.said_on(*body.statement), "normalize")
                for i, body in active.items()
                if body.sources != normal(body.sources)
            ]
        return planned

    def undoing(self) -> list[Step]:
        planned: list[Step] = []
        for change in self.last:
            entry_id = str(change["entry_id"])
            if change["op"] == "revise":
                entry = self.entries[entry_id]
                before = entry.bodies[entry.version_ids.index(str(change["from_entry_version_id"]))]
                planned += self.revising(entry_id, *before.statement, reason="undo")
            else:
                op = "reactivate" if change["op"] == "deactivate" else "deactivate"
                planned.append(Step(op, entry_id, reason="undo"))
        return planned

    # What was done

    def settle(self, before: Memory | None, after: Memory | None, planned: Sequence[Step]) -> None:
        """Take over what the operation did, after checking that it is what it had to do; identifiers are the code's."""
        if not planned:
            assert after == before
            return
        assert after is not None
        made = {change.entry_id: change.to_entry_version_id for change in after.content.changes}
        fresh = {i: after.manifest[i].entry_content_hash for i in made if i not in self.entries}
        self.last = []
        for step in planned:
            entry_id = step.entry_id
            if entry_id is None:
                assert step.body is not None
                entry_id = next(i for i, content_hash in fresh.items() if content_hash == step.body.content_hash)
                del fresh[entry_id]
            self._apply(step, entry_id, made.pop(entry_id))
        assert not made, "nothing else changed"
        self.last.sort(key=lambda change: str(change["entry_id"]).encode())
        self.revisions.append(self._canonical())

    def entries_added(self, before: Memory, after: Memory, body: Body) -> None:
        """Take over an entry that was added as it is, whatever else says the same."""
        self.settle(before, after, [Step("add", None, body)])

    def _apply(self, step: Step, entry_id: str, version_id: str | None) -> None:
        entry = self.entries.setdefault(entry_id, Entry([], []))
        current = entry.version_ids[-1] if entry.version_ids else None
        if step.body is not None:
            assert version_id is not None
            assert version_id not in entry.version_ids
            entry.version_ids.append(version_id)
            entry.bodies.append(step.body)
        else:
            entry.state = "active" if step.op == "reactivate" else "inactive"
        before, after = {
            "add": (None, version_id),
            "revise": (current, version_id),
            "deactivate": (current, None),
            "reactivate": (None, current),
        }[step.op]
        self.last.append(
            {
                "op": step.op,
                "entry_id": entry_id,
                "from_entry_version_id": before,
                "to_entry_version_id": after,
                "reason": step.reason,
            }
        )

    def _canonical(self) -> bytes:
        lines = [
            {
                "entry_id": i,
                "entry_version_id": e.version_ids[-1],
                "entry_content_hash": e.body.content_hash,
                "state": e.state,
            }
            for i, e in sorted(self.entries.items(), key=lambda item: item[0].encode())
        ]
        manifest = {"format": "flat-v1", "entries": lines}
        return rfc8785.dumps({"schema": "powercontext.memory.v1", "manifest": manifest, "changes": self.last})
