"""A repository on disk and the real command, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

FILES = {
    "AGENTS.md": "# Agents\n\nUse uv.\nsite/ is generated output.\nRun make test, and make check before a review.\n",
    "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
    "Makefile": "test:\n\tpytest\n\ncheck:\n\truff check\n\ndocs-test:\n\tmkdocs build\n",
    "site/index.html": "<html></html>\n",
    "docs/guide.md": "# Guide\n\nHello.\n",
}


@dataclass(frozen=True)
class Project:
    """One repository with a home of MemLens' own."""

    root: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        """The environment of every process of the test."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "MEMLENS_"))}
        return {**kept, "MEMLENS_HOME": str(self.home), "MEMLENS_ACTOR": "Ada", "PYTHONUTF8": "1"}

    def memlens(self, *arguments: str, stdin: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run ``memlens -C ROOT``."""
        sent = stdin.encode() if isinstance(stdin, str) else stdin
        return subprocess.run(
            [sys.executable, "-m", "memlens", "-C", str(self.root), *arguments],
            input=sent,
            env=self.environ,
            capture_output=True,
            check=False,
        )

    def json(self, *arguments: str, stdin: str | bytes = b"") -> Any:
        """Run a command that must succeed and return its JSON value; of several lines, a list."""
        done = self.memlens(*arguments, stdin=stdin)
        assert done.returncode == 0, done.stderr.decode()
        values = [json.loads(line) for line in done.stdout.decode().splitlines()]
        return values if arguments[0] in ("import", "show") else values[0]

    def error(self, *arguments: str, stdin: str | bytes = b"") -> dict[str, str]:
        """Run a command that must fail with a typed error, and return that."""
        done = self.memlens(*arguments, stdin=stdin)
        assert done.returncode == 1, done.stdout.decode() + done.stderr.decode()
        assert done.stdout == b""
        error = json.loads(done.stderr)["error"]
        assert isinstance(error, dict)
        return error

    def bytes_of_home(self) -> dict[str, bytes]:
        """Every file of ours, to show that nothing changed. SQLite's own bookkeeping aside."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.name.endswith(("-shm", "-wal"))
        }


def make_repository(root: Path, files: dict[str, str]) -> None:
    """Write files and make a Git repository of them."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-C", str(root), *arguments],
            check=True,
            capture_output=True,
        )


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A small repository with nothing remembered."""
    root = tmp_path / "project"
    root.mkdir()
    make_repository(root, FILES)
    return Project(root, tmp_path / "home")
