from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memlens.workspace import tree as tree_module
from memlens.workspace.git import run_git
from memlens.workspace.tree import RepositoryFiles

from .conftest import Git, NewRepository

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs pipes and byte file names")
needs_byte_names = pytest.mark.skipif(sys.platform != "linux", reason="the file system wants Unicode")


@pytest.fixture(params=["git", "walk"])
def lister(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with git, and again as if git were not installed."""
    if request.param == "walk":
        monkeypatch.setattr(tree_module, "run_git", lambda *_, **__: None)
    return str(request.param)


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_tracked_and_untracked_files_are_listed_but_not_ignored_ones(
    new_repository: NewRepository, lister: str
) -> None:
    root = new_repository("r")
    write(root, "src/a b.py", "src/Ünï/队.py", "build/out.js", "x.log", "src/keep.log")
    (root / ".gitignore").write_text("build/\n*.log\n")
    (root / "src" / ".gitignore").write_text("!keep.log\n")
    assert RepositoryFiles(root).listing() == [
        ".gitignore", "README.md", "src/.gitignore", "src/a b.py", "src/keep.log", "src/Ünï/队.py"
    ]  # fmt: skip


def test_deleted_files_are_not_listed(new_repository: NewRepository, git: Git, lister: str) -> None:
    root = new_repository("r")
    write(root, "gone.py")
    git(root, "add", ".")
    (root / "gone.py").unlink()
    assert RepositoryFiles(root).listing() == ["README.md"]


def test_submodules_and_repositories_inside_are_not_listed(
    new_repository: NewRepository, git: Git, lister: str
) -> None:
    root, library = new_repository("r"), new_repository("library")
    git(root, "submodule", "--quiet", "add", str(library), "lib")
    git(root, "clone", "-q", str(library), "nested")
    assert RepositoryFiles(root).listing() == [".gitmodules", "README.md"]


def test_excluded_files_are_not_listed_though_tracked(new_repository: NewRepository, git: Git, lister: str) -> None:
    root = new_repository("r")
    write(root, "vendor/a.py", "vendor/deep/b.py", "c.py")
    git(root, "add", ".")
    assert RepositoryFiles(root, exclude=["vendor/"]).listing() == ["README.md", "c.py"]


def test_a_merge_conflict_lists_a_file_once(new_repository: NewRepository, git: Git) -> None:
    root = new_repository("r")
    for branch, text in (("one", "1"), ("two", "2")):
        git(root, "checkout", "-q", "-b", branch, "main")
        (root / "README.md").write_text(text)
        git(root, "commit", "-q", "-a", "-m", branch)
    with pytest.raises(AssertionError):
        git(root, "merge", "one")
    assert RepositoryFiles(root).listing() == ["README.md"]


def test_files_left_out_of_a_sparse_checkout_are_not_listed(new_repository: NewRepository, git: Git) -> None:
    root = new_repository("r")
    write(root, "in/a", "out/b")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "more")
    git(root, "sparse-checkout", "set", "in")
    assert RepositoryFiles(root).listing() == ["README.md", "in/a"]


def test_a_folder_without_git_is_walked(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "b/c.txt", "b/skip.tmp")
    (tmp_path / ".gitignore").write_text("*.tmp")
    assert RepositoryFiles(tmp_path).listing() == [".gitignore", "a.txt", "b/c.txt"]


def test_links_to_directories_are_not_followed(tmp_path: Path, lister: str) -> None:
    root = tmp_path / "root"
    write(tmp_path, "outside/secret", "root/a")
    (root / "loop").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    assert RepositoryFiles(root).listing() == ["a", "loop", "out"]


@needs_byte_names
def test_names_that_are_no_unicode_are_left_out(new_repository: NewRepository, lister: str) -> None:
    root = new_repository("r")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("x")
    files = RepositoryFiles(root)
    assert files.listing() == ["README.md"]
    assert files.relative(root / "\udcff.py") is None


@posix_only
def test_special_files_are_not_listed(tmp_path: Path) -> None:
    write(tmp_path, "a")
    os.mkfifo(tmp_path / "pipe")
    assert RepositoryFiles(tmp_path).listing() == ["a"]


def test_a_listing_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *(f"{number}" for number in range(20)))
    monkeypatch.setattr(tree_module, "MAX_FILES", 5)
    assert len(RepositoryFiles(tmp_path).listing()) == 5
    monkeypatch.setattr(tree_module, "_MAX_ENTRIES", 3)
    assert len(RepositoryFiles(tmp_path).listing()) == 3


def test_a_missing_root_lists_nothing(tmp_path: Path) -> None:
    assert RepositoryFiles(tmp_path / "missing").listing() == []


def test_a_repository_whose_worktree_setting_leads_out_lists_nothing_outside(
    new_repository: NewRepository, git: Git, tmp_path: Path
) -> None:
    root = new_repository("r")
    write(tmp_path, "outside/secret")
    git(root, "config", "core.worktree", str(tmp_path / "outside"))
    assert "secret" not in "".join(RepositoryFiles(root).listing())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to give a directory away")
def test_a_repository_of_another_owner_is_walked_since_git_refuses_it(new_repository: NewRepository) -> None:
    root = new_repository("r")
    write(root, "theirs.py")
    for path in (root, root / ".git"):
        os.chown(path, 12345, 12345)
    assert run_git(root, "--work-tree=.", "ls-files") is None
    assert RepositoryFiles(root).listing() == ["README.md", "theirs.py"]


def test_every_spelling_of_a_file_has_one_relative_path(tmp_path: Path) -> None:
    root = tmp_path / "Root (1)"
    write(root, "Src/a#b.py")
    (tmp_path / "link").symlink_to(root)
    (root / "alias.py").symlink_to(root / "Src" / "a#b.py")
    for spelled in (root, tmp_path / "link"):
        files = RepositoryFiles(spelled)
        for path in (
            root / "Src" / "a#b.py",
            tmp_path / "link" / "Src" / "a#b.py",
            root / "Src" / ".." / "Src" / "a#b.py",
            root / "alias.py",
            Path("Src/a#b.py"),
        ):
            assert files.relative(path) == "Src/a#b.py"


def test_a_file_that_does_not_exist_yet_has_a_relative_path(tmp_path: Path) -> None:
    assert RepositoryFiles(tmp_path).relative(tmp_path / "new" / "a.py") == "new/a.py"


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "..", ".", "", "out/x", "a\0b", "../root-evil/x"])
def test_what_is_outside_has_no_relative_path_and_no_text(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    write(tmp_path, "x", "outside/x", "root/a", "root-evil/x")
    (root / "out").symlink_to(tmp_path / "outside")
    files = RepositoryFiles(root)
    assert files.relative(Path(path)) is None
    assert files.read_text(path, 1000) is None


@pytest.mark.parametrize("path", ["%2e%2e%2fx", "a" * 5000, "C:\\x", "--output=/tmp/p", "-x"])
def test_an_odd_name_is_merely_a_missing_file(tmp_path: Path, path: str) -> None:
    assert RepositoryFiles(tmp_path).read_text(path, 1000) is None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        (b"a\r\nb\rc\n", "a\r\nb\rc\n"),
        (b"\xef\xbb\xbfa\xef\xbb\xbf", "a\ufeff"),
        ("Ü队😀\f\u2028".encode(), "Ü队😀\f\u2028"),
        (b"a\xffb", "a\ufffdb"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        (b"a\0b", None),
        ("UTF-16".encode("utf-16"), None),
        (b"a" * 9000 + b"\0", "a" * 9000 + "\0"),
        (b"a" * 10_000, "a" * 10_000),
        (b"a" * 10_001, None),
    ],
)
def test_text_is_read_as_utf8_and_binary_is_not(tmp_path: Path, content: bytes, text: str | None) -> None:
    (tmp_path / "f").write_bytes(content)
    assert RepositoryFiles(tmp_path).read_text("f", 10_000) == text


def test_gits_own_files_are_not_read(new_repository: NewRepository) -> None:
    root = new_repository("r", "https://ada:s3cr3t@host/x")
    (root / "link").symlink_to(root / ".git" / "config")
    files = RepositoryFiles(root)
    assert [files.read_text(path, 10_000) for path in (".git/config", "link", ".git/HEAD")] == [None] * 3
    assert files.is_ignored(".git/config")


@posix_only
def test_directories_pipes_devices_and_loops_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    files = RepositoryFiles(tmp_path)
    assert [files.read_text(path, 1000) for path in ("d", "pipe", "device", "loop", "missing")] == [None] * 5


def test_a_tracked_file_is_not_ignored_whatever_the_ignore_rules_say(new_repository: NewRepository, git: Git) -> None:
    root = new_repository("r")
    (root / ".gitignore").write_text("*.gen\n")
    (root / "a.gen").touch()
    (root / "b.gen").touch()
    git(root, "add", "-f", "a.gen")
    files = RepositoryFiles(root, exclude=["c.gen"])
    assert [files.is_ignored(name) for name in ("a.gen", "b.gen", "c.gen")] == [False, True, True]


def test_is_ignored_knows_the_settings_exclude(tmp_path: Path) -> None:
    files = RepositoryFiles(tmp_path, exclude=["*.snap"])
    assert (files.is_ignored("a.snap"), files.is_ignored("a.py")) == (True, False)
