"""The key rule: an entry that names a configuration key is anchored where that key is set (spec 2.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlens.anchors.applicability import EffectiveTarget, effective_targets, muted_targets
from memlens.anchors.key_names import Key, may_be_meant, parse_key, split_path
from memlens.anchors.keys import key_definitions, may_set_keys
from memlens.anchors.keys.model import KeyDefinition
from memlens.anchors.model import Anchor, AnchorEntry, Origin, Rule, Strength, TargetKind
from memlens.anchors.postings import Postings

MAX_PLACES = 2
"""A key that a file sets more often than this is one of a list, and none of its places is meant."""

Filed = tuple[Key, EffectiveTarget]


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Line anchors where keys are set; what is no configuration file costs a look at its name."""

    postings: Postings[str, Filed]

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
            for filed in self.postings.get(split_path(definition.path)[-1]):
                key, target = filed
                if may_be_meant(key, definition, path, stated=target.rule is Rule.STATED):
                    found[filed].append(definition)
        for (key, target), definitions in found.items():
            places = _outermost(definitions)
            if len(places) <= MAX_PLACES and not _is_table_of_another(key, target, found):
                for place in places:
                    yield Anchor(target.entry_id, target.rule, Strength.STRONG, _why(key, target), place, place)

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> KeyRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return KeyRule(self.postings.replaced(_pairs(removed), _pairs(added)))


def _is_table_of_another(key: Key, target: EffectiveTarget, found: Iterable[Filed]) -> bool:
    """Return whether the same entry names a key of this table that is set here: then that line is meant."""
    depth = len(key.parts)
    return any(
        of.entry_id == target.entry_id and len(other.parts) > depth and other.parts[:depth] == key.parts
        for other, of in found
    )


def _outermost(definitions: Sequence[KeyDefinition]) -> list[int]:
    """Return the lines of the definitions that are nested least: `version` is the project's, not a dependency's."""
    depth = min(len(definition.path) for definition in definitions)
    return [definition.line for definition in definitions if len(definition.path) == depth]


def _pairs(entries: Iterable[AnchorEntry]) -> Iterator[tuple[str, Filed]]:
    for entry in entries:
        muted = {parse_key(target.target.value) for target in muted_targets(entry, TargetKind.KEY)}
        for target in effective_targets(entry, TargetKind.KEY):
            key = parse_key(target.target.value)
            if key is not None and key not in muted:
                yield key.parts[-1], (key, target)


def _why(key: Key, target: EffectiveTarget) -> str:
    why = f"`{'.'.join(key.parts)}` is set on this line"
    return why if target.origin is Origin.PROPOSED else f"{why} ({target.label})"
