"""Scripts of a package.json, with their lines; a document that is being edited need not be valid JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner

_MARK = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:,]')


def npm_scripts(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the keys of the top-level ``scripts`` object, and of no other object of that name."""
    depth = 0
    section = ""
    string: str | None = None
    for number, line in enumerate(lines):
        for mark in _MARK.findall(line):
            if mark in ("{", "["):
                depth += 1
            elif mark in ("}", "]"):
                depth -= 1
            elif mark == ":" and string is not None:
                if depth == 1:
                    section = string
                elif depth == 2 and section == "scripts":
                    yield Definition(Command(Runner.NPM, string), number)
            string = _unquoted(mark) if mark.startswith('"') else None


def _unquoted(token: str) -> str | None:
    try:
        value = json.loads(token)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
