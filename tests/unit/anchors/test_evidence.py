"""Where evidence leads in a document that changed since (spec 2.1, cases A1 and A5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.evidence import MAX_ANCHORED_LINES, ComparableText, evidence_anchor
from memlens.anchors.model import EvidencePlace, Strength
from memlens.core.lines import split_lines

TEXT = "import x\n\n\ndef charge(amount):\n    check(amount)\n    return amount\n\n\ndef other():\n    pass\n"
EXCERPT = "def charge(amount):\n    check(amount)\n"


def anchored(text, excerpt=EXCERPT, start_line=4, **place):
    return evidence_anchor(
        "e", EvidencePlace("s", "a.py", excerpt, start_line, **place), ComparableText(split_lines(text))
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("nothing", TEXT),
        ("CRLF", TEXT.replace("\n", "\r\n")),
        ("lone CR", TEXT.replace("\n", "\r")),
        ("mixed line ends", TEXT.replace("\n", "\r\n", 4)),
        ("byte order mark", "\ufeff" + TEXT),
        ("no final line end", TEXT.rstrip("\n")),
        ("blanks at line ends", TEXT.replace("):\n", "):  \t\n")),
    ],
)
def test_other_bytes_of_the_same_lines_are_no_change(change, text):
    anchor = anchored(text)
    assert (anchor.start_line, anchor.end_line, anchor.strength) == (3, 4, Strength.STRONG)
    assert anchor.why == "lines 4-5 of this file support it"


def test_a_byte_order_mark_of_the_excerpt_or_the_document_is_ignored_on_the_first_line():
    assert anchored("\ufeffimport x\n", "import x", 1).start_line == 0
    assert anchored("import x\n", "\ufeffimport x", 1).start_line == 0


def test_a_line_separator_in_a_string_is_no_line_end():
    assert anchored('a = "\u2028"\nb = 1\nc = longer\n', "c = longer", 3).start_line == 2


def test_evidence_is_followed_to_where_it_moved():
    anchor = anchored("# added\n" * 10 + TEXT)
    assert (anchor.start_line, anchor.end_line) == (13, 14)


def test_evidence_that_is_gone_is_a_weak_anchor_on_the_file_with_the_reason():
    anchor = anchored(TEXT.replace("charge", "bill").replace("check", "verify"))
    assert anchor.is_file_level
    assert anchor.strength is Strength.WEAK
    assert anchor.why.startswith("its evidence changed")


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("charge", "bill"),
        TEXT.replace("check(amount)", "check(amount, currency)"),
        "# added\n" * 3 + TEXT.replace("charge", "bill"),
    ],
)
def test_evidence_of_which_some_lines_changed_stays_on_its_lines_and_says_so(text):
    anchor = anchored(text)
    first = text.count("# added")
    assert (anchor.start_line, anchor.end_line, anchor.strength) == (first + 3, first + 4, Strength.STRONG)
    assert anchor.why == f"lines {first + 4}-{first + 5} of this file supported it, and changed since"


def test_one_common_line_is_not_enough_to_follow_evidence_by():
    excerpt = "def charge(amount):\n    return amount\n    check(everything)\n    log(everything)\n"
    assert anchored("def other():\n    return amount\n", excerpt).is_file_level


@given(st.text(max_size=200), st.text(max_size=400), st.integers(0, 50))
def test_changed_evidence_is_only_ever_found_inside_the_document(excerpt, text, near):
    lines = split_lines(text)
    found = ComparableText(lines).find_changed(excerpt, near)
    assert found is None or 0 <= found[0] <= found[1] < len(lines)


@pytest.mark.parametrize(("start_line", "expected"), [(1, 1), (5, 4), (6, 4), (7, 7), (40, 7), (None, 1)])
def test_of_repeated_text_the_nearest_to_the_original_line_counts(start_line, expected):
    lines = ["-"] * 9
    for line in (1, 4, 7):
        lines[line] = "same"
    assert anchored("\n".join(lines), "same", start_line).start_line == expected


def test_whole_lines_go_before_parts_of_lines():
    text = "x = return_value_of(it)\n\n\n\nreturn_value\n"
    assert anchored(text, "return_value", 1).start_line == 4


def test_a_selection_inside_lines_is_found():
    anchor = anchored(TEXT, "charge(amount):\n    check(amo")
    assert (anchor.start_line, anchor.end_line) == (3, 4)


def test_a_short_piece_of_a_line_is_not_found_by_chance():
    assert anchored(TEXT, "ret", 6).strength is Strength.WEAK


def test_blank_lines_around_an_excerpt_do_not_count():
    anchor = anchored(TEXT, "\n\n" + EXCERPT + "\n\n", 2)
    assert (anchor.start_line, anchor.end_line) == (3, 4)


def test_one_line_reads_as_one_line():
    assert anchored(TEXT, "import x", 1).why == "line 1 of this file supports it"


def test_a_long_excerpt_supports_the_file_rather_than_lines():
    lines = [f"line {n}" for n in range(MAX_ANCHORED_LINES + 10)]
    long, short = lines[: MAX_ANCHORED_LINES + 1], lines[:MAX_ANCHORED_LINES]
    assert anchored("\n".join(lines), "\n".join(long), 1).is_file_level
    assert anchored("\n".join(lines), "\n".join(long), 1).strength is Strength.STRONG
    assert anchored("\n".join(lines), "\n".join(short), 1).end_line == MAX_ANCHORED_LINES - 1


@pytest.mark.parametrize("excerpt", [None, "", " \n "])
def test_a_source_without_an_excerpt_supports_the_whole_file(excerpt):
    anchor = anchored(TEXT, excerpt, None)
    assert (anchor.is_file_level, anchor.strength) == (True, Strength.STRONG)


def test_a_file_that_a_commit_only_touched_is_weak():
    anchor = anchored(TEXT, None, None, touched=True)
    assert (anchor.is_file_level, anchor.strength) == (True, Strength.WEAK)


LINES = st.lists(st.text(alphabet="ab \t}\u2028", max_size=4), min_size=1, max_size=12)


@settings(deadline=None)
@given(LINES, st.data())
def test_any_lines_of_a_document_are_found_where_they_are(lines, data):
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    excerpt = [line.rstrip() for line in lines[first : last + 1]]
    found = ComparableText(lines).find("\n".join(lines[first : last + 1]), first)
    if not any(excerpt):
        assert found is None
    else:
        assert found is not None
        blank_before = next(n for n, line in enumerate(excerpt) if line)
        assert found[0] == first + blank_before
        assert [line.rstrip() for line in lines[found[0] : found[1] + 1]] == "\n".join(excerpt).strip("\n").split("\n")


@settings(deadline=None)
@given(st.lists(st.text(max_size=5), max_size=6), st.text(max_size=10), st.integers(-5, 10**9))
def test_no_document_or_excerpt_makes_it_fail(lines, excerpt, start_line):
    anchor = evidence_anchor("e", EvidencePlace("s", "p", excerpt, start_line), ComparableText(lines))
    assert anchor.end_line is None or 0 <= anchor.end_line < max(1, len(lines))
