"""Which paths and globs are accepted, and what globs match (spec 2.1, cases A6 and C4)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.globs import expand_braces, glob_matches, literal_directory
from memlens.anchors.model import Rule, Target, TargetKind
from memlens.anchors.paths import checked_pattern, pattern_or_none
from memlens.anchors.stated import stated_targets
from memlens.anchors.tree import MAX_MATCHES, ListedTree
from memlens.core.errors import InvalidInputError


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("src/x.py", "src/x.py"),
        (" ./src//x.py ", "src/x.py"),
        ("site/", "site/"),
        ("src\\x.py", "src/x.py"),
        ("a/./b/.", "a/b/"),
        ("**/*.ts", "**/*.ts"),
        ("a..b/c", "a..b/c"),
    ],
)
def test_a_pattern_is_put_into_normal_form(value, expected):
    assert checked_pattern(value) == expected


@pytest.mark.parametrize(
    ("value", "cause"),
    [
        ("/etc/cron.d/x", "not relative"),
        ("../../x", "may leave"),
        ("a/../../x", "may leave"),
        ("a\\..\\x", "may leave"),
        ("%2e%2e%2fx", "may leave"),
        ("C:\\x", "not relative"),
        ("~/x", "not relative"),
        ("a\x00b", "control character"),
        ("a\nb", "control character"),
        ("x" * 5000, "longer than"),
        ("--output=/tmp/p", "option"),
        ("-x", "option"),
        ("!x", "exclusion"),
        ("", "names no file"),
        ("./", "names no file"),
    ],
)
def test_what_may_leave_the_repository_is_refused_with_the_cause(value, cause):
    with pytest.raises(InvalidInputError, match=cause) as raised:
        checked_pattern(value)
    assert len(str(raised.value)) < 250
    assert pattern_or_none(value) is None


@settings(deadline=None)
@given(st.text(max_size=40))
def test_a_normal_form_is_its_own_normal_form(value):
    pattern = pattern_or_none(value)
    assert pattern is None or pattern_or_none(pattern) == pattern


@pytest.mark.parametrize(
    ("glob", "matched", "not_matched"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyi", "A.PY"]),
        ("test/**", ["test/a", "test/x/a"], ["home/u/test/repo/a", "x/test/a"]),
        ("src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["lib/src/a.ts", "src/a.tsx"]),
        ("src/*.ts", ["src/a.ts"], ["src/x/a.ts"]),
        ("**/conftest.py", ["conftest.py", "a/b/conftest.py"], ["a/xconftest.py"]),
        ("i18n/*/pages", ["i18n/zh/pages/a.md"], ["i18n/zh/a.md", "i18n/pages/a.md"]),
        ("#x/*.md", ["#x/a.md"], ["x/a.md"]),
        ("[", ["["], ["a"]),
        ("**", ["a", "a/b"], []),
    ],
)
def test_globs_match_as_gitignore_does_from_the_root(glob, matched, not_matched):
    assert [path for path in matched if not glob_matches(glob, path)] == []
    assert [path for path in not_matched if glob_matches(glob, path)] == []


def test_braces_are_alternatives_and_nest():
    assert expand_braces("src/*.{ts,tsx}") == ["src/*.ts", "src/*.tsx"]
    assert expand_braces("{a,b{1,2}}") == ["a", "b1", "b2"]
    assert expand_braces("{x}") == ["{x}"]


def test_braces_are_bounded():
    assert len(expand_braces("{a,b}" * 30)) <= 64


def test_the_literal_directory_ends_before_the_first_wildcard():
    assert [literal_directory(glob) for glob in ("a/b/*.py", "a/*/b.py", "*.py", "a.py")] == ["a/b/", "a/", "", ""]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["**/*.ts,**/*.tsx"], ["**/*.ts", "**/*.tsx"]),
        (["src/api/**, lib/**"], ["src/api/**", "lib/**"]),
        (["src/*.{ts,tsx}, x.py"], ["src/*.{ts,tsx}", "x.py"]),
        (["*.py", "*.py"], ["*.py"]),
        (["", " , "], []),
    ],
)
def test_stated_paths_may_be_lists_in_one_string(paths, expected):
    assert stated_targets(paths=paths) == tuple(Target(TargetKind.PATH, value, Rule.STATED) for value in expected)


def test_every_kind_of_target_can_be_stated():
    targets = stated_targets(kinds=["python"], symbols=["A.b"], commands=["make x"], keys=["k"], paths=["p/"])
    assert [(target.kind, target.value) for target in targets] == [
        (TargetKind.PATH, "p/"),
        (TargetKind.FILE_KIND, "python"),
        (TargetKind.SYMBOL, "A.b"),
        (TargetKind.COMMAND, "make x"),
        (TargetKind.KEY, "k"),
    ]


def test_a_stated_path_outside_the_repository_is_refused():
    with pytest.raises(InvalidInputError, match="may leave"):
        stated_targets(paths=["src/**, ../x"])


TREE = ListedTree(["a/b/c.py", "a/b.py", "c.py", "a/b/b/d.ts"])


def test_a_tree_knows_files_directories_and_names():
    assert TREE.is_file("a/b.py")
    assert not TREE.is_file("a/b")
    assert TREE.is_dir("a/b/b")
    assert not TREE.is_dir("c.py")
    assert sorted(TREE.named("b")) == ["a/b/", "a/b/b/"]
    assert sorted(TREE.named("c.py")) == ["a/b/c.py", "c.py"]


@pytest.mark.parametrize(
    ("glob", "expected"),
    [("*.py", ["a/b.py", "a/b/c.py", "c.py"]), ("a/b/**", ["a/b/b/d.ts", "a/b/c.py"]), ("a/*.{py,ts}", ["a/b.py"])],
)
def test_a_tree_lists_what_a_glob_matches(glob, expected):
    assert list(TREE.matches(glob)) == expected


def test_a_tree_lists_a_bounded_number_of_matches():
    big = ListedTree(f"d/{n}.py" for n in range(MAX_MATCHES + 50))
    assert len(big.matches("*.py")) == MAX_MATCHES
