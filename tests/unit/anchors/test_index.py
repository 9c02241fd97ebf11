"""What applies to a file: all rules together, and what a person decided (spec 2.1, 5.2)."""

import pathspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors import path_index
from memlens.anchors.globs import glob_matches
from memlens.anchors.index import AnchorIndex
from memlens.anchors.model import (
    AnchorEntry,
    Applicability,
    EvidencePlace,
    Origin,
    Rule,
    Strength,
    Target,
    TargetKind,
)
from memlens.anchors.proposal import propose
from memlens.anchors.stated import stated_targets
from memlens.anchors.tree import ListedTree

TREE = ListedTree(["Makefile", "site/index.html", "src/a.ts", "src/x/b.ts", "src/x/c.py", "pyproject.toml"])
MAKEFILE = ["all:\n", "docs-test: x\n", "\t@true\n"]


def entry(entry_id="e", text="", *, applies=(), evidence=()):
    applicability = (propose(text, TREE), *(Applicability(origin, targets) for origin, targets in applies))
    return AnchorEntry(entry_id, "constraint", text, applicability, tuple(evidence))


def stated(origin=Origin.CONFIRMED, **targets):
    return (origin, stated_targets(**targets))


def whys(entries, path, lines=("",)):
    return [anchor.why for anchor in AnchorIndex(entries).anchors(path, lines)]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("`site/` is output", "site/index.html", ["the text names `site/`, and this file is below it"]),
        ("`site/` is output", "docs/site/index.html", []),
        ("`site/` is output", "site", []),
        ("`src/a.ts` is old", "src/a.ts", ["the text names `src/a.ts`, which is this file"]),
        ("`src/a.ts` is old", "lib/src/a.ts", []),
        ("src/**/*.ts is strict", "src/x/b.ts", ["the text names `src/**/*.ts`, and it matches this file"]),
        ("src/**/*.ts is strict", "src/x/c.py", []),
        ("`src/*.{ts,tsx}` is strict", "src/new.tsx", ["the text names `src/*.{ts,tsx}`, and it matches this file"]),
        ("Nothing named", "src/a.ts", []),
    ],
)
def test_a_path_or_glob_in_the_text_applies_to_the_files_it_names(text, path, expected):
    assert whys([entry(text=text)], path) == expected


def test_a_command_in_the_text_applies_where_it_is_defined():
    (anchor,) = AnchorIndex([entry(text="Run `make docs-test`.")]).anchors("Makefile", MAKEFILE)
    assert (anchor.start_line, anchor.end_line, anchor.rule) == (1, 1, Rule.COMMAND)
    assert anchor.strength is Strength.STRONG
    assert anchor.why == "`make docs-test` is defined on this line"


@pytest.mark.parametrize("path", ["vendor/Makefile", "src/a.ts"])
def test_a_command_does_not_apply_where_others_are_defined(path):
    assert whys([entry(text="Run `make docs-test`.")], path, MAKEFILE) == []


@pytest.mark.parametrize(
    ("pattern", "matched", "not_matched"),
    [
        ("test/**", ["test/a.py"], ["x/test/a.py", "tests/a.py"]),
        ("*.py", ["a.py", "x/a.py"], ["a.pyi"]),
        ("**/*.d.ts", ["a.d.ts", "x/a.d.ts"], ["a.ts"]),
        ("**/index.md", ["index.md", "x/index.md"], ["x/aindex.md"]),
        ("Makefile", ["Makefile"], ["x/Makefile"]),
        ("docs", ["docs", "docs/a.md"], ["x/docs/a.md"]),
        ("docs/", ["docs/x/a.md"], ["docs"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/x/page.tsx"]),
        ("src/{a,b}/c.py", ["src/a/c.py", "src/b/c.py"], ["src/c.py"]),
        ("**", ["a", "a/b"], []),
    ],
)
def test_a_stated_pattern_applies_from_the_root_and_says_so(pattern, matched, not_matched):
    index = AnchorIndex([entry(applies=[stated(paths=[pattern])])])
    for path in matched:
        (anchor,) = index.anchors(path, [""])
        assert (anchor.rule, anchor.why) == (Rule.STATED, f"applies to `{pattern}` (stated)")
    assert [path for path in not_matched if index.anchors(path, [""])] == []


def test_confirmed_replaces_proposed():
    confirmed = entry(text="`site/` is output", applies=[stated(paths=["src/"])])
    assert whys([confirmed], "site/index.html") == []
    assert whys([confirmed], "src/a.ts") == ["applies to `src/` (stated)"]


def test_confirmed_to_apply_nowhere_leaves_the_evidence():
    nowhere = entry(text="`src/` is old", applies=[stated()], evidence=[EvidencePlace("s", "src/a.ts")])
    assert whys([nowhere], "src/x/b.ts") == []
    assert whys([nowhere], "src/a.ts") == ["this file supports it"]


def test_pinned_adds_to_proposed_and_to_confirmed():
    pin = stated(Origin.PINNED, paths=["pyproject.toml"])
    pinned = entry(text="`site/` is output", applies=[pin])
    assert whys([pinned], "site/index.html") == ["the text names `site/`, and this file is below it"]
    assert whys([pinned], "pyproject.toml") == ["applies to `pyproject.toml` (pinned)"]
    both = entry(text="`site/` is output", applies=[pin, stated(paths=["src/"])])
    assert whys([both], "pyproject.toml") == ["applies to `pyproject.toml` (pinned)"]


@pytest.mark.parametrize("pattern", ["Makefile", "**", "Make*"])
def test_muted_on_a_file_nothing_of_the_entry_shows_there(pattern):
    muted = entry(
        text="`make docs-test` in the Makefile",
        applies=[stated(Origin.MUTED, paths=[pattern])],
        evidence=[EvidencePlace("s", "Makefile", "all:", 1)],
    )
    other = entry("other", "Makefile")
    found = AnchorIndex([muted, other]).anchors("Makefile", MAKEFILE)
    assert [anchor.entry_id for anchor in found] == ["other"]


def test_a_muted_command_is_not_shown_where_it_is_defined():
    muted = entry(text="`make docs-test`, `make all`", applies=[stated(Origin.MUTED, commands=["make docs-test"])])
    assert whys([muted], "Makefile", MAKEFILE) == ["`make all` is defined on this line"]


def test_a_stated_command_says_so():
    found = whys([entry(applies=[stated(commands=["make all"])])], "Makefile", MAKEFILE)
    assert found == ["`make all` is defined on this line (stated)"]


def test_targets_that_no_rule_evaluates_yet_show_nothing():
    assert whys([entry(applies=[stated(kinds=["py"], symbols=["a"], keys=["k"])])], "a.py", ["a"]) == []


def test_a_target_outside_the_repository_matches_nothing():
    outside = (Target(TargetKind.PATH, "/etc/x", Rule.STATED), Target(TargetKind.PATH, "../x", Rule.PATH))
    index = AnchorIndex([entry(applies=[(Origin.CONFIRMED, outside)])])
    assert [path for path in ("/etc/x", "etc/x", "../x", "x") if index.anchors(path, [""])] == []


def test_order_is_file_then_line_and_the_surest_first():
    entries = [
        entry("d", evidence=[EvidencePlace("s", "Makefile", touched=True)]),
        entry("c", "`make docs-test`"),
        entry("b", "Makefile", evidence=[EvidencePlace("s", "Makefile", "docs-test: x", 2)]),
        entry("a", evidence=[EvidencePlace("s", "Makefile", "all:", 1)]),
        entry("e", applies=[stated(paths=["Makefile"])]),
    ]
    found = AnchorIndex(entries).anchors("Makefile", MAKEFILE)
    assert [(anchor.entry_id, anchor.start_line) for anchor in found] == [
        ("e", None),
        ("b", None),
        ("d", None),
        ("a", 0),
        ("c", 1),
        ("b", 1),
    ]
    assert AnchorIndex(reversed(entries)).anchors("Makefile", MAKEFILE) == found


def test_an_entry_has_one_anchor_on_the_file_and_one_on_a_line_the_strongest():
    several = entry(
        text="`make docs-test` in the Makefile",
        evidence=[
            EvidencePlace("s1", "Makefile", touched=True),
            EvidencePlace("s2", "Makefile"),
            EvidencePlace("s3", "Makefile", "docs-test: x", 2),
            EvidencePlace("s4", "Makefile", "gone for good"),
        ],
    )
    found = AnchorIndex([several]).anchors("Makefile", MAKEFILE)
    assert [(anchor.start_line, anchor.rule) for anchor in found] == [(None, Rule.PATH), (1, Rule.COMMAND)]


def test_entries_are_listed_by_identifier():
    index = AnchorIndex([entry("a"), entry("b")])
    assert sorted(index.entries) == ["a", "b"]
    assert index.entries["a"].entry_id == "a"


def test_a_replaced_index_leaves_the_first_as_it_was():
    first = AnchorIndex([entry("a", "`src/`"), entry("b", "`src/`")])
    second = first.replaced([entry("a", "`site/`")], ["b", "unknown"])
    assert [anchor.entry_id for anchor in first.anchors("src/a.ts", [""])] == ["a", "b"]
    assert second.anchors("src/a.ts", [""]) == ()
    assert [anchor.entry_id for anchor in second.anchors("site/index.html", [""])] == ["a"]
    assert sorted(second.entries) == ["a"]


PATHS = st.sampled_from(["Makefile", "a.py", "src/a.py", "src/x/b.d.ts", "docs/x/a.md", "test/a.py", "x/test/a.py"])
PATTERNS = st.sampled_from(
    [
        "*.py",
        "src/",
        "src/**",
        "**/a.py",
        "Makefile",
        "test/**",
        "*.d.ts",
        "*.ts",
        "docs/*/a.md",
        "**",
        "s*/**",
        "a.{py,md}",
    ]
)
COMMANDS = st.sampled_from(["make all", "make docs-test"])
EVIDENCE = st.builds(
    EvidencePlace, st.just("s"), PATHS, st.sampled_from([None, "all:", "gone"]), st.just(1), st.booleans()
)


@st.composite
def entries_by_id(draw, ids="abcdef"):
    made = []
    for entry_id in draw(st.lists(st.sampled_from(ids), unique=True)):
        applies = [
            stated(origin, paths=draw(st.lists(PATTERNS, max_size=2)), commands=draw(st.lists(COMMANDS, max_size=1)))
            for origin in draw(st.lists(st.sampled_from(list(Origin)), max_size=3))
        ]
        made.append(entry(entry_id, applies=applies, evidence=draw(st.lists(EVIDENCE, max_size=2))))
    return made


@settings(max_examples=200, deadline=None)
@given(entries_by_id(), entries_by_id(), st.lists(st.sampled_from("abcdefg"), unique=True))
def test_a_replaced_index_answers_as_one_made_anew(before, changed, removed):
    replaced = AnchorIndex(before).replaced(changed, removed)
    kept = {each.entry_id: each for each in before if each.entry_id not in removed}
    anew = AnchorIndex((kept | {each.entry_id: each for each in changed}).values())
    assert dict(replaced.entries) == dict(anew.entries)
    for path in ("Makefile", "a.py", "src/a.py", "src/x/b.d.ts", "docs/x/a.md"):
        assert replaced.anchors(path, MAKEFILE) == anew.anchors(path, MAKEFILE)


SEGMENT = st.sampled_from(["a", "b", "src", "test", "a.py", "b.d.ts", ".x", "x.y"])
ANY_PATH = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)
GLOB_SEGMENT = st.one_of(SEGMENT, st.sampled_from(["*", "**", "*.py", "*.ts", "*.d.ts", "s*", "?", "[ab]", "*.y"]))
ANY_GLOB = st.lists(GLOB_SEGMENT, min_size=1, max_size=4).map("/".join).filter(lambda glob: set(glob) & set("*?["))


@settings(max_examples=500, deadline=None)
@given(ANY_GLOB, ANY_PATH)
def test_the_index_agrees_with_gitignore_on_any_glob(glob, path):
    index = AnchorIndex([entry(applies=[stated(paths=[glob])])])
    assert bool(index.anchors(path, [""])) == pathspec.GitIgnoreSpec.from_lines([glob]).match_file(path)


@settings(deadline=None)
@given(st.text(max_size=30), st.lists(st.text(max_size=10), max_size=4))
def test_no_path_or_lines_make_it_fail(path, lines):
    known = entry(
        text="`site/`", applies=[stated(Origin.PINNED, paths=["**"])], evidence=[EvidencePlace("s", path, "x")]
    )
    for anchor in AnchorIndex([known]).anchors(path, lines):
        assert anchor.entry_id == "e"


def many_entries(count):
    for n in range(count):
        pattern = ("src/p{0}/m{0}.py", "src/p{0}/", "src/p{0}/**/*.ts", "**/name{0}.md", "*.x{0}", "docs/*/g{0}*.md")[
            n % 6
        ]
        yield entry(
            f"e{n}", applies=[stated(paths=[pattern.format(n)])], evidence=[EvidencePlace("s", f"src/p{n}/m{n}.py")]
        )


def test_ten_thousand_entries_answer_for_a_file_without_looking_at_each(monkeypatch):
    matched = []
    monkeypatch.setattr(path_index, "glob_matches", lambda glob, path: matched.append(glob) or glob_matches(glob, path))
    index = AnchorIndex(many_entries(10_000))
    assert [anchor.entry_id for anchor in index.anchors("src/p7/m7.py", [""])] == ["e7"]
    assert [anchor.entry_id for anchor in index.anchors("src/p8/x/a.ts", [""])] == ["e8"]
    assert matched == ["src/p8/**/*.ts"]
