"""Names that are made once, at random, and then kept in a file of their own."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from memlens.core.errors import HomeError
from memlens.workspace.files import read_regular

MAX_FILE = 1024

_WELL_FORMED = re.compile(r"[\w.@-]{1,100}")


def kept_name(file: Path, of: str, *, create: bool) -> str | None:
    """Return the name that ``file`` holds, or None when there is no file; ``of`` is what it names, for errors.

    With ``create``, a random name is written first if there is none; of two processes that do so at once, one
    wins and both get its name. Raises HomeError.
    """
    try:
        name = _read(file)
        if name is None and create:
            name = _create(file)
    except OSError as error:
        raise HomeError(
            f"{file}, which names {of}, cannot be read or written ({error.strerror}): "
            "check its permissions, or point MEMLENS_HOME at another directory."
        ) from error
    if name is not None and _WELL_FORMED.fullmatch(name) is None:
        raise HomeError(f"{file} must hold one name of letters, digits and . _ @ -: correct it, or delete the file.")
    return name


def personal_key(file: Path, *, create: bool) -> str | None:
    """Return the binding key of the person whose name ``file`` holds (spec 2.4). Raises HomeError."""
    name = kept_name(file, "your personal memory", create=create)
    return f"user:{name}" if name is not None else None


def machine_name(file: Path, *, create: bool) -> str | None:
    """Return the name of this machine, which tells like paths of two machines apart. Raises HomeError."""
    return kept_name(file, "this machine", create=create)


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
        _place(draft, file, name)
    except FileExistsError:
        return _read(file) or name
    finally:
        draft.unlink()
    return name


def _place(draft: Path, file: Path, name: str) -> None:
    """Give ``draft`` its place unless that is taken; a file system without hard links gets the name written there."""
    try:
        os.link(draft, file)
    except FileExistsError:
        raise
    except OSError:
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as made:
            made.write(name + "\n")
