from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memlens.workspace.actor import UNKNOWN_ACTOR, default_actor
from memlens.workspace.git import run_git

from .conftest import Git, NewRepository

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs shell scripts or pipes")


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_output_is_returned(new_repository: NewRepository) -> None:
    assert run_git(new_repository("r"), "ls-files") == b"README.md\n"


def test_failure_is_none(tmp_path: Path) -> None:
    assert run_git(tmp_path, "ls-files") is None
    assert run_git(tmp_path / "missing", "--version") is None
    assert run_git(tmp_path, "--version\0") is None


def test_without_git_installed_it_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_git(tmp_path, "--version") is None


@posix_only
def test_a_git_in_the_current_directory_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "git", "touch ran")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    assert run_git(tmp_path, "--version") is None
    assert not (tmp_path / "ran").exists()


def test_variables_that_a_hook_exports_do_not_redirect_us(
    new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other = new_repository("here"), new_repository("other")
    (other / "README.md").rename(other / "other.txt")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index.lock"))
    assert run_git(here, "rev-parse", "--show-toplevel") == f"{here.resolve()}\n".encode()
    assert run_git(here, "ls-files") == b"README.md\n"


@posix_only
def test_configuration_of_the_repository_runs_nothing(new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    root = new_repository("hostile")
    attack = script(tmp_path / "attack", f"touch {tmp_path}/ran; echo 1")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    script(hooks / "post-index-change", f"touch {tmp_path}/ran")
    git(root, "config", "core.hooksPath", str(hooks))
    git(root, "config", "core.pager", str(attack))
    git(root, "config", "core.fsmonitor", str(attack))
    assert run_git(root, "ls-files", "--others") == b""
    assert run_git(root, "status", "--porcelain") == b""
    assert not (tmp_path / "ran").exists()


@posix_only
def test_configuration_that_includes_a_pipe_times_out(new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    root = new_repository("hanging")
    os.mkfifo(tmp_path / "pipe")
    with (root / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {tmp_path}/pipe\n")
    assert run_git(root, "ls-files", timeout=0.3) is None


@posix_only
def test_what_git_started_is_killed_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "git", "sleep 600 & wait")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    # Would block for ten minutes if the grandchild lived on with our pipe.
    assert run_git(tmp_path, "anything", timeout=0.3) is None


def test_too_much_output_is_refused(new_repository: NewRepository) -> None:
    root = new_repository("r")
    assert run_git(root, "ls-files", max_output=10) == b"README.md\n"
    assert run_git(root, "ls-files", max_output=9) is None


@posix_only
def test_endless_output_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "git", "exec yes")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert run_git(tmp_path, "anything", max_output=1000, timeout=60) is None


@posix_only
def test_no_prompt_no_network_and_plain_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "git", "env")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("GIT_SSH_COMMAND", "attack")
    printed = (run_git(tmp_path, "x") or b"").decode().splitlines()
    assert {"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C"} <= set(printed)
    assert "GIT_ALLOW_PROTOCOL=" in printed
    assert not any(line.startswith("GIT_SSH_COMMAND") for line in printed)


def test_the_actor_is_gits_user_name(new_repository: NewRepository, git: Git) -> None:
    root = new_repository("r")
    git(root, "config", "user.name", "Ada  Löve\tlace")
    assert default_actor(root) == "Ada Löve lace"


def test_without_git_the_actor_is_the_login_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "ada")
    monkeypatch.setenv("USER", "ada")
    monkeypatch.setenv("USERNAME", "ada")
    assert default_actor(tmp_path) == "ada"


@pytest.mark.skipif(sys.platform == "win32", reason="no pwd there")
def test_without_any_name_the_actor_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert default_actor(tmp_path) == UNKNOWN_ACTOR
