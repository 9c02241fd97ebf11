"""Opening files of an untrusted directory: bounded, regular files only, never blocking.

A named pipe in place of a file would block ``open`` for ever and a device can do worse, so every file that this
package reads goes through :func:`read_regular`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

# O_NONBLOCK: a pipe put in place between the check and the open returns at once. O_NOCTTY: a terminal is not
# taken over. O_BINARY: Windows must not translate line ends. Each exists on some systems only.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


class UnsuitableFileError(OSError):
    """The path names something that is not read: not a regular file, or larger than allowed."""


def read_regular(path: Path, limit: int, *, follow_symlinks: bool = True) -> bytes:
    """Return the content of a regular file of at most ``limit`` bytes.

    Args:
        path: The file.
        limit: Largest size in bytes that is read.
        follow_symlinks: Whether the last component may be a symbolic link.

    Raises:
        UnsuitableFileError: It is a directory, pipe, device, forbidden link, or too large.
        OSError: It does not exist or cannot be read.
    """
    found = path.stat() if follow_symlinks else path.lstat()
    if not stat.S_ISREG(found.st_mode):
        raise UnsuitableFileError("is not a regular file")
    flags = _FLAGS if follow_symlinks else _FLAGS | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsuitableFileError("is not a regular file")
        content = file.read(limit + 1)
    if len(content) > limit:
        raise UnsuitableFileError(f"is larger than {limit} bytes")
    return content


def real_path(path: Path) -> Path:
    """Return ``path`` absolute and without symbolic links, as far as it exists.

    Unlike ``Path.resolve`` this does not raise on a loop of links.

    Raises:
        OSError: ``path`` is relative and the current directory no longer exists.
        ValueError: ``path`` holds a NUL character.
    """
    return Path(os.path.realpath(path))


def is_inside(root: Path, path: Path) -> bool:
    """Whether ``path``, all links followed, lies in ``root`` (itself a real path)."""
    try:
        return real_path(path).is_relative_to(root)
    except (OSError, ValueError):
        return False


def is_directory(path: Path) -> bool:
    """Whether ``path`` is a directory; False where it cannot be told (``Path.is_dir`` raises there)."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether ``path`` is a regular file; False where it cannot be told."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
