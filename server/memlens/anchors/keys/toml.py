"""Keys and table headers of TOML, line by line: a library gives no lines and refuses what is being edited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.keys.model import KeyDefinition

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=\s*")
_INLINE_KEY = re.compile(rf"({_DOTTED})\s*=\s*")
_PARTS = re.compile(_PART)
_TOKEN = re.compile(r'''"""|\'\'\'|"(?:[^"\\]|\\.)*"|'[^']*'|[\[\]{},]|#.*|=|[^\s"'\[\]{},#=]+''')


def toml_keys(lines: Sequence[str]) -> Iterator[KeyDefinition]:
    """Yield each key and each table header; what stands in a multi-line value is none."""
    table: tuple[str, ...] = ()
    value = _Value()
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n")
        if value.is_open:
            value.read(text)
            continue
        header = _HEADER.fullmatch(text)
        key = None if header else _KEY.match(text)
        if header:
            table = _names(header[2])
            yield KeyDefinition(table, number)
        elif key:
            path = (*table, *_names(key[1]))
            yield KeyDefinition(path, number)
            rest = text[key.end() :]
            value.read(rest)
            if rest.startswith("{"):
                yield from (KeyDefinition((*path, *inner), number) for inner in _inline(rest))


class _Value:
    """What of a value is still open at the end of a line."""

    def __init__(self) -> None:
        self._quotes = ""
        self._depth = 0

    @property
    def is_open(self) -> bool:
        return bool(self._quotes) or self._depth > 0

    def read(self, text: str) -> None:
        at = 0
        while at < len(text):
            if self._quotes:
                end = text.find(self._quotes, at)
                if end < 0:
                    return
                at, self._quotes = end + 3, ""
            token = _TOKEN.search(text, at)
            if token is None:
                return
            at = token.end()
            if token[0] in ('"""', "'''"):
                self._quotes = token[0]
            elif token[0] in ("[", "{"):
                self._depth += 1
            elif token[0] in ("]", "}"):
                self._depth = max(0, self._depth - 1)


def _inline(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the keys of the inline table that ``text`` starts with, but for those of tables inside it."""
    depth, expects_key = 0, False
    at = 0
    while (token := _TOKEN.search(text, at)) is not None:
        key = _INLINE_KEY.match(text, token.start()) if depth == 1 and expects_key else None
        if key:
            yield _names(key[1])
            expects_key, at = False, key.end()
            continue
        at = token.end()
        if token[0] in ("{", "["):
            depth += 1
            expects_key = token[0] == "{"
        elif token[0] in ("}", "]"):
            depth -= 1
        elif token[0] == ",":
            expects_key = True
        if depth <= 0:
            return


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _PARTS.findall(dotted))
