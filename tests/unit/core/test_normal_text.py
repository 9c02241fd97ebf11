"""The normal form of texts, reasons and kinds (spec 1.4)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memlens.core.errors import InvalidKindError, InvalidTextError
from memlens.core.text import check_kind, normalise_reason, normalise_text

STORABLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\r\t"), max_size=60)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  text \n", "text"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("tab\tkept", "tab\tkept"),
        ("cafe\u0301", "café"),
        ("\u3000全角空白\u3000", "全角空白"),
        ("a\u2028b", "a\u2028b"),
        ("zero\u200bwidth \u202ebidi", "zero\u200bwidth \u202ebidi"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
    ],
)
def test_normal_form_by_example(text: str, normal: str) -> None:
    assert normalise_text(text) == normal


@given(STORABLE)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    assume(any(unicodedata.category(character)[0] not in "CZ" for character in text))
    normal = normalise_text(text)
    assert normalise_text(normal) == normal
    assert unicodedata.is_normalized("NFC", normal)
    assert "\r" not in normal
    assert normal == normal.strip()


@given(STORABLE)
def test_composed_and_decomposed_texts_have_one_normal_form(text: str) -> None:
    assume(text.strip())
    assert normalise_text(unicodedata.normalize("NFD", text)) == normalise_text(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_text_is_refused_and_an_empty_reason_is_none(text: str) -> None:
    with pytest.raises(InvalidTextError, match="empty"):
        normalise_text(text)
    assert normalise_reason(text) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a\0", "U+0000, character 2"),
        ("\x1b[31m", "U+001B"),
        ("\x7f", "U+007F"),
        ("a\x85b", "U+0085"),
        ("\ud83d", "U+D83D"),
    ],
)
def test_a_character_that_cannot_be_stored_is_named_with_its_place(text: str, named: str) -> None:
    for normalise in (normalise_text, normalise_reason):
        with pytest.raises(InvalidTextError) as refusal:
            normalise(text)
        assert named in str(refusal.value)


@pytest.mark.parametrize("unit", ["a", "é", "中", "🚦"])
def test_a_text_is_at_most_8192_bytes_in_normal_form(unit: str) -> None:
    most = 8192 // len(unit.encode())
    assert normalise_text("  " + unit * most) == unit * most
    with pytest.raises(InvalidTextError, match="8,192"):
        normalise_text(unit * (most + 1))


def test_a_reason_is_at_most_512_code_points_in_normal_form() -> None:
    assert normalise_reason(" " + "e\u0301" * 512) == "é" * 512
    with pytest.raises(InvalidTextError, match="512"):
        normalise_reason("x" * 513)


def test_other_things_than_strings_are_refused() -> None:
    with pytest.raises(InvalidTextError):
        normalise_text(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(InvalidKindError):
        check_kind(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["fact", "x", "x" * 64, "team: runbook/v2", "!~"])
def test_a_kind_is_1_to_64_printable_ascii_characters(kind: str) -> None:
    assert check_kind(kind) == kind


@pytest.mark.parametrize("kind", ["", " ", "x" * 65, "a\n", "a\tb", "é", "偏好", "\x7f"])
def test_no_other_kind_is_accepted(kind: str) -> None:
    with pytest.raises(InvalidKindError):
        check_kind(kind)
