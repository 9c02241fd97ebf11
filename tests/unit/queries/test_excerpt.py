"""Short forms never cut a character as people see it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlens.queries.excerpt import excerpt
from memlens.queries.visible import flatten

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("exactly 10", 10, "exactly 10"),
        ("eleven char", 10, "eleven ch…"),
        ("cut at blank", 5, "cut…"),
        ("two\nlines", 20, "two lines"),
        ("abc" + FAMILY + "def", 8, "abc…"),
        ("abc" + FAMILY + "def", 9, "abc" + FAMILY + "…"),
        ("cafe\u0301s and bars", 5, "caf…"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1ee\U0001f1f9", 4, "\U0001f1e9\U0001f1ea…"),
        ("ok \U0001f44d\U0001f3fd done", 5, "ok…"),
        ("ab\u202ecdefghijk", 8, "ab…"),
        ("e" + "\u0301" * 20, 5, "e" + "\u0301" * 3 + "…"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", 5, "\u1112\u1161\u11ab…"),
    ],
)
def test_text_is_cut_between_visible_characters(text: str, limit: int, expected: str) -> None:
    assert excerpt(text, limit) == expected


@given(st.text(), st.integers(min_value=2, max_value=80))
def test_an_excerpt_is_a_start_of_the_flattened_text_within_the_limit(text: str, limit: int) -> None:
    short = excerpt(text, limit)
    assert len(short) <= limit
    assert "\n" not in short
    assert short == flatten(text) or flatten(text).startswith(short.removesuffix("…"))
