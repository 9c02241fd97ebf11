"""Keys of YAML by indentation, as configuration is written: block mappings and lists; flow mappings hold none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.keys.model import KeyDefinition

_LINE = re.compile(
    r"""(?P<indent>[ ]*)(?P<items>(?:-[ ]+)*)
    (?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<plain>[^\s\#"'\[\]{},&*!|>%@`:?-](?:[^\#:"']|:(?=\S))*?))
    [ ]*:(?:[ ]+(?P<value>.*))?""",
    re.VERBOSE,
)
_BLOCK_SCALAR = re.compile(r"(?:[&!]\S+[ ]+)*[|>][-+0-9]*[ ]*(?:#.*)?")
_SCALAR_ITEM = re.compile(r"[ ]*(?:-[ ]+)+(?:[&!]\S+[ ]+)*[|>][-+0-9]*[ ]*(?:#.*)?")
_MAX_LENGTH = 1000
"""Nobody reads further along a line, and the pattern takes the square of its length."""


def yaml_keys(lines: Sequence[str]) -> Iterator[KeyDefinition]:
    """Yield each key of a block mapping; the text of a block scalar is none."""
    open_keys: list[tuple[int, str]] = []
    scalar: int | None = None
    for number, line in enumerate(lines):
        text = line[:_MAX_LENGTH].rstrip().removeprefix("\ufeff")
        indent = len(text) - len(text.lstrip(" "))
        if scalar is not None and (not text or indent > scalar):
            continue
        scalar = None
        if text.startswith(("---", "...")):
            open_keys.clear()
        found = _LINE.fullmatch(text)
        if found is None:
            scalar = indent if _SCALAR_ITEM.fullmatch(text) else None
            continue
        column = indent + len(found["items"])
        # A list under a key may stand at the key's own column.
        reach = indent + 1 if found["items"] else column
        while open_keys and open_keys[-1][0] >= reach:
            open_keys.pop()
        open_keys.append((column, found["double"] or found["single"] or found["plain"] or ""))
        yield KeyDefinition(tuple(name for _column, name in open_keys), number)
        if _BLOCK_SCALAR.fullmatch(found["value"] or ""):
            scalar = column
