"""Sessions of a noxfile.py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner

_DECORATOR = re.compile(r"@(?:nox\.)?session\b")
_FUNCTION = re.compile(r"(?:async\s+)?def\s+(\w+)")
_NAME = re.compile(r"""\bname\s*=\s*["']([^"']+)["']""")


def nox_sessions(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield each function under a session decorator, by the name the decorator gives it or its own."""
    decorated = False
    given: str | None = None
    for number, line in enumerate(lines):
        function = _FUNCTION.match(line)
        if function:
            if decorated:
                yield Definition(Command(Runner.NOX, given or function[1]), number)
            decorated, given = False, None
            continue
        decorated = decorated or _DECORATOR.match(line) is not None
        name = _NAME.search(line) if decorated else None
        given = name[1] if name else given
