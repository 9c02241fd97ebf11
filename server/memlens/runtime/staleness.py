"""What has become of the files that entries name and rest on (spec 2.1): for the overview and ``memlens doctor``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from memlens.anchors.evidence import ComparableText
from memlens.anchors.orphans import orphaned_targets
from memlens.anchors.tree import FileTree
from memlens.core.lines import split_lines
from memlens.queries.model import EntryCard
from memlens.runtime.api import MemorySnapshot


@dataclass(frozen=True, slots=True)
class OrphanedTarget:
    """A path or glob that an entry applies to and that matches nothing any more."""

    card: EntryCard
    target: str


@dataclass(frozen=True, slots=True)
class StaleEvidence:
    """A cited file that is gone, or whose cited lines have changed."""

    card: EntryCard
    path: str
    what: Literal["gone", "changed"]


def orphaned(snapshot: MemorySnapshot, tree: FileTree) -> Iterator[OrphanedTarget]:
    """Yield what matches nothing in ``tree``, of the repository's own entries: a person's apply elsewhere too."""
    for entry_id, card in snapshot.cards.items():
        if not card.personal:
            for target in orphaned_targets(snapshot.index.entries[entry_id], tree):
                yield OrphanedTarget(card, target.value)


def stale_evidence(snapshot: MemorySnapshot, read: Callable[[str], str | None]) -> Iterator[StaleEvidence]:
    """Yield the evidence that is not where it was found. ``read`` returns a file's text: not for the event loop."""

    @cache
    def document(path: str) -> ComparableText | None:
        text = read(path)
        return None if text is None else ComparableText(split_lines(text))

    for entry_id, card in snapshot.cards.items():
        for place in snapshot.index.entries[entry_id].evidence:
            found = document(place.path)
            if found is None:
                yield StaleEvidence(card, place.path, "gone")
            elif place.excerpt and found.find(place.excerpt, max(0, (place.start_line or 1) - 1)) is None:
                yield StaleEvidence(card, place.path, "changed")
