"""The symbol rule: an entry that names a symbol is anchored where that symbol is defined (spec 2.1).

A use is no place to show an entry: it is nearly always noise. Only names that cannot be mistaken get a weak anchor
on the lines that use them, for the hover.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memlens.anchors.applicability import EffectiveTarget, effective_targets, muted_targets
from memlens.anchors.model import Anchor, AnchorEntry, Origin, Rule, Strength, Target, TargetKind
from memlens.anchors.postings import Postings
from memlens.anchors.symbol_names import Symbol, is_meant, parse_symbol
from memlens.anchors.symbol_words import is_constant_case
from memlens.anchors.symbols import is_code, may_define_symbols, symbol_definitions

MAX_DEFINITIONS = 4
"""A name that a file defines more often than this says nothing about any of the places."""

MAX_USES = 20

_TOKEN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")

Filed = tuple[Symbol, EffectiveTarget]

_symbol = lru_cache(maxsize=1 << 14)(parse_symbol)


@dataclass(frozen=True, slots=True)
class SymbolRule:
    """Line anchors at definitions; a file that names no symbol of any entry is not parsed."""

    postings: Postings[str, EffectiveTarget]
    """The targets by the name of their symbol, which is parsed when its name occurs in a file."""

    @classmethod
    def of(cls, entries: Iterable[AnchorEntry]) -> SymbolRule:
        """Build the rule for these entries."""
        return cls(Postings.of(_pairs(entries)))

    def anchors(self, path: str, lines: Sequence[str]) -> Iterator[Anchor]:
        """Yield a strong anchor where a symbol is defined, and weak ones where an unmistakable one is used."""
        if not self.postings or not may_define_symbols(path):
            return
        named = self.postings.among(token for line in lines for token in _TOKEN.findall(line))
        if not named:
            return
        defined = _definitions(self.postings, path, lines)
        for filed, places in defined.items():
            if len(places) <= MAX_DEFINITIONS:
                for line in places:
                    yield _anchor(filed, line, Strength.STRONG, "defined")
        if is_code(path):
            yield from _uses([filed for name in sorted(named) for filed in _filed(self.postings, name)], defined, lines)

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> SymbolRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return SymbolRule(self.postings.replaced(_pairs(removed), _pairs(added)))


def _filed(postings: Postings[str, EffectiveTarget], name: str) -> Iterator[Filed]:
    for target in postings.get(name):
        symbol = _symbol(target.target.value)
        if symbol is not None:
            yield symbol, target


def _definitions(postings: Postings[str, EffectiveTarget], path: str, lines: Sequence[str]) -> dict[Filed, list[int]]:
    found: defaultdict[Filed, list[int]] = defaultdict(list)
    for definition in symbol_definitions(path, lines):
        for filed in _filed(postings, definition.name):
            symbol, target = filed
            if is_meant(symbol, definition, path, stated=target.rule is Rule.STATED):
                found[filed].append(definition.line)
    return found


def _uses(named: Sequence[Filed], defined: dict[Filed, list[int]], lines: Sequence[str]) -> Iterator[Anchor]:
    """Yield weak anchors on the first lines that use a qualified name or a constant."""
    by_spelling: defaultdict[str, list[Filed]] = defaultdict(list)
    for filed in named:
        symbol, _target = filed
        if symbol.qualifiers or is_constant_case(symbol.name):
            by_spelling[symbol.spelling.removesuffix("()")].append(filed)
    if not by_spelling:
        return
    pattern = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, by_spelling))})(?!\w)")
    shown = 0
    for number, line in enumerate(lines):
        for spelling in dict.fromkeys(pattern.findall(line)):
            for filed in by_spelling[spelling]:
                if number not in defined.get(filed, ()) and shown < MAX_USES:
                    shown += 1
                    yield _anchor(filed, number, Strength.WEAK, "used")
        if shown >= MAX_USES:
            return


def _pairs(entries: Iterable[AnchorEntry]) -> Iterator[tuple[str, EffectiveTarget]]:
    for entry in entries:
        muted = {_symbol(target.target.value) for target in muted_targets(entry, TargetKind.SYMBOL)}
        for target in effective_targets(entry, TargetKind.SYMBOL):
            name = _name(target.target)
            if name and (not muted or _symbol(target.target.value) not in muted):
                yield name, target


def _name(target: Target) -> str:
    """Return the last name of the symbol; what was read from a text is stored so that this needs no parsing."""
    if target.rule is Rule.SYMBOL:
        return target.value.removesuffix("()").rpartition(".")[2]
    symbol = _symbol(target.value)
    return "" if symbol is None else symbol.name


def _anchor(filed: Filed, line: int, strength: Strength, done: str) -> Anchor:
    symbol, target = filed
    why = f"`{symbol.spelling}` is {done} on this line"
    if target.origin is not Origin.PROPOSED:
        why = f"{why} ({target.label})"
    return Anchor(target.entry_id, target.rule, strength, why, line, line)
