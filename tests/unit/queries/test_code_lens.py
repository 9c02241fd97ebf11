"""Lenses: how much applies to a file, and on request what binds a line (spec 2.2)."""

from __future__ import annotations

import pytest

from memlens.queries.code_lens import Lens, code_lens
from memlens.queries.model import FileView

from .builders import card, on_file, on_lines, view


def counted(kinds: list[str]) -> FileView:
    cards = [card(f"e{number}", kind) for number, kind in enumerate(kinds)]
    return view(cards, [on_file(known.entry_id) for known in cards])


@pytest.mark.parametrize(
    ("kinds", "title"),
    [
        (["constraint"], "1 constraint"),
        (["preference", "constraint", "constraint"], "2 constraints · 1 preference"),
        (["working_note", "working_note", "fact"], "1 fact · 2 working notes"),
        (["decision", "house-rule", "house-rule"], "1 decision · 2 house-rule"),
        (["x $(trash)"], "1 x $ (trash)"),
        (["b", "a"], "1 a · 1 b"),
    ],
)
def test_line_1_counts_entries_by_kind_in_a_fixed_order(kinds: list[str], title: str) -> None:
    (lens,) = code_lens(counted(kinds))
    assert (lens.line, lens.title) == (0, title)
    assert len(lens.citations) == len(kinds)


def test_an_entry_on_the_file_and_on_lines_counts_once_and_weak_ones_not_at_all() -> None:
    cards = [card("e1"), card("e2", "fact")]
    document = view(cards, [on_file("e1"), on_lines("e1", 3), on_lines("e1", 5), on_file("e2", weak=True)])
    (lens,) = code_lens(document)
    assert (lens.title, lens.citations) == ("1 constraint", (cards[0].citation,))


@pytest.mark.parametrize("document", [view([], []), view([card("e1")], [on_file("e1", weak=True)])])
def test_without_strong_anchors_there_is_no_lens(document: FileView) -> None:
    assert code_lens(document, lines=True) == ()


def test_each_lens_can_be_turned_off_alone() -> None:
    document = view([card("e1")], [on_lines("e1", 3)])
    assert [lens.line for lens in code_lens(document)] == [0]
    assert [lens.line for lens in code_lens(document, lines=True)] == [0, 3]
    assert [lens.line for lens in code_lens(document, file=False, lines=True)] == [3]
    assert code_lens(document, file=False) == ()


def test_line_lenses_show_constraints_and_decisions_alone() -> None:
    cards = [
        card("e1", text="Only uv."),
        card("e2", "decision", "SQLite."),
        card("e3", "fact"),
        card("e4", "preference"),
    ]
    document = view(cards, [on_lines("e4", 1), on_lines("e3", 2), on_lines("e2", 4), on_lines("e1", 8), on_file("e1")])
    assert code_lens(document, file=False, lines=True) == (
        Lens(4, "◆ SQLite.", (cards[1].citation,)),
        Lens(8, "■ Only uv.", (cards[0].citation,)),
    )


def test_a_line_has_one_lens_with_a_count() -> None:
    cards = [card("e1", "decision", "Later."), card("e2", text="First $(x)."), card("e3", "decision", "Last.")]
    (lens,) = code_lens(view(cards, [on_lines(known.entry_id, 4) for known in cards]), file=False, lines=True)
    assert lens.title == "■ First $ (x). (+2)"
    assert [citation.entry_id for citation in lens.citations] == ["e2", "e3", "e1"]


def test_a_long_text_is_cut() -> None:
    (lens,) = code_lens(view([card("e1", text="word " * 40)], [on_lines("e1", 4)]), file=False, lines=True)
    assert len(lens.title) <= 62
    assert lens.title.endswith("…")
