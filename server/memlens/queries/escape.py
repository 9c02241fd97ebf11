"""Untrusted text inside Markdown: rendered, it is that text and nothing else (spec 3.2, invariant 5).

No link, image, HTML, emphasis, code, heading, list, quote, table or theme icon becomes active, bare addresses
included.
"""

from __future__ import annotations

import re

from memlens.core.lines import split_lines, without_line_end
from memlens.queries.visible import flatten, visible

_ACTIVE = re.compile(r"[\\`*_\[\]<>&#~|$@]|:(?=/)|(?<=www)\.", re.IGNORECASE)
_LINE_START = re.compile(r"[!-/:-@\[-`{-~]|\d+(?=[.)])")
_HARD_BREAK = "  \n"
_NO_BREAK_SPACE = "\u00a0"


def escape_markdown(text: str) -> str:
    """Return Markdown that renders as ``text``, line by line; deceptive characters are shown as escapes.

    The result starts a paragraph of its own: put it after a blank line, or use ``escape_inline``.
    """
    lines = [_escape_line(visible(without_line_end(line))) for line in split_lines(text)]
    return _join(lines).strip("\n")


def escape_inline(text: str) -> str:
    """Return Markdown that renders as ``text`` on one line, for use inside a line of ours."""
    return _escape_span(flatten(text))


def _escape_line(line: str) -> str:
    content = line.strip(" \t")
    indent = line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4)
    return _NO_BREAK_SPACE * len(indent) + _escape_start(content) if content else ""


def _escape_start(content: str) -> str:
    """Escape ``content`` at the start of a line, where more characters are active."""
    found = _LINE_START.match(content)
    if found is None:
        return _escape_span(content)
    end = found.end()
    if content[0].isdigit():
        return f"{content[:end]}\\{content[end]}{_escape_span(content[end + 1 :])}"
    return f"\\{content[:end]}{_escape_span(content[end:])}"


def _escape_span(text: str) -> str:
    return _ACTIVE.sub(r"\\\g<0>", text)


def _join(lines: list[str]) -> str:
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        parts += [line, _HARD_BREAK if line and following else "\n"]
    return "".join(parts)
