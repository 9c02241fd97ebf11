"""Line anchors move with edits at once (spec 5.2, case A3)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.model import Anchor, Rule, Strength
from memlens.anchors.shift import LineEdit, shift


def on(start, end=None):
    return Anchor("e", Rule.EVIDENCE, Strength.STRONG, "why", start, start if end is None else end)


def after(anchor, *edits):
    return [(moved.start_line, moved.end_line) for moved in shift([anchor], edits)]


@pytest.mark.parametrize(
    ("what", "edit", "expected"),
    [
        ("lines inserted above", LineEdit(3, 3, 2), [(12, 14)]),
        ("a line inserted just above", LineEdit(10, 10, 1), [(11, 13)]),
        ("lines deleted above", LineEdit(3, 5, 0), [(8, 10)]),
        ("the line just above deleted", LineEdit(9, 10, 0), [(9, 11)]),
        ("lines inserted just below", LineEdit(13, 13, 5), [(10, 12)]),
        ("far below", LineEdit(50, 60, 0), [(10, 12)]),
        ("typing on the first line", LineEdit(10, 11, 1), [(10, 12)]),
        ("typing on a line inside", LineEdit(11, 12, 1), [(10, 12)]),
        ("a break inside the first line", LineEdit(10, 11, 2), [(10, 13)]),
        ("a line inserted inside", LineEdit(11, 11, 1), [(10, 13)]),
        ("a line deleted inside", LineEdit(11, 12, 0), [(10, 11)]),
        ("the first line deleted", LineEdit(10, 11, 0), [(10, 11)]),
        ("the last line deleted", LineEdit(12, 13, 0), [(10, 11)]),
        ("joined with the line above", LineEdit(9, 11, 1), [(9, 11)]),
        ("joined with the line below", LineEdit(12, 14, 1), [(10, 12)]),
        ("rewritten as a whole", LineEdit(10, 13, 3), [(10, 12)]),
        ("all lines deleted", LineEdit(10, 13, 0), []),
        ("deleted with lines around", LineEdit(5, 20, 0), []),
        ("replaced with lines around by one line", LineEdit(5, 20, 1), []),
    ],
)
def test_an_anchor_on_three_lines_follows_an_edit(what, edit, expected):
    assert after(on(10, 12), edit) == expected


def test_edits_count_one_after_the_other():
    assert after(on(10), LineEdit(0, 0, 5), LineEdit(14, 15, 0)) == [(14, 14)]
    assert after(on(10), LineEdit(0, 0, 5), LineEdit(15, 16, 0)) == []


def test_anchors_on_the_file_stay():
    anchor = Anchor("e", Rule.PATH, Strength.STRONG, "why")
    assert shift([anchor], [LineEdit(0, 100, 0)]) == (anchor,)


@st.composite
def edited_documents(draw):
    document = [object() for _ in range(draw(st.integers(1, 20)))]
    edits = []
    now = list(document)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(now)))
        end = draw(st.integers(start, len(now)))
        inserted = draw(st.integers(0, 4))
        edits.append(LineEdit(start, end, inserted))
        now[start:end] = [object() for _ in range(inserted)]
    return document, edits, now


@settings(deadline=None)
@given(edited_documents())
def test_an_untouched_line_is_where_looking_anew_would_find_it(example):
    document, edits, now = example
    for number, line in enumerate(document):
        if line in now:
            assert after(on(number), *edits) == [(now.index(line), now.index(line))]


@settings(deadline=None)
@given(edited_documents(), st.data())
def test_a_moved_anchor_lies_in_the_document(example, data):
    document, edits, now = example
    start = data.draw(st.integers(0, len(document) - 1))
    end = data.draw(st.integers(start, len(document) - 1))
    assert all(0 <= first <= last < len(now) for first, last in after(on(start, end), *edits))
