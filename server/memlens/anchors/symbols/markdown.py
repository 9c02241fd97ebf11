"""Headings of a Markdown page that document one symbol, such as ``### `Client.send` ``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.symbols.model import DefinitionKind, SymbolDefinition

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.{1,200}?)(?:[ \t]+#+)?[ \t]*")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()]*\)|<a [^<>]*>|</a>")
_CODE = re.compile(r"(`{1,2})([^`]+)\1")
_SYMBOL = re.compile(r"\.?([A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)(\(.*\))?", re.ASCII)
_SEPARATOR = re.compile(r"\.|::|#")
_CODE_LIKE = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|\b[a-z]\w*[A-Z]", re.ASCII)


def headings(lines: Sequence[str]) -> Iterator[SymbolDefinition]:
    """Yield the headings, outside fenced code, that are a symbol and nothing else."""
    fence = ""
    for number, line in enumerate(lines):
        text = line.rstrip("\r\n")
        mark = _FENCE.fullmatch(text)
        if mark and _closes(fence, mark):
            fence = ""
        elif mark and not fence and not (mark[1].startswith("`") and "`" in mark[2]):
            fence = mark[1]
        elif not fence and (heading := _HEADING.fullmatch(text)) and (found := _symbol(heading[1], number)):
            yield found


def _closes(fence: str, mark: re.Match[str]) -> bool:
    return bool(fence) and mark[1].startswith(fence) and not mark[2].strip()


def _symbol(title: str, line: int) -> SymbolDefinition | None:
    text = _LINK.sub(lambda link: link[1] or "", title).strip().strip("*").strip()
    code = _CODE.fullmatch(text)
    symbol = _SYMBOL.fullmatch(code[2].strip() if code else text)
    if symbol is None:
        return None
    # "Overview", "Node.js" and "GitHub" are headings of prose.
    if (
        not code
        and not symbol[2]
        and not ("_" in symbol[1] or (symbol[1][0].islower() and _CODE_LIKE.search(symbol[1])))
    ):
        return None
    *owners, name = _SEPARATOR.split(symbol[1])
    return SymbolDefinition(name, DefinitionKind.HEADING, line, tuple(owners))
