"""What is around the database: versions, directories, disk space, git."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from pathlib import Path

from memlens import __version__
from memlens.runtime.doctor.finding import Finding
from memlens.workspace.git import run_git
from memlens.workspace.home import Home

LITTLE_SPACE = 200_000_000
"""Bytes of free disk below which a person should know."""

NO_SPACE = 10_000_000
"""Bytes of free disk below which commits are about to fail."""


def version() -> Finding:
    """Say which MemLens and which Python run."""
    return Finding("version", "ok", f"MemLens {__version__}, Python {platform.python_version()}, {platform.system()}.")


def home(place: Home) -> Finding:
    """Check that MemLens' own directories can be used, and by nobody else."""
    problems = place.problems()
    if problems:
        return Finding(
            "home", "problem", problems[0], "See the message.", tuple({"message": each} for each in problems)
        )
    if open_to_others(place.data):
        return Finding(
            "home", "warning", f"Other users of this machine may read {place.data}.", f"Run `chmod 700 {place.data}`."
        )
    return Finding("home", "ok", f"MemLens keeps its files in {place.data} and beside it.")


def disk(path: Path) -> Finding:
    """Check that there is space left where the database is."""
    free = shutil.disk_usage(nearest_existing(path)).free
    said = f"{free / 1_000_000:,.0f} MB are free where the database is."
    if free < LITTLE_SPACE:
        return Finding("disk", "problem" if free < NO_SPACE else "warning", said, "Free some space on that disk.")
    return Finding("disk", "ok", said)


def git(directory: Path) -> Finding:
    """Check that git can be run. Without it, trees are walked instead, and names come from the system."""
    found = run_git(directory, "--version")
    if found is None:
        return Finding(
            "git",
            "warning",
            "git cannot be run: repositories are recognised all the same, but tracked files that an ignore rule "
            "matches get nothing, and history shows your login name.",
            "Install git, or put it into PATH.",
        )
    return Finding("git", "ok", found.decode("utf-8", "replace").strip() + ".")


def open_to_others(path: Path) -> bool:
    """Whether other users may read ``path``, where permissions say so at all."""
    try:
        return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except OSError:
        return False


def nearest_existing(path: Path) -> Path:
    """Return ``path``, or the nearest directory above it that exists."""
    return next((each for each in (path, *path.parents) if each.exists()), Path(path.anchor or "."))
