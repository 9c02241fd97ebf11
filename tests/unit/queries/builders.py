"""Short ways to write cards, anchors and views."""

from __future__ import annotations

from memlens.anchors.model import Anchor, Rule, Strength
from memlens.core.refs import ArtifactRef
from memlens.queries.model import EntryCard, EvidenceCard, FileView


def card(entry_id: str, kind: str = "constraint", text: str = "A rule.", **more: object) -> EntryCard:
    fields: dict[str, object] = {"version": 1, "evidence": (), **more}
    return EntryCard(
        memory_ref=ArtifactRef("memory-1", 7),
        entry_id=entry_id,
        entry_version_id=f"{entry_id}-v1",
        kind=kind,
        text=text,
        **fields,  # type: ignore[arg-type]
    )


def evidence(path: str | None = None, line: int | None = None, label: str = "a note") -> EvidenceCard:
    return EvidenceCard("source-1", "document", label, path, line, line)


def on_file(entry_id: str, why: str = "", *, weak: bool = False, rule: Rule = Rule.PATH) -> Anchor:
    return Anchor(entry_id, rule, Strength.WEAK if weak else Strength.STRONG, why)


def on_lines(
    entry_id: str, first: int, last: int | None = None, why: str = "", *, weak: bool = False, rule: Rule = Rule.COMMAND
) -> Anchor:
    strength = Strength.WEAK if weak else Strength.STRONG
    return Anchor(entry_id, rule, strength, why, first, first if last is None else last)


def view(cards: list[EntryCard], anchors: list[Anchor], path: str = "src/app.py", line_count: int = 20) -> FileView:
    return FileView(path, line_count, tuple(anchors), {known.entry_id: known for known in cards})
