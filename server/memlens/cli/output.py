"""What commands print: one JSON value on stdout with ``--json``, else lines for people; errors on stderr (spec 2.5)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from memlens.core.errors import MemLensError

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_PROBLEMS = 3


def write_json(value: Any) -> None:
    """Write one JSON value as one line of UTF-8, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(orjson.dumps(value) + b"\n")
    sys.stdout.buffer.flush()


def emit(value: Any, *, as_json: bool, render: Callable[[Any], None]) -> None:
    """Write ``value`` as JSON, or have ``render`` print it for people."""
    if as_json:
        write_json(value)
    else:
        render(value)


def write_error(code: str, message: str, *, as_json: bool, **more: str) -> None:
    """Write an error to stderr."""
    if as_json:
        line = orjson.dumps({"error": {"code": code, "message": message, **more}}).decode()
    else:
        line = f"memlens: {message} [{code}]"
    sys.stderr.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stderr.buffer.flush()


def write_note(message: str) -> None:
    """Write to stderr what a person should know about a command that did not fail."""
    sys.stderr.buffer.write(f"memlens: {message}\n".encode("utf-8", "replace"))
    sys.stderr.buffer.flush()


def error_details(error: MemLensError) -> Mapping[str, str]:
    """Return what an error names beside its message."""
    entry_id = getattr(error, "entry_id", None)
    return {"entry_id": entry_id} if isinstance(entry_id, str) else {}
