"""The view of a document comes from the index as it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memlens.anchors.model import Anchor
from memlens.queries.model import EntryCard
from memlens.queries.view import view_file

from .builders import card, on_lines


@dataclass
class Index:
    asked: list[tuple[str, Sequence[str]]] = field(default_factory=list)

    def anchors(self, path: str, lines: Sequence[str]) -> list[Anchor]:
        self.asked.append((path, lines))
        return [on_lines("e1", 1)]


@dataclass
class Snapshot:
    index: Index
    cards: Mapping[str, EntryCard]


def test_a_view_has_the_anchors_of_the_path_and_text() -> None:
    snapshot = Snapshot(Index(), {"e1": card("e1")})
    found = view_file(snapshot, "a.py", ("x\n", "y\n", ""))
    assert snapshot.index.asked == [("a.py", ("x\n", "y\n", ""))]
    assert (found.path, found.line_count, found.anchors) == ("a.py", 3, (on_lines("e1", 1),))
    assert found.cards is snapshot.cards
