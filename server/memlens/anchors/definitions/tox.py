"""Environments of a tox.ini or setup.cfg."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner
from memlens.anchors.globs import expand_braces

_SECTION = re.compile(r"\[testenv:([^\]]+)\]")


def tox_environments(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the environments that have a section; ``[testenv:docs-{a,b}]`` defines two."""
    for number, line in enumerate(lines):
        section = _SECTION.match(line)
        if section:
            for name in expand_braces(section[1].strip()):
                yield Definition(Command(Runner.TOX, name), number)
