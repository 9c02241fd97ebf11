"""Moves line anchors along with an edit, so that a just-edited document is right before it is looked at anew (5.2).

Cost depends on the anchors and the edits, not on the size of the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memlens.anchors.model import Anchor


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines ``start`` up to, not including, ``end`` gave way to ``inserted`` lines. Lines are 0-based."""

    start: int
    end: int
    inserted: int


def shift(anchors: Iterable[Anchor], edits: Sequence[LineEdit]) -> tuple[Anchor, ...]:
    """Return the anchors as they stand after the edits, each of which is in terms of the lines the last one left.

    File-level anchors stay. A line anchor moves with its lines; it stays on a line that was rewritten in place, shrinks
    when some of its lines were deleted, and is dropped when all of them were.
    """
    moved: Iterable[Anchor | None] = anchors
    for edit in edits:
        moved = [_shifted(anchor, edit) for anchor in moved if anchor is not None]
    return tuple(anchor for anchor in moved if anchor is not None)


def _shifted(anchor: Anchor, edit: LineEdit) -> Anchor | None:
    first, last = anchor.start_line, anchor.end_line
    if first is None or last is None or last < edit.start:
        return anchor
    # Only lines inside the edit can be gone: the next that may have stayed are at its ends.
    starts = [line for line in (first, edit.end - 1, edit.end) if first <= line <= last]
    ends = [line for line in (last, edit.start + edit.inserted - 1, edit.start - 1) if first <= line <= last]
    start = next((moved for line in starts if (moved := _moved(line, edit)) is not None), None)
    end = next((moved for line in ends if (moved := _moved(line, edit)) is not None), None)
    if start is None or end is None or end < start:
        return None
    return replace(anchor, start_line=start, end_line=end)


def _moved(line: int, edit: LineEdit) -> int | None:
    """Return where ``line`` is after the edit, or None when it was deleted."""
    if line < edit.start:
        return line
    if line >= edit.end:
        return line + edit.inserted - (edit.end - edit.start)
    if line - edit.start < edit.inserted:
        return line
    # The end of the last replaced line lives on at the end of the new text.
    return edit.start + edit.inserted - 1 if line == edit.end - 1 and edit.inserted > 0 else None
