"""Lenses: the count of entries above line 1, and on request the rules above the lines they bind (spec 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memlens.anchors.model import Anchor
from memlens.core.refs import EntryCitation
from memlens.queries.excerpt import excerpt
from memlens.queries.kinds import count_of, kind_mark, kind_order
from memlens.queries.model import EntryCard, FileView
from memlens.queries.view import binding_order, known_anchors

_TEXT_LIMIT = 60
_LINE_KINDS = frozenset({"constraint", "decision"})


@dataclass(frozen=True, slots=True)
class Lens:
    """One lens above ``line`` (0-based); a click expands ``citations``."""

    line: int
    title: str
    citations: tuple[EntryCitation, ...]


def code_lens(view: FileView, *, file: bool = True, lines: bool = False) -> tuple[Lens, ...]:
    """Return the lenses of a file: none when no strong anchor is on it.

    ``file`` asks for the count on line 1 and ``lines`` for one lens on each line that a constraint or decision is
    anchored on.
    """
    anchors = sorted(known_anchors(view, strong_only=True), key=lambda anchor: binding_order(view, anchor))
    lenses = [_count(_cards(view, anchors))] if file and anchors else []
    return (*lenses, *(_line_lenses(view, anchors) if lines else ()))


def _count(cards: Sequence[EntryCard]) -> Lens:
    counts = Counter(card.kind for card in cards)
    title = " · ".join(count_of(kind, counts[kind]) for kind in sorted(counts, key=kind_order))
    return Lens(0, _without_icons(title), tuple(card.citation for card in cards))


def _line_lenses(view: FileView, anchors: Sequence[Anchor]) -> list[Lens]:
    by_line: dict[int, list[Anchor]] = {}
    for anchor in anchors:
        if anchor.start_line is not None and view.cards[anchor.entry_id].kind in _LINE_KINDS:
            by_line.setdefault(anchor.start_line, []).append(anchor)
    return [_line_lens(line, _cards(view, by_line[line])) for line in sorted(by_line)]


def _line_lens(line: int, cards: Sequence[EntryCard]) -> Lens:
    first = cards[0]
    more = f" (+{len(cards) - 1})" if len(cards) > 1 else ""
    title = f"{kind_mark(first.kind)} {_without_icons(excerpt(first.text, _TEXT_LIMIT))}{more}"
    return Lens(line, title, tuple(card.citation for card in cards))


def _cards(view: FileView, anchors: Sequence[Anchor]) -> list[EntryCard]:
    return [view.cards[entry_id] for entry_id in dict.fromkeys(anchor.entry_id for anchor in anchors)]


def _without_icons(title: str) -> str:
    """Return ``title`` with no ``$(icon)``: VS Code draws theme icons in lens titles, and the text is untrusted."""
    return title.replace("$(", "$ (")
