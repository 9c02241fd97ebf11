"""A short form of a text, cut between characters as people see them (grapheme clusters)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from memlens.queries.visible import flatten

ELLIPSIS = "…"
_OPEN_ESCAPE = re.compile(r"\\(?:u(?:\{[0-9A-F]{0,6})?)?\Z")
_EXTENDERS = frozenset("\u200c\u200d")


@lru_cache(maxsize=2048)
def excerpt(text: str, limit: int) -> str:
    """Return ``text`` on one line in at most ``limit`` code points, with ``…`` in the last place when it was cut.

    Remembered, because lenses and hints ask for the same texts at every scroll.
    """
    line = flatten(text)
    if len(line) <= limit:
        return line
    end = limit - len(ELLIPSIS)
    while end > 0 and not _may_cut(line, end):
        end -= 1
    return line[: end or limit - len(ELLIPSIS)].rstrip() + ELLIPSIS


def _may_cut(text: str, index: int) -> bool:
    """Whether cutting before ``index`` leaves whole characters and whole escapes."""
    before, after = text[index - 1], text[index]
    if before == "\u200d" or _extends(after) or _OPEN_ESCAPE.search(text[max(0, index - 9) : index]):
        return False
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, index) % 2 == 0
    return not "\u1100" <= before <= "\u115f"


def _extends(character: str) -> bool:
    """Whether ``character`` belongs to the one before it: a mark, joiner, skin tone, tag, or medial Hangul letter."""
    return (
        character in _EXTENDERS
        or unicodedata.category(character)[0] == "M"
        or "\u1160" <= character <= "\u11ff"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, index: int) -> int:
    start = index
    while start > 0 and _is_regional(text[start - 1]):
        start -= 1
    return index - start
