"""The key rule: an entry that names a configuration key is anchored where that key is set (spec 2.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memlens.anchors.applicability import EffectiveTarget, effective_targets, muted_targets
from memlens.anchors.key_names import Key, may_be_meant, parse_key, split_path
from memlens.anchors.keys import key_definitions, may_set_keys
from memlens.anchors.keys.model import KeyDefinition
from memlens.anchors.model import Anchor, AnchorEntry, Origin, Rule, Strength, Target, TargetKind
from memlens.anchors.postings import Postings

MAX_PLACES = 2
"""A key that a file sets more often than this is one of a list, and none of its places is meant."""

Filed = tuple[Key, EffectiveTarget]

_key = lru_cache(maxsize=1 << 14)(parse_key)


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Line anchors where keys are set; what is no configuration file costs a look at its name."""

    postings: Postings[str, EffectiveTarget]
    """The targets by the last name of their key, which is parsed when a file sets a key of that name."""

    @classmethod
    def of(cls, entries: Iterable[AnchorEntry]) -> KeyRule:
        """Build the rule for these entries."""
        return cls(Postings.of(_pairs(entries)))

    def anchors(self, path: str, lines: Sequence[str]) -> Iterator[Anchor]:
        """Yield a strong anchor for each entry on each line of the file that sets one of its keys."""
        if not self.postings or not may_set_keys(path):
            return
        found: defaultdict[Filed, list[KeyDefinition]] = defaultdict(list)
        for definition in key_definitions(path, lines):
            for target in self.postings.get(split_path(definition.path)[-1]):
                key = _key(target.target.value)
                if key and may_be_meant(key, definition, path, stated=target.rule is Rule.STATED):
                    found[(key, target)].append(definition)
        inner = {(target.entry_id, key.parts[:depth]) for key, target in found for depth in range(1, len(key.parts))}
        for (key, target), definitions in found.items():
            places = _outermost(definitions)
            # Where an entry names a key together with its table, the key's line is meant.
            if len(places) <= MAX_PLACES and (target.entry_id, key.parts) not in inner:
                for place in places:
                    yield Anchor(target.entry_id, target.rule, Strength.STRONG, _why(key, target), place, place)

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> KeyRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return KeyRule(self.postings.replaced(_pairs(removed), _pairs(added)))


def _outermost(definitions: Sequence[KeyDefinition]) -> list[int]:
    """Return the lines of the definitions that are nested least: `version` is the project's, not a dependency's."""
    depth = min(len(definition.path) for definition in definitions)
    return [definition.line for definition in definitions if len(definition.path) == depth]


def _pairs(entries: Iterable[AnchorEntry]) -> Iterator[tuple[str, EffectiveTarget]]:
    for entry in entries:
        muted = {_key(target.target.value) for target in muted_targets(entry, TargetKind.KEY)}
        for target in effective_targets(entry, TargetKind.KEY):
            name = _name(target.target)
            if name and (not muted or _key(target.target.value) not in muted):
                yield name, target


def _name(target: Target) -> str:
    """Return the last name of the key; what was read from a text is stored so that this needs no parsing."""
    if target.rule is Rule.KEY:
        return target.value.rpartition("#")[2].rpartition(".")[2]
    key = _key(target.value)
    return "" if key is None else key.parts[-1]


def _why(key: Key, target: EffectiveTarget) -> str:
    why = f"`{'.'.join(key.parts)}` is set on this line"
    return why if target.origin is Origin.PROPOSED else f"{why} ({target.label})"
