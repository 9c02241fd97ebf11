"""The view of one document: its anchors and what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from memlens.anchors.model import Anchor, Strength
from memlens.queries.kinds import kind_order
from memlens.queries.model import EntryCard, FileView


class AnchorSource(Protocol):
    """Where the anchors of a file come from; ``memlens.anchors.index`` implements it."""

    def anchors(self, path: str, lines: Sequence[str]) -> Iterable[Anchor]:
        """Return the anchors on the file ``path`` whose text is ``lines``, with 0-based line numbers."""
        ...


class SnapshotLike(Protocol):
    """What a view needs of a memory snapshot."""

    @property
    def index(self) -> AnchorSource:
        """The anchors of every file."""
        ...

    @property
    def cards(self) -> Mapping[str, EntryCard]:
        """Every active entry by its identifier."""
        ...


def view_file(snapshot: SnapshotLike, path: str, lines: Sequence[str]) -> FileView:
    """Return the view of ``path``, relative to the repository root, with the text ``lines`` (with line ends)."""
    return FileView(path, len(lines), tuple(snapshot.index.anchors(path, lines)), snapshot.cards)


def known_anchors(view: FileView, *, strong_only: bool = False) -> Iterator[Anchor]:
    """Yield the anchors whose entry is known, in the order of the index."""
    for anchor in view.anchors:
        if anchor.entry_id in view.cards and not (strong_only and anchor.strength is not Strength.STRONG):
            yield anchor


def binding_order(view: FileView, anchor: Anchor) -> tuple[tuple[int, str], str, str]:
    """Return a sort key that puts what binds most first and does not depend on how entries were stored."""
    card = view.cards[anchor.entry_id]
    return (kind_order(card.kind), card.text, card.entry_id)


def line_range(anchor: Anchor) -> tuple[int, int]:
    """Return the first and last line, 0-based, of a line-level anchor."""
    if anchor.start_line is None:
        raise ValueError("A file-level anchor has no lines.")
    return anchor.start_line, anchor.start_line if anchor.end_line is None else anchor.end_line
