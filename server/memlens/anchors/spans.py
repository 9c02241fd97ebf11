"""Divides an entry's text into code spans and prose, with URLs taken out of both."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = re.compile(r"(`{1,3})([^`\n]+)\1")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s`<>\"'，。；：！？、（）「」《》]*")
_GONE = "\x00"
"""Stands where something was taken out: no part of a path or command, and no blank between two of their words."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text: a code span's content, or all prose with code spans blanked out."""

    text: str
    is_code: bool


def spans(text: str) -> list[Span]:
    """Return the code spans in their order, then the prose."""
    code = [Span(_without_urls(match[2]), True) for match in _CODE.finditer(text)]
    prose = _CODE.sub(lambda match: _GONE * len(match[0]), text)
    return [*code, Span(_without_urls(prose), False)]


def _without_urls(text: str) -> str:
    return _URL.sub(lambda match: _GONE * len(match[0]), text)
