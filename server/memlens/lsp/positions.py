"""Columns of the protocol, counted in the negotiated unit, and columns of Python, counted in code points (spec 4).

A line here never holds a lone surrogate: ``documents`` replaces them by U+FFFD, which is as long in every encoding.
"""

from __future__ import annotations

from enum import StrEnum

from memlens.core.lines import without_line_end


class PositionEncoding(StrEnum):
    """The unit that a column counts."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    @property
    def codec(self) -> str:
        """The Python codec that writes the unit without a byte order mark."""
        return "utf-8" if self is PositionEncoding.UTF8 else f"{self.value}-le"

    @property
    def unit_size(self) -> int:
        """How many bytes one unit is."""
        return {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.value]


def line_length(line: str) -> int:
    """Return the length of ``line`` in code points without its line end."""
    if line.endswith("\r\n"):
        return len(line) - 2
    return len(line) - line.endswith(("\n", "\r"))


def to_column(line: str, units: int, encoding: PositionEncoding) -> int:
    """Return the code point column of a client's column.

    A column past the end is the end of the line; one inside a surrogate pair or a UTF-8 sequence is its start.
    """
    if encoding is PositionEncoding.UTF32 or line.isascii():
        return min(units, line_length(line))
    encoded = without_line_end(line).encode(encoding.codec)[: units * encoding.unit_size]
    return len(encoded.decode(encoding.codec, "ignore"))


def from_column(line: str, column: int, encoding: PositionEncoding) -> int:
    """Return the client's column of a code point column; past the end is the end of the line."""
    column = min(column, line_length(line))
    if encoding is PositionEncoding.UTF32 or line.isascii():
        return column
    return len(line[:column].encode(encoding.codec)) // encoding.unit_size
