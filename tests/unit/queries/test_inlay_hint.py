"""Hints at the end of anchored lines (spec 2.2)."""

from __future__ import annotations

import pytest

from memlens.queries.inlay_hint import FOLD_ABOVE, Hint, inlay_hints

from .builders import card, on_file, on_lines, view


def test_a_hint_has_a_mark_a_short_text_and_the_full_text_as_tooltip() -> None:
    shown = card("e1", text="Only uv,\nnever pip.")
    assert inlay_hints(view([shown], [on_lines("e1", 3)]), 0, 10) == (
        Hint(3, "■ Only uv, never pip.", "constraint: Only uv,\nnever pip.", (shown.citation,)),
    )


def test_at_most_60_characters_of_text_are_shown() -> None:
    (hint,) = inlay_hints(view([card("e1", text="x" * 100)], [on_lines("e1", 0)]), 0, 0)
    assert hint.label == "■ " + "x" * 59 + "…"
    assert hint.tooltip == "constraint: " + "x" * 100


@pytest.mark.parametrize(
    ("first", "last", "lines"), [(0, 99, [2, 7]), (2, 2, [2]), (3, 6, []), (7, 7, [7]), (8, 99, []), (5, 1, [])]
)
def test_hints_of_the_asked_lines_alone_on_the_first_line_of_each_range(
    first: int, last: int, lines: list[int]
) -> None:
    document = view([card("e1"), card("e2")], [on_lines("e1", 2, 5), on_lines("e2", 7)])
    assert [hint.line for hint in inlay_hints(document, first, last)] == lines


def test_weak_and_file_level_anchors_have_no_hint() -> None:
    assert inlay_hints(view([card("e1")], [on_file("e1"), on_lines("e1", 2, weak=True)]), 0, 99) == ()


@pytest.mark.parametrize(("entries", "hints"), [(1, 1), (FOLD_ABOVE, FOLD_ABOVE), (FOLD_ABOVE + 1, 1), (40, 1)])
def test_more_than_six_entries_on_a_line_fold_behind_the_one_that_binds_most(entries: int, hints: int) -> None:
    cards = [card(f"e{n:02}", "fact", f"Fact {n:02}.") for n in range(1, entries)] + [card("e00", text="Binding.")]
    shown = inlay_hints(view(cards, [on_lines(known.entry_id, 4) for known in cards]), 0, 9)
    assert len(shown) == hints
    assert shown[0].label == "■ Binding." + (f" (+{entries - 1})" if entries > FOLD_ABOVE else "")
    assert {citation.entry_id for hint in shown for citation in hint.citations} == {known.entry_id for known in cards}


def test_deceptive_characters_are_visible_in_label_and_tooltip() -> None:
    (hint,) = inlay_hints(view([card("e1", text="a\u202eb")], [on_lines("e1", 0)]), 0, 0)
    assert (hint.label, hint.tooltip) == ("■ a\\u{202E}b", "constraint: a\\u{202E}b")
