"""All entries that bear on one repository, ready to be asked what applies to a file (spec 2.1, 5.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from memlens.anchors.applicability import EffectiveTarget, muted_targets
from memlens.anchors.command_rule import CommandRule
from memlens.anchors.evidence import EvidenceRule
from memlens.anchors.key_rule import KeyRule
from memlens.anchors.model import Anchor, AnchorEntry, Rule, Strength, TargetKind
from memlens.anchors.path_index import PathIndex
from memlens.anchors.path_rule import PathRule
from memlens.anchors.rules import AnchorRule
from memlens.anchors.symbol_rule import SymbolRule

_SUREST_FIRST = (Rule.STATED, Rule.PATH, Rule.GLOB, Rule.COMMAND, Rule.KEY, Rule.SYMBOL, Rule.EVIDENCE)
_RANK = {rule: rank for rank, rule in enumerate(_SUREST_FIRST)}


@dataclass(frozen=True, slots=True)
class Tables:
    """What the entries are looked up in: one index a rule, and where entries are muted."""

    rules: tuple[AnchorRule, ...]
    mutes: PathIndex

    @classmethod
    def of(cls, entries: Collection[AnchorEntry]) -> Tables:
        """Build every rule for these entries."""
        rules = (PathRule, CommandRule, SymbolRule, KeyRule, EvidenceRule)
        return cls(tuple(rule.of(entries) for rule in rules), PathIndex.of(_mutes(entries)))

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> Tables:
        """Return the tables without the ``removed`` entries and with the ``added`` ones."""
        rules = tuple(rule.replaced(removed, added) for rule in self.rules)
        return Tables(rules, self.mutes.replaced(_mutes(removed), _mutes(added)))


class AnchorIndex:
    """Immutable; safe to ask from any thread."""

    __slots__ = ("_entries", "_tables")

    def __init__(self, entries: Iterable[AnchorEntry], tables: Tables | None = None) -> None:
        """Index the entries; ``tables``, where given, were made for exactly these."""
        self._entries = {entry.entry_id: entry for entry in entries}
        self._tables = Tables.of(self._entries.values()) if tables is None else tables

    @property
    def entries(self) -> Mapping[str, AnchorEntry]:
        """The entries by their identifier."""
        return MappingProxyType(self._entries)

    def anchors(self, path: str, lines: Sequence[str]) -> tuple[Anchor, ...]:
        """Return what applies to a file.

        Args:
            path: relative to the repository root, with ``/``.
            lines: the document as :func:`memlens.core.lines.split_lines` divides it; line ends may be missing.

        Returns:
            File-level anchors first, then by line; at one place strong before weak, the surest rule first. An entry
            has at most one file-level anchor, and at most one that starts on a given line.
        """
        muted = {target.entry_id for target in self._tables.mutes.matching(path)}
        best: dict[tuple[str, int | None], Anchor] = {}
        for rule in self._tables.rules:
            for anchor in rule.anchors(path, lines):
                if anchor.entry_id not in muted:
                    place = (anchor.entry_id, anchor.start_line)
                    best[place] = min(best.get(place, anchor), anchor, key=_order)
        return tuple(sorted(best.values(), key=_order))

    def replaced(self, changed: Iterable[AnchorEntry], removed: Iterable[str]) -> AnchorIndex:
        """Return an index with the ``changed`` entries added or replaced and those named by ``removed`` left out.

        It costs as much as the change, not as the index, but for copying a few dictionaries.
        """
        added = {entry.entry_id: entry for entry in changed}
        gone = {key for key in (*removed, *added) if key in self._entries}
        leaving = [self._entries[key] for key in sorted(gone)]
        entries = {key: entry for key, entry in self._entries.items() if key not in gone} | added
        return AnchorIndex(entries.values(), self._tables.replaced(leaving, list(added.values())))


def _mutes(entries: Iterable[AnchorEntry]) -> Iterator[EffectiveTarget]:
    for entry in entries:
        yield from muted_targets(entry, TargetKind.PATH)


def _order(anchor: Anchor) -> tuple[int, bool, int, str, int, str]:
    start = -1 if anchor.start_line is None else anchor.start_line
    end = -1 if anchor.end_line is None else anchor.end_line
    weak = anchor.strength is Strength.WEAK
    return (start, weak, _RANK[anchor.rule], anchor.entry_id, end, anchor.why)
