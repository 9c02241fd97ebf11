"""What a hover says of one line (spec 2.2). How it is written down is in ``hover_text``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memlens.anchors.model import Anchor, Rule, Strength
from memlens.queries.model import EntryCard, FileView
from memlens.queries.view import known_anchors, line_range


@dataclass(frozen=True, slots=True)
class HoverItem:
    """One entry with every reason why it is shown here, the strongest first."""

    card: EntryCard
    whys: tuple[str, ...]
    strength: Strength


@dataclass(frozen=True, slots=True)
class HoverContent:
    """The entries of one line, each once, strong ones first. Never empty."""

    items: tuple[HoverItem, ...]


def hover(view: FileView, line: int) -> HoverContent | None:
    """Return what bears on ``line`` (0-based), on line 0 also what bears on the whole file; None when nothing does."""
    grouped: dict[str, list[Anchor]] = {}
    for anchor in sorted(_on_line(view, line), key=_rank):
        grouped.setdefault(anchor.entry_id, []).append(anchor)
    if not grouped:
        return None
    return HoverContent(tuple(_item(view, anchors) for anchors in grouped.values()))


def _on_line(view: FileView, line: int) -> Iterator[Anchor]:
    for anchor in known_anchors(view):
        if anchor.is_file_level:
            if line == 0:
                yield anchor
            continue
        first, last = line_range(anchor)
        if first <= line <= last:
            yield anchor


def _rank(anchor: Anchor) -> tuple[bool, bool]:
    return (anchor.strength is not Strength.STRONG, anchor.is_file_level)


def _item(view: FileView, anchors: list[Anchor]) -> HoverItem:
    whys = tuple(dict.fromkeys(anchor.why for anchor in anchors if anchor.why))
    return HoverItem(_followed(view, view.cards[anchors[0].entry_id]), whys, anchors[0].strength)


def _followed(view: FileView, card: EntryCard) -> EntryCard:
    """Return the card with its evidence in this file on the lines where it is now, where that is one excerpt."""
    here = [each for each in card.evidence if each.path == view.path and each.start_line is not None]
    found = [
        anchor
        for anchor in view.anchors
        if anchor.entry_id == card.entry_id and anchor.rule is Rule.EVIDENCE and not anchor.is_file_level
    ]
    if len(here) != 1 or len(found) != 1:
        return card
    first, last = line_range(found[0])
    moved = replace(here[0], start_line=first + 1, end_line=last + 1)
    return replace(card, evidence=tuple(moved if each is here[0] else each for each in card.evidence))
