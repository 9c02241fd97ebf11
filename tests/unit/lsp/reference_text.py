"""Text synchronisation as the specification of LSP words it, slow and simple: what ``memlens.lsp.text`` must equal.

A text is one list of code units in the client's encoding, each with the place in the document it belongs to.
"""

from __future__ import annotations

import re

from memlens.lsp.positions import PositionEncoding
from memlens.lsp.text import TextPosition


def reference_lines(text: str) -> list[str]:
    """Return the lines with their ends: after CRLF, LF or CR and nowhere else."""
    lines: list[str] = []
    current = ""
    index = 0
    while index < len(text):
        if text.startswith("\r\n", index):
            lines.append(current + "\r\n")
            current, index = "", index + 2
        elif text[index] in "\r\n":
            lines.append(current + text[index])
            current, index = "", index + 1
        else:
            current, index = current + text[index], index + 1
    return [*lines, current]


def reference_edit(text: str, start: TextPosition, end: TextPosition, new: str, encoding: PositionEncoding) -> str:
    """Return ``text`` with the range replaced by ``new``."""
    first = offset_of(text, start, encoding)
    last = max(first, offset_of(text, end, encoding))
    return text[:first] + new + text[last:]


def offset_of(text: str, position: TextPosition, encoding: PositionEncoding) -> int:
    """Return the code point offset of ``position``, moved into the text where it lies outside."""
    lines = reference_lines(text)
    if position.line >= len(lines):
        return len(text)
    before = sum(len(line) for line in lines[: position.line])
    units = 0
    content = re.sub(r"[\r\n]+\Z", "", lines[position.line])
    for column, character in enumerate(content):
        units += units_of(character, encoding)
        if units > position.character:
            return before + column
    return before + len(content)


def units_of(character: str, encoding: PositionEncoding) -> int:
    """Return how many units ``character`` is, by the definition of the encodings."""
    point = ord(character)
    if encoding is PositionEncoding.UTF32:
        return 1
    if encoding is PositionEncoding.UTF16:
        return 2 if point > 0xFFFF else 1
    return 1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF)
