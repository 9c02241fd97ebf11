from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from memlens.core.errors import InvalidInputError
from memlens.workspace.identity import RepositoryIdentity, identify

from .conftest import Git, NewRepository

ORIGIN = "git@github.com:owner/name.git"


def test_a_remote_names_the_repository(new_repository: NewRepository) -> None:
    root = new_repository("r", ORIGIN)
    (root / "src" / "deep").mkdir(parents=True)
    assert identify(root / "src" / "deep") == RepositoryIdentity(
        key="repo:github.com/owner/name",
        basis="remote",
        root=root.resolve(),
        remote="github.com/owner/name",
        common_dir=(root / ".git").resolve(),
    )


def test_only_origin_counts(new_repository: NewRepository, git: Git) -> None:
    root = new_repository("r")
    git(root, "remote", "add", "upstream", ORIGIN)
    assert identify(root).basis == "git-dir"


def test_clones_of_one_remote_share_whatever_their_address(new_repository: NewRepository) -> None:
    ssh, https = new_repository("a", ORIGIN), new_repository("b", "https://x:tok@github.com/owner/name")
    assert identify(ssh).key == identify(https).key
    assert identify(ssh).common_dir != identify(https).common_dir


def test_a_fork_stays_apart(new_repository: NewRepository, git: Git) -> None:
    origin, fork = new_repository("a", ORIGIN), new_repository("b", "git@github.com:someone/name.git")
    git(fork, "remote", "add", "upstream", ORIGIN)
    assert identify(origin).key != identify(fork).key


def test_clones_of_a_local_repository_share(new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    store = new_repository("store with spaces")
    git(tmp_path, "clone", "-q", str(store), "one")
    git(tmp_path, "clone", "-q", f"file://{store}", "two")
    one, two = identify(tmp_path / "one"), identify(tmp_path / "two")
    assert one.key == two.key == f"repo:file://{store.resolve().as_posix()}"
    assert identify(store).basis == "git-dir"


@pytest.mark.parametrize("origin", [None, ORIGIN])
def test_worktrees_share_and_keep_their_own_root(
    new_repository: NewRepository, git: Git, tmp_path: Path, origin: str | None
) -> None:
    root = new_repository("r", origin)
    git(root, "worktree", "add", "-q", "../r-fix", "-b", "fix")
    main, fix = identify(root), identify(tmp_path / "r-fix")
    assert (fix.key, fix.common_dir) == (main.key, main.common_dir)
    assert fix.root == (tmp_path / "r-fix").resolve()
    git(root, "worktree", "remove", "../r-fix")
    assert identify(root) == main


def test_worktrees_of_a_bare_repository_share(new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(new_repository("r")), "project/.bare")
    project = tmp_path / "project"
    (project / ".git").write_text("gitdir: ./.bare\n")
    git(project, "worktree", "add", "-q", "main")
    assert identify(project).common_dir == identify(project / "main").common_dir == (project / ".bare").resolve()
    assert identify(project).key == identify(project / "main").key


def test_a_submodule_is_a_repository_of_its_own(new_repository: NewRepository, git: Git) -> None:
    library, root = new_repository("library"), new_repository("r", ORIGIN)
    git(root, "submodule", "--quiet", "add", str(library), "lib")
    found = identify(root / "lib")
    assert found.root == (root / "lib").resolve()
    assert found.remote == f"file://{library.resolve().as_posix()}"
    assert found.common_dir == (root / ".git" / "modules" / "lib").resolve()
    assert identify(root).remote == "github.com/owner/name"


def test_a_submodule_without_remote_is_known_by_its_git_directory(new_repository: NewRepository, git: Git) -> None:
    library, root = new_repository("library"), new_repository("r", ORIGIN)
    git(root, "submodule", "--quiet", "add", str(library), "lib")
    git(root / "lib", "remote", "remove", "origin")
    assert identify(root / "lib").key.endswith("/.git/modules/lib")


def test_without_remote_the_git_directory_names_it_and_a_move_changes_that(
    new_repository: NewRepository, tmp_path: Path
) -> None:
    root = new_repository("r")
    before = identify(root)
    assert before.key == f"repo:git-dir:{(root / '.git').resolve().as_posix()}"
    moved = root.rename(tmp_path / "moved")
    assert identify(moved).key != before.key


def test_with_a_remote_a_move_changes_nothing(new_repository: NewRepository, tmp_path: Path) -> None:
    root = new_repository("r", ORIGIN)
    before = identify(root).key
    assert identify(root.rename(tmp_path / "moved")).key == before


def test_an_unusual_remote_falls_back_to_the_git_directory(new_repository: NewRepository) -> None:
    found = identify(new_repository("r", "ext::sh -c attack"))
    assert (found.basis, found.remote) == ("git-dir", None)


def test_a_password_in_the_remote_is_nowhere_in_the_identity(new_repository: NewRepository) -> None:
    found = identify(new_repository("r", "https://ada:s3cr3t@github.com/owner/name.git"))
    assert found.key == "repo:github.com/owner/name"
    assert "s3cr3t" not in repr(found)


def test_a_folder_without_git_is_its_real_path(tmp_path: Path) -> None:
    folder = tmp_path / "Ünï (1) 队"
    folder.mkdir()
    found = identify(folder)
    assert found == RepositoryIdentity(f"repo:folder:{folder.resolve().as_posix()}", "folder", folder.resolve())


def test_a_file_stands_for_its_directory(new_repository: NewRepository) -> None:
    root = new_repository("r")
    assert identify(root / "README.md") == identify(root)


def test_a_directory_that_does_not_exist_belongs_to_what_is_above(new_repository: NewRepository) -> None:
    root = new_repository("r", ORIGIN)
    assert identify(root / "not" / "yet").root == root.resolve()


def test_a_linked_root_is_the_same_repository(new_repository: NewRepository, tmp_path: Path) -> None:
    root = new_repository("r")
    (tmp_path / "link").symlink_to(root)
    assert identify(tmp_path / "link") == identify(root)


def test_a_bare_repository_is_its_own_root(new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(new_repository("r")), "bare.git")
    bare = (tmp_path / "bare.git").resolve()
    assert identify(bare / "refs").root == bare
    assert identify(bare).common_dir == bare


def test_inside_the_git_directory_it_is_the_repository_around(new_repository: NewRepository) -> None:
    root = new_repository("r", ORIGIN)
    assert identify(root / ".git" / "hooks") == identify(root)


def test_a_repository_without_commit_has_an_identity(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q", "unborn")
    assert identify(tmp_path / "unborn").basis == "git-dir"


def test_neither_git_nor_its_variables_have_a_say(
    new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = new_repository("r", ORIGIN), new_repository("other")
    before = identify(root)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_COMMON_DIR", str(other / ".git"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("subprocess.Popen", None)
    assert identify(root) == before


def test_the_persons_own_rewriting_of_addresses_has_no_say(
    new_repository: NewRepository, own_git_configuration: Path
) -> None:
    with own_git_configuration.open("a") as file:
        file.write('[url "ssh://mirror/"]\n\tinsteadOf = https://github.com/\n')
    root = new_repository("r", "https://github.com/owner/name")
    assert identify(root).remote == "github.com/owner/name"


def test_an_empty_git_directory_is_no_repository(new_repository: NewRepository) -> None:
    root = new_repository("r", ORIGIN)
    (root / "sub" / ".git").mkdir(parents=True)
    assert identify(root / "sub").root == root.resolve()


def test_a_broken_link_does_not_mix_a_folder_into_the_repository_above(new_repository: NewRepository) -> None:
    root = new_repository("r", ORIGIN)
    (root / "sub").mkdir()
    (root / "sub" / ".git").write_text("gitdir: /nowhere/at/all\n")
    found = identify(root / "sub")
    assert (found.basis, found.root, found.remote) == ("folder", (root / "sub").resolve(), None)


@pytest.mark.parametrize("content", [b"", b"gitdir: ", b"gitdir: \0", b"\xff\xfe", b"x" * 100_000])
def test_a_git_file_of_nonsense_is_a_folder(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert identify(tmp_path).basis == "folder"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_pipes_in_place_of_gits_files_do_not_hang(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q", "r")
    for name in ("config", "commondir"):
        (tmp_path / "r" / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(tmp_path / "r" / ".git" / name)
    assert identify(tmp_path / "r").basis == "git-dir"
    os.mkfifo(tmp_path / ".git")
    assert identify(tmp_path).basis == "folder"


def hostile_git_file(victim: Path, folder: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {victim}/.git\n")


def hostile_worktree_file(victim: Path, folder: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {victim}/.git/worktrees/wt\n")


def hostile_link(victim: Path, folder: Path) -> None:
    (folder / ".git").symlink_to(victim / ".git")


def hostile_common_dir(victim: Path, folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "commondir").write_text(f"{victim}/.git\n")


HOSTILE = [hostile_git_file, hostile_worktree_file, hostile_link, hostile_common_dir]


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_folder_that_points_at_anothers_git_directory_is_not_its_worktree(
    new_repository: NewRepository, git: Git, tmp_path: Path, attack: object
) -> None:
    victim = new_repository("victim")
    git(victim, "worktree", "add", "-q", "../wt")
    folder = tmp_path / "hostile"
    folder.mkdir()
    assert callable(attack)
    attack(victim, folder)
    assert identify(folder).key == f"repo:folder:{folder.resolve().as_posix()}"


@pytest.mark.parametrize("attack", HOSTILE)
def test_such_a_folder_can_only_claim_the_remote(
    new_repository: NewRepository, git: Git, tmp_path: Path, attack: object
) -> None:
    victim = new_repository("victim", ORIGIN)
    git(victim, "worktree", "add", "-q", "../wt")
    folder = tmp_path / "hostile"
    folder.mkdir()
    assert callable(attack)
    attack(victim, folder)
    found = identify(folder)
    assert (found.basis, found.common_dir) == ("remote", None)


def test_a_copied_worktree_does_not_pass_for_the_one_it_was_copied_from(
    new_repository: NewRepository, git: Git, tmp_path: Path
) -> None:
    root = new_repository("r")
    git(root, "worktree", "add", "-q", "../wt")
    shutil.copytree(tmp_path / "wt", tmp_path / "copy")
    assert identify(tmp_path / "wt").basis == "git-dir"
    assert identify(tmp_path / "copy").basis == "folder"


def test_a_name_with_nul_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="usable directory"):
        identify(Path("a\0b"))


def test_a_loop_of_links_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert identify(tmp_path / "loop").basis == "folder"


@pytest.mark.skipif(sys.platform == "win32", reason="the current directory cannot be deleted there")
def test_a_deleted_current_directory_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InvalidInputError, match="no longer exists"):
        identify(Path())
    assert identify(tmp_path).basis == "folder"
    monkeypatch.chdir(tmp_path)
