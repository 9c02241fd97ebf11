"""The mirror of a document's text is the client's text, whatever is edited in whichever encoding (spec 4, W1)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.shift import LineEdit
from memlens.lsp.positions import PositionEncoding, from_column, to_column
from memlens.lsp.text import TextBuffer, TextPosition, without_surrogates

from .reference_text import reference_edit, reference_lines, units_of

ENCODINGS = list(PositionEncoding)
PIECES = st.sampled_from(
    [
        "a",
        "bc",
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "é",
        "ß",
        "队",
        "😋",
        "🚦",
        "\x0c",
        "\x85",
        "\u2028",
        "\x0b",
        "\x1c",
        "e\u0301",
        " ",
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
POSITIONS = st.builds(TextPosition, st.integers(0, 9), st.integers(0, 12))
EDITS = st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS), max_size=8)


def at(line: int, character: int) -> TextPosition:
    return TextPosition(line, character)


def text_of(buffer: TextBuffer) -> str:
    return "".join(buffer.snapshot())


@settings(max_examples=400)
@given(TEXTS, EDITS, st.sampled_from(ENCODINGS))
def test_edits_give_what_the_specification_says(
    text: str, edits: list[tuple[TextPosition, TextPosition, str]], encoding: PositionEncoding
) -> None:
    buffer = TextBuffer(text)
    for start, end, new in edits:
        buffer.replace(start, end, new, encoding)
        text = reference_edit(text, start, end, new, encoding)
        assert buffer.snapshot() == tuple(reference_lines(text))
        assert (buffer.size, buffer.line_count) == (len(text), len(reference_lines(text)))


@settings(max_examples=400)
@given(TEXTS, EDITS, st.sampled_from(ENCODINGS))
def test_line_edits_turn_the_old_lines_into_the_new_ones(
    text: str, edits: list[tuple[TextPosition, TextPosition, str]], encoding: PositionEncoding
) -> None:
    buffer = TextBuffer(text)
    for start, end, new in edits:
        before = buffer.snapshot()
        edit = buffer.replace(start, end, new, encoding)
        after = buffer.snapshot()
        assert after[: edit.start] == before[: edit.start]
        assert after[edit.start + edit.inserted :] == before[edit.end :]


@given(TEXTS, TEXTS)
def test_a_whole_new_text_is_an_edit_of_the_lines_that_differ(old: str, new: str) -> None:
    buffer = TextBuffer(old)
    edit = buffer.replace_all(new)
    assert buffer.snapshot() == tuple(reference_lines(new))
    kept = (*reference_lines(old)[: edit.start], *reference_lines(old)[edit.end :])
    assert kept == (*reference_lines(new)[: edit.start], *reference_lines(new)[edit.start + edit.inserted :])


@given(st.text(max_size=20), st.sampled_from(ENCODINGS))
def test_columns_convert_there_and_back(line: str, encoding: PositionEncoding) -> None:
    line = without_surrogates(line.replace("\r", "").replace("\n", ""))
    units = 0
    for column, character in enumerate(line):
        assert from_column(line, column, encoding) == units
        assert to_column(line, units, encoding) == column
        for inside in range(1, units_of(character, encoding)):
            assert to_column(line, units + inside, encoding) == column
        units += units_of(character, encoding)
    assert from_column(line, len(line) + 5, encoding) == units
    assert to_column(line, units + 5, encoding) == len(line)


@pytest.mark.parametrize(
    ("name", "old", "start", "end", "new", "expected"),
    [
        ("LF after a CR completes one line end", "a\rb", at(1, 0), at(1, 0), "\n", "a\r\nb"),
        ("CR before a LF completes one line end", "a\nb", at(0, 1), at(0, 1), "\r", "a\r\nb"),
        ("what separated CR from LF is deleted", "a\rx\nb", at(1, 0), at(1, 1), "", "a\r\nb"),
        ("a CRLF is split by a replaced end", "a\r\nb", at(0, 1), at(1, 0), "\r.\n", "a\r.\nb"),
        ("past the end of a last line without line end", "ab", at(0, 0), at(0, 9), "x", "x"),
        ("past the end of a line", "ab\ncd", at(0, 9), at(0, 99), "x", "abx\ncd"),
        ("past the end of the text", "ab\ncd", at(9, 0), at(99, 9), "x", "ab\ncdx"),
        ("end before start", "abcd", at(0, 3), at(0, 1), "x", "abcxd"),
        ("inside a surrogate pair", "😋b", at(0, 1), at(0, 1), "x", "x😋b"),
        ("empty text", "", at(0, 0), at(0, 0), "a\n", "a\n"),
        ("form feed is no line end", "a\x0cb\nc", at(1, 0), at(1, 1), "x", "a\x0cb\nx"),
        ("U+2028 is no line end", "a\u2028b\nc", at(1, 0), at(1, 1), "x", "a\u2028b\nx"),
    ],
)
def test_edges_of_the_specification(
    name: str, old: str, start: TextPosition, end: TextPosition, new: str, expected: str
) -> None:
    buffer = TextBuffer(old)
    buffer.replace(start, end, new, PositionEncoding.UTF16)
    assert buffer.snapshot() == tuple(reference_lines(expected)), name


@pytest.mark.parametrize(
    ("name", "old", "start", "end", "new", "edit"),
    [
        ("break at the start of a line", "a\nb\nc", at(1, 0), at(1, 0), "\n", LineEdit(1, 1, 1)),
        ("break at the end of a line", "a\nb\nc", at(1, 1), at(1, 1), "\n", LineEdit(2, 2, 1)),
        ("break inside a line", "a\nbb\nc", at(1, 1), at(1, 1), "\n", LineEdit(1, 2, 2)),
        ("character in a line", "a\nb\nc", at(1, 1), at(1, 1), "x", LineEdit(1, 2, 1)),
        ("whole lines deleted", "a\nb\nc\nd", at(1, 0), at(3, 0), "", LineEdit(1, 3, 0)),
        ("two lines joined", "a\nb\nc", at(0, 1), at(1, 0), "", LineEdit(0, 2, 1)),
        ("lines pasted", "a\nd", at(1, 0), at(1, 0), "b\nc\n", LineEdit(1, 1, 2)),
        ("nothing", "a\nb", at(1, 0), at(1, 1), "b", LineEdit(2, 2, 0)),
    ],
)
def test_an_edit_touches_as_few_lines_as_it_can(
    name: str, old: str, start: TextPosition, end: TextPosition, new: str, edit: LineEdit
) -> None:
    assert TextBuffer(old).replace(start, end, new, PositionEncoding.UTF16) == edit, name


@pytest.mark.parametrize(
    ("encoding", "column"), [(PositionEncoding.UTF8, 24), (PositionEncoding.UTF16, 17), (PositionEncoding.UTF32, 16)]
)
@pytest.mark.parametrize("before", ["", "😋\n"])
def test_a_character_typed_behind_an_emoji_lands_where_the_client_put_it(
    encoding: PositionEncoding, column: int, before: str
) -> None:
    buffer = TextBuffer(before + 'label = "🚦é队列"  # note')
    line = before.count("\n")
    buffer.replace(at(line, column), at(line, column), "X", encoding)
    assert text_of(buffer) == before + 'label = "🚦é队列"  X# note'


def test_lone_surrogates_are_replaced_and_positions_stay() -> None:
    buffer = TextBuffer("a\ud83db")
    buffer.replace(at(0, 2), at(0, 2), "\ude00x", PositionEncoding.UTF16)
    assert text_of(buffer) == "a\ufffd\ufffdxb"


def test_a_snapshot_does_not_change_with_the_text() -> None:
    buffer = TextBuffer("a\nb")
    before = buffer.snapshot()
    buffer.replace(at(0, 0), at(0, 0), "x", PositionEncoding.UTF16)
    assert before == ("a\n", "b")


def test_a_keystroke_costs_about_the_same_in_a_document_a_hundred_times_larger() -> None:
    def seconds_per_edit(lines: int) -> float:
        buffer = TextBuffer("some words on a line\n" * lines)
        place, best = at(lines // 2, 3), 1.0
        for _ in range(50):
            started = time.perf_counter()
            for _ in range(20):
                buffer.replace(place, place, "x", PositionEncoding.UTF16)
            best = min(best, (time.perf_counter() - started) / 20)
        return best

    assert seconds_per_edit(100_000) < 40 * seconds_per_edit(1_000)
