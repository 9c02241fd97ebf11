"""Document URIs: one key for every spelling of one file, and the path of file URIs alone (spec 4).

Clients write ``file:///c%3A/x`` and ``file:///C:/x`` for one file. Replies keep the client's own spelling.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote

_T = TypeVar("_T")
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_DRIVE = re.compile(r"/[A-Za-z]:(?=/|\Z)")


@dataclass(frozen=True, slots=True)
class _FileUri:
    authority: str
    path: str
    """Decoded, with ``/``, the drive letter in upper case."""


def document_key(uri: str) -> str:
    """Return a key that is the same for every spelling of the document ``uri``; it is not a URI itself."""
    parsed = _parse_file(uri)
    return uri if parsed is None else f"file {parsed.authority}{parsed.path}"


def file_path(uri: str) -> Path | None:
    """Return the path of a file URI on this machine; None for every other URI: it must not be read from disk."""
    text = local_path(uri, windows=os.name == "nt")
    return None if text is None else Path(text)


def local_path(uri: str, *, windows: bool) -> str | None:
    """Return the path that ``uri`` has on a Windows or POSIX machine, None when it is no file there."""
    parsed = _parse_file(uri)
    if parsed is None:
        return None
    if not windows:
        return None if parsed.authority else parsed.path
    if parsed.authority:
        return f"\\\\{parsed.authority}{parsed.path}".replace("/", "\\")
    return parsed.path[1:].replace("/", "\\") if _DRIVE.match(parsed.path) else None


def same_file(uri: str, candidates: Sequence[tuple[_T, Path]]) -> _T | None:
    """Return the candidate whose path is the same file as ``uri`` when symbolic links are followed. Reads the disk."""
    path = file_path(uri)
    if path is None:
        return None
    real = os.path.realpath(path)
    return next((candidate for candidate, known in candidates if os.path.realpath(known) == real), None)


def root_uri(uri: str, relative: str) -> str | None:
    """Return the repository root, with a trailing ``/``, in the spelling of the client's ``uri`` for ``relative``.

    None when ``uri`` does not end with ``relative``: the file was reached through a symbolic link.
    """
    parts = uri.split("/")
    depth = relative.count("/") + 1
    if unquote("/".join(parts[-depth:])) != relative:
        return None
    return "/".join(parts[:-depth]) + "/"


def _parse_file(uri: str) -> _FileUri | None:
    """Return the parts of a plain file URI; None for another scheme, a query or fragment, or an impossible path."""
    found = _URI.fullmatch(uri)
    if found is None or found[1].lower() != "file" or found[4] or found[5]:
        return None
    try:
        path = unquote(found[3], errors="strict")
    except UnicodeDecodeError:
        return None
    if not path.startswith("/") or "\0" in path or not _is_encodable(path):
        return None
    authority = (found[2] or "").lower()
    return _FileUri("" if authority == "localhost" else authority, _DRIVE.sub(_upper, path, count=1))


def _upper(found: re.Match[str]) -> str:
    return found.group().upper()


def _is_encodable(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
