"""``memlens show --json`` (spec 2.5)."""

from __future__ import annotations

import itertools

from memlens.anchors.model import Rule
from memlens.queries.show import show

from .builders import card, on_file, on_lines, view

CARDS = [card("e1", "constraint", "Only uv."), card("e2", "preference", "Tabs."), card("e3", "fact", "Slow.")]


def test_the_stable_shape_with_lines_from_1() -> None:
    shown = show(view(CARDS, [on_file("e1", "names src/"), on_lines("e2", 3, 5, "names make")], path="src/app.py"))
    assert shown == {
        "path": "src/app.py",
        "file_level": [
            {
                "entry_id": "e1",
                "kind": "constraint",
                "text": "Only uv.",
                "strength": "strong",
                "rule": "path",
                "why": "names src/",
            }
        ],
        "line_level": [
            {
                "line": 4,
                "end_line": 6,
                "entry_id": "e2",
                "kind": "preference",
                "strength": "strong",
                "rule": "command",
                "why": "names make",
            }
        ],
    }


def test_nothing_applies() -> None:
    assert show(view([], [], path="x")) == {"path": "x", "file_level": [], "line_level": []}


def test_weak_anchors_and_unknown_entries_are_left_out() -> None:
    shown = show(view(CARDS, [on_file("e1", weak=True), on_lines("e2", 1, weak=True), on_file("gone")]))
    assert (shown["file_level"], shown["line_level"]) == ([], [])


def test_the_order_depends_on_the_content_alone() -> None:
    anchors = [on_file("e3"), on_file("e2"), on_file("e1"), on_lines("e1", 9), on_lines("e2", 2), on_lines("e3", 2)]
    orders = {str(show(view(CARDS, list(order)))) for order in itertools.permutations(anchors)}
    assert len(orders) == 1
    shown = show(view(CARDS, anchors))
    assert [entry["entry_id"] for entry in shown["file_level"]] == ["e1", "e2", "e3"]
    assert [(entry["line"], entry["entry_id"]) for entry in shown["line_level"]] == [(3, "e2"), (3, "e3"), (10, "e1")]


def test_an_entry_appears_once_on_the_file_and_once_on_a_range() -> None:
    anchors = [
        on_file("e1"),
        on_file("e1", rule=Rule.EVIDENCE),
        on_lines("e1", 4),
        on_lines("e1", 4),
        on_lines("e1", 6),
    ]
    shown = show(view(CARDS, anchors))
    assert len(shown["file_level"]) == 1
    assert [entry["line"] for entry in shown["line_level"]] == [5, 7]
