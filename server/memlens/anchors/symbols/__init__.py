"""Finds where symbols are defined in a file; what cannot be parsed, in time or at all, defines nothing (spec 2.1)."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from threading import Lock

from memlens.anchors.symbols.languages import LanguageRow, grammar_of, language_of
from memlens.anchors.symbols.markdown import headings
from memlens.anchors.symbols.model import SymbolDefinition
from memlens.anchors.symbols.parsing import MAX_BYTES, parsed_definitions, source_bytes

_MARKDOWN = (".md", ".mdx", ".markdown")
_KEPT = 64
_HEAD = 8
_GENERATED = re.compile(
    r"@generated\b|\bauto-?generated\b|\bgenerated\b.*\bdo not (?:edit|modify|change)\b", re.IGNORECASE
)

Key = tuple[LanguageRow, bytes]


class _Recent:
    """The definitions of the texts asked for last: several requests look at one text. Safe in any thread."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[Key, tuple[SymbolDefinition, ...]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> tuple[SymbolDefinition, ...] | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Key, definitions: tuple[SymbolDefinition, ...]) -> None:
        with self._lock:
            self._kept[key] = definitions
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)


_recent = _Recent(_KEPT)


def may_define_symbols(path: str) -> bool:
    """Return whether the file at ``path`` is of a kind whose definitions can be found."""
    return language_of(path) is not None or path.lower().endswith(_MARKDOWN)


def is_code(path: str) -> bool:
    """Return whether the file at ``path`` is in one of the programming languages."""
    return language_of(path) is not None


def is_generated(lines: Sequence[str]) -> bool:
    """Return whether the head of the file says that a program writes it: its source is where things are defined."""
    return any(_GENERATED.search(line[:500]) for line in lines[:_HEAD])


def symbol_definitions(path: str, lines: Sequence[str]) -> tuple[SymbolDefinition, ...]:
    """Return the symbols that the file defines, in the order of their lines; it never fails.

    A generated file defines none.
    """
    if path.lower().endswith(_MARKDOWN):
        return tuple(headings(lines))
    row = language_of(path)
    if row is None or is_generated(lines) or sum(map(len, lines)) > MAX_BYTES:
        return ()
    source = source_bytes(lines)
    key = (row, blake2b(source, digest_size=16).digest())
    known = _recent.get(key)
    if known is None:
        grammar = grammar_of(row)
        known = () if grammar is None or len(source) > MAX_BYTES else parsed_definitions(grammar, source)
        _recent.keep(key, known)
    return known
