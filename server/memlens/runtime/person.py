"""Whose personal memory it is: a random name made once, or one that the person chose (spec 2.4)."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from memlens.core.errors import HomeError
from memlens.workspace.files import read_regular

MAX_FILE = 1024

_WELL_FORMED = re.compile(r"[\w.@-]{1,100}")


def personal_key(file: Path, *, create: bool) -> str | None:
    """Return the binding key of the person whose name ``file`` holds, or None when there is no file.

    With ``create``, a random name is written first if there is none; of two processes that do so at once, one
    wins and both get its name. Raises HomeError.
    """
    try:
        name = _read(file)
        if name is None and create:
            name = _create(file)
    except OSError as error:
        raise HomeError(
            f"{file}, which names your personal memory, cannot be read or written ({error.strerror}): "
            "check its permissions, or point MEMLENS_HOME at another directory."
        ) from error
    if name is None:
        return None
    if _WELL_FORMED.fullmatch(name) is None:
        raise HomeError(f"{file} must hold one name of letters, digits and . _ @ -: correct it, or delete the file.")
    return f"user:{name}"


def _read(file: Path) -> str | None:
    try:
        return read_regular(file, MAX_FILE).decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return None


def _create(file: Path) -> str:
    """Write the name aside, then give it its place in one step: nobody ever reads half of it."""
    name = secrets.token_hex(16)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{name}")
    draft.touch(mode=0o600)
    draft.write_text(name + "\n", encoding="utf-8")
    try:
        os.link(draft, file)
    except FileExistsError:
        return _read(file) or name
    finally:
        draft.unlink()
    return name
