"""The text of one document as lines, changed in place (spec 4, 5.2).

An edit replaces a slice of the list of lines: what it costs depends on the edit and on the lines it touches, not on
the document, but for moving pointers in memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memlens.anchors.shift import LineEdit
from memlens.core.lines import split_lines
from memlens.lsp.positions import PositionEncoding, to_column

_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, order=True)
class TextPosition:
    """A place in a client's terms: a 0-based line and a column in units of the negotiated encoding."""

    line: int
    character: int


def without_surrogates(text: str) -> str:
    """Return ``text`` with U+FFFD for each lone surrogate, which is as long in UTF-8, UTF-16 and UTF-32."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


class TextBuffer:
    """Lines with their ends; every line but the last has one, and the last has none."""

    __slots__ = ("_lines", "_size")

    def __init__(self, text: str) -> None:
        self._lines = split_lines(without_surrogates(text))
        self._size = len(text)

    @property
    def size(self) -> int:
        """The length of the text in code points."""
        return self._size

    @property
    def line_count(self) -> int:
        """The number of lines, at least 1."""
        return len(self._lines)

    def line(self, index: int) -> str:
        """Return one line with its line end; past the end, the empty string."""
        return self._lines[index] if index < len(self._lines) else ""

    def snapshot(self) -> tuple[str, ...]:
        """Return all lines as they are now."""
        return tuple(self._lines)

    def replace_all(self, text: str) -> LineEdit:
        """Take ``text`` instead of the whole text and return what that did to the lines."""
        old = self._lines
        self._lines = split_lines(without_surrogates(text))
        self._size = len(text)
        return _line_edit(0, old, self._lines)

    def replace(self, start: TextPosition, end: TextPosition, text: str, encoding: PositionEncoding) -> LineEdit:
        """Put ``text`` in the place of the range and return what that did to the lines.

        Positions outside the text are moved into it as LSP says; an end before its start is taken as its start.
        """
        first, first_column = self._resolve(start, encoding)
        last, last_column = max(self._resolve(end, encoding), (first, first_column))
        prefix, suffix = self._lines[first][:first_column], self._lines[last][last_column:]
        joined = prefix + without_surrogates(text) + suffix
        if self._completes_crlf(first, joined):
            first -= 1
            joined = self._lines[first] + joined
        return self._put(first, last + 1, joined)

    def _resolve(self, position: TextPosition, encoding: PositionEncoding) -> tuple[int, int]:
        if position.line >= len(self._lines):
            return len(self._lines) - 1, len(self._lines[-1])
        return position.line, to_column(self._lines[position.line], position.character, encoding)

    def _completes_crlf(self, first: int, joined: str) -> bool:
        """Whether ``joined`` begins with the LF to the CR that ends the line before it."""
        return first > 0 and joined.startswith("\n") and self._lines[first - 1].endswith("\r")

    def _put(self, first: int, stop: int, joined: str) -> LineEdit:
        old = self._lines[first:stop]
        new = split_lines(joined)
        if stop < len(self._lines) and not new[-1]:
            new.pop()
        self._size += len(joined) - sum(map(len, old))
        self._lines[first:stop] = new
        return _line_edit(first, old, new)


def _line_edit(first: int, old: Sequence[str], new: Sequence[str]) -> LineEdit:
    """Return the edit without the lines that are the same at both ends.

    A line break typed at the start of a line is then one inserted line, and the line itself merely moved.
    """
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return LineEdit(first + head, first + len(old) - tail, len(new) - head - tail)
