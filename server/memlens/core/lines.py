"""How a text is divided into lines: after LF, CRLF or CR, and nowhere else (spec 4).

``str.splitlines`` also splits at form feed, U+0085, U+2028 and others, which would put every later line of an
editor's document on the wrong number. All of MemLens splits lines here.
"""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their line ends.

    A text that ends with a line end has one more, empty last line, as editors count; the empty text has one
    empty line.
    """
    lines = _LINE.findall(text)
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


def without_line_end(line: str) -> str:
    """Return ``line`` without its LF, CRLF or CR."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line
