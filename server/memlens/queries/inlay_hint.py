"""Hints at the end of anchored lines (spec 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memlens.core.refs import EntryCitation
from memlens.queries.excerpt import excerpt
from memlens.queries.kinds import kind_label, kind_mark
from memlens.queries.model import EntryCard, FileView
from memlens.queries.view import binding_order, known_anchors
from memlens.queries.visible import visible

TEXT_LIMIT = 60
FOLD_ABOVE = 6


@dataclass(frozen=True, slots=True)
class Hint:
    """One hint at the end of ``line`` (0-based). ``tooltip`` is plain text in full; a click expands ``citations``."""

    line: int
    label: str
    tooltip: str
    citations: tuple[EntryCitation, ...]


def inlay_hints(view: FileView, first_line: int, last_line: int) -> tuple[Hint, ...]:
    """Return the hints on the lines from ``first_line`` to ``last_line``, both 0-based and inclusive.

    A strong anchor has one hint, on the first line of its range. More than six entries on one line fold behind
    the one that binds most, with a count.
    """
    by_line: dict[int, dict[str, EntryCard]] = {}
    for anchor in sorted(known_anchors(view, strong_only=True), key=lambda anchor: binding_order(view, anchor)):
        line = anchor.start_line
        if line is not None and first_line <= line <= last_line:
            by_line.setdefault(line, {})[anchor.entry_id] = view.cards[anchor.entry_id]
    return tuple(hint for line in sorted(by_line) for hint in _hints(line, list(by_line[line].values())))


def _hints(line: int, cards: Sequence[EntryCard]) -> list[Hint]:
    if len(cards) <= FOLD_ABOVE:
        return [Hint(line, _label(card), _tooltip(card), (card.citation,)) for card in cards]
    label = f"{_label(cards[0])} (+{len(cards) - 1})"
    tooltip = "\n\n".join(_tooltip(card) for card in cards)
    return [Hint(line, label, tooltip, tuple(card.citation for card in cards))]


def _label(card: EntryCard) -> str:
    return f"{kind_mark(card.kind)} {excerpt(card.text, TEXT_LIMIT)}"


def _tooltip(card: EntryCard) -> str:
    return f"{kind_label(card.kind)}: {visible(card.text)}"
