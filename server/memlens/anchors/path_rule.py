"""The path and glob rule: an entry applies to the files that it names, or that somebody stated (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlens.anchors.applicability import EffectiveTarget, effective_targets
from memlens.anchors.model import Anchor, AnchorEntry, Origin, Rule, Strength, TargetKind
from memlens.anchors.path_index import PathIndex


@dataclass(frozen=True, slots=True)
class PathRule:
    """File-level anchors from path and glob targets."""

    index: PathIndex

    @classmethod
    def of(cls, entries: Iterable[AnchorEntry]) -> PathRule:
        """Build the rule for these entries."""
        return cls(PathIndex.of(_path_targets(entries)))

    def anchors(self, path: str, lines: Sequence[str]) -> Iterator[Anchor]:
        """Yield one strong file-level anchor for each target that matches ``path``."""
        for target in self.index.matching(path):
            yield Anchor(target.entry_id, target.rule, Strength.STRONG, _why(target, path))

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> PathRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return PathRule(self.index.replaced(_path_targets(removed), _path_targets(added)))


def _path_targets(entries: Iterable[AnchorEntry]) -> Iterator[EffectiveTarget]:
    for entry in entries:
        yield from effective_targets(entry, TargetKind.PATH)


def _why(found: EffectiveTarget, path: str) -> str:
    if found.origin is not Origin.PROPOSED:
        return f"applies to `{found.target.value}` ({found.label})"
    named = f"the text names `{found.target.mention or found.target.value}`"
    if found.target.rule is Rule.GLOB:
        return f"{named}, and it matches this file"
    if found.target.value == path:
        return f"{named}, which is this file"
    return f"{named}, and this file is below it"
