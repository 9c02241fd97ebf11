"""Targets of a makefile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner

_DIRECTIVES = frozenset({"ifeq", "ifneq", "else", "include", "-include", "sinclude", "export", "vpath", "override"})
_COLON = re.compile(r"[:=#]")
_VARIABLE = re.compile(r"\s*(?:(?:export|override|private)\s+)*[\w.-]+\s*(?:[?+!]|:{1,3})?=")
_TARGET = re.compile(r"[A-Za-z0-9_][\w./+-]*", re.ASCII)


def make_targets(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield every explicit target; pattern rules, special targets and target-specific variables are none."""
    continued = in_define = False
    for number, line in enumerate(lines):
        text = line.rstrip()
        starts_here = not continued and not in_define
        continued = text.endswith("\\")
        if text.startswith(("define ", "endef")):
            in_define = text.startswith("define ")
        elif starts_here:
            for name in _targets(text):
                yield Definition(Command(Runner.MAKE, name), number)


def _targets(text: str) -> list[str]:
    if not text or text[0].isspace() or text.split(maxsplit=1)[0] in _DIRECTIVES:
        return []
    mark = _COLON.search(text)
    if mark is None or mark[0] != ":":
        return []
    after = text[mark.start() :].lstrip(":")
    if after.startswith("=") or _VARIABLE.match(after):
        return []
    names = text[: mark.start()].rstrip("& ").split()
    return [name for name in dict.fromkeys(names) if _TARGET.fullmatch(name)]
