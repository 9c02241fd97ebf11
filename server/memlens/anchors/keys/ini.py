"""Keys and section headers of INI files: setup.cfg, tox.ini, .editorconfig and the like."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.keys.model import KeyDefinition

_SECTION = re.compile(r"\[([^\[\]]+)\]\s*(?:[#;].*)?")
_KEY = re.compile(r"([A-Za-z_][^\s=:#;\[\]]*)\s*[=:]")


def ini_keys(lines: Sequence[str]) -> Iterator[KeyDefinition]:
    """Yield each section and each key; an indented line continues the value above it."""
    section: tuple[str, ...] = ()
    for number, line in enumerate(lines):
        text = line.rstrip()
        header = _SECTION.fullmatch(text)
        key = None if header else _KEY.match(text)
        if header:
            section = (header[1].strip(),)
            yield KeyDefinition(section, number)
        elif key:
            yield KeyDefinition((*section, key[1]), number)
