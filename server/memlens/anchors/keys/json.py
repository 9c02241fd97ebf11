"""Keys of JSON with their lines, comments and trailing commas allowed; a document being edited need not be valid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from memlens.anchors.keys.model import KeyDefinition

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|//.*|/\*|[{}\[\]:,]|[A-Za-z_$][\w$]*')
_MAX_DEPTH = 32


def json_keys(lines: Sequence[str]) -> Iterator[KeyDefinition]:
    """Yield each key of an object, also of the objects in a list."""
    path: list[str | None] = []
    name: str | None = None
    in_comment = False
    for number, line in enumerate(lines):
        at = 0
        while True:
            if in_comment:
                end = line.find("*/", at)
                if end < 0:
                    break
                at, in_comment = end + 2, False
            token = _TOKEN.search(line, at)
            if token is None or token[0].startswith("//"):
                break
            at, in_comment = token.end(), token[0] == "/*"
            if token[0] == ":" and name is not None and path and len(path) <= _MAX_DEPTH:
                path[-1] = name
                yield KeyDefinition(tuple(part for part in path if part is not None), number)
            name = _next_name(token[0], path, name)


def _next_name(mark: str, path: list[str | None], name: str | None) -> str | None:
    """Enter or leave an object or list; return the name that a colon behind this mark would make a key."""
    if mark in ("{", "["):
        path.append(None)
    elif mark in ("}", "]") and path:
        path.pop()
    elif mark == "," and path:
        path[-1] = None
    if mark.startswith('"'):
        return _unquoted(mark)
    return mark if mark[0].isalpha() or mark[0] in "_$" else None


def _unquoted(token: str) -> str | None:
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
