"""Real git repositories in temporary directories, apart from the configuration of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]
NewRepository = Callable[..., Path]


@pytest.fixture(autouse=True)
def own_git_configuration(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No GIT_* of the surroundings, and an empty global configuration, whose path is returned."""
    for name in [name for name in os.environ if name.startswith(("GIT_", "MEMLENS_"))]:
        monkeypatch.delenv(name)
    configuration = tmp_path_factory.mktemp("gitconfig") / "config"
    configuration.write_text('[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(configuration))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return configuration


@pytest.fixture
def git() -> Git:
    """Run git in a directory; fails the test when git does."""

    def run(directory: Path, *args: str) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        done = subprocess.run(["git", *identity, *args], cwd=directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def new_repository(tmp_path: Path, git: Git) -> NewRepository:
    """Make a repository below ``tmp_path`` with one commit, and with ``origin`` when given."""

    def make(name: str, origin: str | None = None) -> Path:
        root = tmp_path / name
        root.mkdir(parents=True)
        git(root, "init", "-q")
        (root / "README.md").write_text("hello\n")
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", "first")
        if origin is not None:
            git(root, "remote", "add", "origin", origin)
        return root

    return make
