"""Deceptive characters are shown, ordinary writing is left alone (spec 3.2, invariant 5)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlens.queries.visible import flatten, visible

ATTACKS = [
    ("bidirectional override", "a\u202eb", "a\\u{202E}b"),
    ("bidirectional isolate", "a\u2066b", "a\\u{2066}b"),
    ("zero width space", "a\u200bb", "a\\u{200B}b"),
    ("soft hyphen", "a\u00adb", "a\\u{00AD}b"),
    ("byte order mark", "\ufeffa", "\\u{FEFF}a"),
    ("escape character", "a\x1b[31mb", "a\\u{001B}[31mb"),
    ("line separator", "a\u2028b", "a\\u{2028}b"),
    ("next line", "a\u0085b", "a\\u{0085}b"),
    ("lone surrogate", "a\ud83db", "a\\u{D83D}b"),
    ("hangul filler", "a\u3164b", "a\\u{3164}b"),
    ("blank braille", "a\u2800b", "a\\u{2800}b"),
    ("zero width joiner between Latin letters", "a\u200db", "a\\u{200D}b"),
    ("joiner at the end", "\u0645\u200c", "\u0645\\u{200C}"),
    ("two joiners", "\u0645\u200c\u200c\u0645", "\u0645\\u{200C}\\u{200C}\u0645"),
    ("selector after a letter", "a\ufe0f", "a\\u{FE0F}"),
    ("run of selectors", "\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\u{FE0F}"),
    ("supplementary selectors", "a\U000e0100", "a\\u{E0100}"),
    ("tag characters", "a\U000e0041\U000e0042", "a\\u{E0041}\\u{E0042}"),
    ("tag characters behind a flag that is none", "\U0001f3f4\U000e0061\U000e007f", "\U0001f3f4\\u{E0061}\\u{E007F}"),
]

ORDINARY = [
    ("emoji family", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    ("skin tone and profession", "\U0001f469\U0001f3fd\u200d\U0001f4bb"),
    ("heart on fire", "\u2764\ufe0f\u200d\U0001f525"),
    ("keycap", "1\ufe0f\u20e3"),
    ("flag of Scotland", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"),
    ("Persian", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
    ("Persian with a vowel sign", "\u0645\u064e\u200c\u062e"),
    ("Devanagari", "\u0915\u094d\u200d\u0937"),
    ("ideographic variant", "\u845b\U000e0100"),
    ("Chinese", "\u9650\u6d41\u9608\u503c"),
    ("combining accent", "e\u0301"),
    ("no-break space", "10\u00a0ms"),
    ("lines and tabs", "a\n\tb"),
]


@pytest.mark.parametrize(("text", "shown"), [row[1:] for row in ATTACKS], ids=[row[0] for row in ATTACKS])
def test_a_deceptive_character_becomes_a_visible_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", [row[1] for row in ORDINARY], ids=[row[0] for row in ORDINARY])
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_nothing_invisible_is_left_but_joiners_selectors_and_flags(text: str) -> None:
    left = {unicodedata.category(character) for character in visible(text) if character not in "\n\t\u200c\u200d"}
    tags = any("\U000e0061" <= character <= "\U000e007f" for character in visible(text))
    assert not left & {"Cc", "Cs", "Zl", "Zp"}
    assert "Cf" not in left or tags


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\n  b", "a b"), ("a \r\n\r\n b", "a b"), ("a\rb", "a b"), ("a\tb", "a b"), ("\n a \n", "a")],
)
def test_line_breaks_are_flattened_with_the_blanks_around_them(text: str, line: str) -> None:
    assert flatten(text) == line
