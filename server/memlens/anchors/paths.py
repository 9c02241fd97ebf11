"""Paths and globs relative to the repository root: what is accepted, and their normal form (spec 2.1, case C4).

A pattern never leaves the repository: what is absolute, climbs with ``..``, names a home, a drive or an option, or
hides any of it by encoding, is refused here, and every other module relies on that.
"""

from __future__ import annotations

import re

from memlens.core.errors import InvalidInputError

MAX_PATTERN_LENGTH = 512

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")
_ENCODED = re.compile(r"%(?:2e|2f|5c|00)", re.IGNORECASE)


def checked_pattern(value: str) -> str:
    """Return a path or glob in normal form: ``/`` between segments, no ``./``, a trailing ``/`` kept.

    A backslash counts as ``/``: there are no escapes.

    Raises:
        InvalidInputError: the value is empty, too long, or could name something outside the repository.
    """
    if problem := _problem(value):
        shown = value if len(value) <= 80 else value[:77] + "..."
        raise InvalidInputError(
            f"{shown!r} {problem}: give a path or glob relative to the repository root, such as src/**/*.ts."
        )
    return _normal_form(value)


def pattern_or_none(value: str) -> str | None:
    """Return the pattern in normal form, or None where :func:`checked_pattern` would raise."""
    return None if _problem(value) else _normal_form(value)


def parents(path: str) -> list[str]:
    """Return the directories that ``path`` is below, outermost first, without the repository root."""
    segments = path.rstrip("/").split("/")[:-1]
    return ["/".join(segments[: depth + 1]) for depth in range(len(segments))]


def _problem(value: str) -> str | None:
    text = value.strip().replace("\\", "/")
    if len(text) > MAX_PATTERN_LENGTH:
        return f"is longer than {MAX_PATTERN_LENGTH} characters"
    if _CONTROL.search(text):
        return "holds a control character"
    if text.startswith(("/", "~")) or _DRIVE.match(text):
        return "is not relative to the repository root"
    if text.startswith(("-", "!")):
        return "starts like an option or an exclusion"
    if ".." in text.split("/") or _ENCODED.search(text):
        return "may leave the repository"
    if not _normal_form(value).strip("/"):
        return "names no file or directory"
    return None


def _normal_form(value: str) -> str:
    text = value.strip().replace("\\", "/")
    joined = "/".join(segment for segment in text.split("/") if segment not in ("", "."))
    return joined + "/" if text.endswith(("/", "/.")) else joined
