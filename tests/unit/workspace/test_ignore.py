from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memlens.core.patterns import parse_ignore_list, parse_ignore_pattern
from memlens.workspace import tree as tree_module
from memlens.workspace.ignore import IgnoreRules
from memlens.workspace.tree import RepositoryFiles


def verdict(patterns: str, path: str) -> bool | None:
    """What a list of patterns says of a path; a directory ends with a slash."""
    return parse_ignore_list(patterns.split("\n")).verdict(path.rstrip("/").split("/"), path.endswith("/"))


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("foo", ["foo", "a/foo", "foo/"], ["food", "a/b"]),
        ("foo/", ["foo/", "a/foo/"], ["foo"]),
        ("/foo", ["foo"], ["a/foo"]),
        ("a/foo", ["a/foo"], ["b/a/foo"]),
        ("**/foo", ["foo", "a/b/foo"], ["foo/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "x/a/b"]),
        ("a/**", ["a/x", "a/x/y"], ["a", "b/a"]),
        ("**", ["a", "a/b"], []),
        ("*.py[cod]", ["x.pyc", "a/x.pyo"], ["x.py"]),
        ("a*b?c", ["aXXbYc", "abYc"], ["abc"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("[!a]x", ["bx"], ["ax"]),
        ("[^a]x", ["bx"], ["ax"]),
        (r"\#x", ["#x"], ["x"]),
        (r"\!x", ["!x"], ["x"]),
        (r"\*", ["*"], ["x"]),
        (r"a\ ", ["a "], ["a"]),
        ("a  ", ["a"], ["a  "]),
        ("a\r", ["a"], []),
        (".*", [".env", "a/.x"], ["a.b"]),
        ("Ünï", ["Ünï"], ["ünï"]),
    ],
)
def test_a_pattern_matches_as_in_gitignore(pattern: str, matching: list[str], other: list[str]) -> None:
    assert [path for path in matching if verdict(pattern, path) is not True] == []
    assert [path for path in other if verdict(pattern, path) is not None] == []


@pytest.mark.parametrize("line", ["", "   ", "#comment", "!", "/", "a//b", "a\\", "x" * 513])
def test_a_line_that_can_match_nothing_is_no_pattern(line: str) -> None:
    assert parse_ignore_pattern(line) is None


def test_the_last_matching_pattern_decides() -> None:
    assert verdict("*.log\n!keep.log", "keep.log") is False
    assert verdict("!keep.log\n*.log", "keep.log") is True


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("**/a/" * 40 + "b", "a/" * 1000 + "c"),
        ("[ab]*" * 60 + "c", "ab" * 125),
        ("?*" * 100 + "c", "a" * 250),
    ],
)
def test_a_hostile_pattern_costs_little(pattern: str, path: str) -> None:
    # A matcher that backtracks would not come back from these within the life of the test run.
    assert verdict(pattern, path) is None


names = st.sampled_from(["a", "b", "ab", "a b", "*", "?", "a*", "*b", "**", "[ab]", "[!a]", r"\*", "a?"])
lines = st.builds(
    lambda negated, anchored, parts, directory: (
        ("!" if negated else "") + ("/" if anchored else "") + "/".join(parts) + ("/" if directory else "")
    ),
    st.booleans(),
    st.booleans(),
    st.lists(names, min_size=1, max_size=3),
    st.booleans(),
)
files = st.lists(lines, max_size=4).map("\n".join)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=files, below=files, info=files)
@example(top="a", below="!b", info="")
@example(top="/a/*\n!/a/b", below="", info="")
def test_the_walk_without_git_finds_what_git_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str, below: str, info: str
) -> None:
    root = tmp_path / "r"
    if not root.exists():
        subprocess.run(["git", "init", "-q", root], check=True)
        for path in ("a/a/a", "a/b/ab", "a/ab", "b/a/b", "b/*", "ab/b", "a b/a", "c"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("")
    (root / ".gitignore").write_text(top)
    (root / "a" / ".gitignore").write_text(below)
    (root / ".git" / "info" / "exclude").write_text(info)
    files = RepositoryFiles(root, common_dir=root / ".git")
    by_git = files.listing()
    with monkeypatch.context() as patch:
        patch.setattr(tree_module, "run_git", lambda *_, **__: None)
        assert files.listing() == by_git
    on_disk = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() and ".git" not in p.parts]
    assert [path for path in sorted(on_disk) if not files.is_ignored(path)] == by_git


def test_a_changed_ignore_file_holds_at_once(tmp_path: Path) -> None:
    rules = IgnoreRules(tmp_path)
    assert not rules.is_ignored("a/x.log")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".gitignore").write_text("*.log\n")
    assert rules.is_ignored("a/x.log")
    (tmp_path / "a" / ".gitignore").write_text("*.tmp\n!x\n")
    assert not rules.is_ignored("a/x.log")
    (tmp_path / "a" / ".gitignore").unlink()
    assert not rules.is_ignored("a/x.tmp")


def test_nothing_is_read_again_while_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    rules = IgnoreRules(tmp_path)
    assert rules.is_ignored("x.log")
    monkeypatch.setattr("memlens.workspace.ignore.read_regular", None)
    assert rules.is_ignored("y.log")


def test_what_is_below_an_ignored_directory_stays_ignored(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("build/\n!build/keep\n")
    rules = IgnoreRules(tmp_path)
    assert rules.is_ignored("build/keep")
    assert rules.is_ignored("build", is_directory=True)
    assert not rules.is_ignored("build")


def test_gits_own_directory_is_ignored_however_it_is_spelled(tmp_path: Path) -> None:
    rules = IgnoreRules(tmp_path)
    assert [rules.is_ignored(path) for path in (".git/config", "sub/.GIT/x", ".github/x", ".gitignore")] == [
        True, True, False, False
    ]  # fmt: skip


def test_the_setting_excludes_more_but_brings_nothing_back(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("secret\n")
    rules = IgnoreRules(tmp_path, exclude=["vendor/", "*.snap", "!keep.snap", "!secret"])
    ignored = {path for path in ("vendor/a.py", "x.snap", "keep.snap", "secret", "a.py") if rules.is_ignored(path)}
    assert ignored == {"vendor/a.py", "x.snap", "secret"}
    assert rules.is_excluded("deep/vendor/a.py")
    assert not rules.is_excluded("secret")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_an_ignore_file_that_is_no_plain_file_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / "all").write_text("*\n")
    (tmp_path / ".gitignore").symlink_to(tmp_path / "all")
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / ".gitignore")
    (tmp_path / "b" / ".gitignore").mkdir(parents=True)
    rules = IgnoreRules(tmp_path)
    assert not any(rules.is_ignored(path) for path in ("x", "a/x", "b/x"))


def test_a_giant_ignore_file_has_no_effect(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n" + "#" * 200_000)
    assert not IgnoreRules(tmp_path).is_ignored("x")


def test_invalid_bytes_in_an_ignore_file_spoil_one_line_only(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbffirst\n\xff\nlast\r\n")
    rules = IgnoreRules(tmp_path)
    assert rules.is_ignored("first")
    assert rules.is_ignored("last")


def test_a_path_with_nul_is_not_ignored(tmp_path: Path) -> None:
    assert not IgnoreRules(tmp_path).is_ignored("a\0b/c")
