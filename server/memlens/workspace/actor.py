"""The name that history shows for what a person does (spec 1.10)."""

from __future__ import annotations

import getpass
from pathlib import Path

from memlens.workspace.git import run_git

MAX_ACTOR_LENGTH = 200
"""Characters of a name that are kept."""

UNKNOWN_ACTOR = "unknown"


def default_actor(directory: Path) -> str:
    """Return git's ``user.name`` in ``directory``, else the login name, else ``unknown``.

    Used where the setting ``actor`` is not given. Runs git: not for the event loop.
    """
    name = run_git(directory, "config", "--get", "user.name", timeout=2.0)
    return _cleaned((name or b"").decode("utf-8", "replace")) or _cleaned(_login_name()) or UNKNOWN_ACTOR


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # no such user in the system's list, as in some containers
        return ""


def _cleaned(name: str) -> str:
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:MAX_ACTOR_LENGTH]
