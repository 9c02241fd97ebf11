"""What commands print: one JSON value on stdout with ``--json``, else lines for people; errors on stderr (spec 2.5)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import orjson

from memlens.core.errors import MemLensError
from memlens.queries.visible import visible

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_PROBLEMS = 3


def write_json(value: Any) -> None:
    """Write one JSON value as one line of UTF-8, whatever the terminal's encoding."""
    _write(sys.stdout, _json(value))


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # File names and arguments that are no UTF-8 reach us as lone surrogates, which only the escapes of ASCII
        # JSON can spell.
        return json.dumps(value).encode()


def _write(stream: TextIO | None, line: bytes) -> None:
    """Write a line of bytes, if there is anywhere to write it: a program may have closed our streams."""
    if stream is not None:
        stream.flush()
        stream.buffer.write(line + b"\n")
        stream.buffer.flush()


def emit(value: Any, *, as_json: bool, render: Callable[[Any], None]) -> None:
    """Write ``value`` as JSON, or have ``render`` print it for people."""
    if as_json:
        write_json(value)
    else:
        render(value)


def write_error(code: str, message: str, *, as_json: bool, **more: str) -> None:
    """Write an error to stderr."""
    if as_json:
        _write(sys.stderr, _json({"error": {"code": code, "message": message, **more}}))
    else:
        _write(sys.stderr, f"memlens: {visible(message)} [{code}]".encode("utf-8", "backslashreplace"))


def write_warning(message: str) -> None:
    """Write a line for people to stderr."""
    _write(sys.stderr, f"memlens: {visible(message)}".encode("utf-8", "backslashreplace"))


def write_note(message: str) -> None:
    """Write to stderr what a person should know about a command that did not fail."""
    sys.stderr.buffer.write(f"memlens: {message}\n".encode("utf-8", "replace"))
    sys.stderr.buffer.flush()


def error_details(error: MemLensError) -> Mapping[str, str]:
    """Return what an error names beside its message."""
    entry_id = getattr(error, "entry_id", None)
    return {"entry_id": entry_id} if isinstance(entry_id, str) else {}
