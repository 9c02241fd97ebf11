"""A file with its anchors as JSON-ready values: the stable machine interface of ``memlens show`` (spec 2.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memlens.anchors.model import Anchor
from memlens.queries.model import FileView
from memlens.queries.view import binding_order, known_anchors, line_range


def show(view: FileView) -> dict[str, Any]:
    """Return ``path``, ``file_level`` and ``line_level`` with lines from 1; weak anchors are left out.

    An entry appears once on the file and once on each range. The order depends on the content alone.
    """
    strong = sorted(known_anchors(view, strong_only=True), key=lambda anchor: _order(view, anchor))
    return {
        "path": view.path,
        "file_level": [_file_level(view, anchor) for anchor in _once(strong) if anchor.is_file_level],
        "line_level": [_line_level(view, anchor) for anchor in _once(strong) if not anchor.is_file_level],
    }


def _order(view: FileView, anchor: Anchor) -> tuple[object, ...]:
    place = (anchor.start_line, anchor.end_line) if anchor.start_line is not None else (-1, -1)
    return (*place, *binding_order(view, anchor), anchor.rule.value, anchor.why)


def _once(anchors: Iterable[Anchor]) -> list[Anchor]:
    first: dict[tuple[str, int | None, int | None], Anchor] = {}
    for anchor in anchors:
        first.setdefault((anchor.entry_id, anchor.start_line, anchor.end_line), anchor)
    return list(first.values())


def _file_level(view: FileView, anchor: Anchor) -> dict[str, Any]:
    card = view.cards[anchor.entry_id]
    return {"entry_id": anchor.entry_id, "kind": card.kind, "text": card.text, **_reason(anchor)}


def _line_level(view: FileView, anchor: Anchor) -> dict[str, Any]:
    first, last = line_range(anchor)
    kind = view.cards[anchor.entry_id].kind
    return {"line": first + 1, "end_line": last + 1, "entry_id": anchor.entry_id, "kind": kind, **_reason(anchor)}


def _reason(anchor: Anchor) -> dict[str, Any]:
    return {"strength": anchor.strength.value, "rule": anchor.rule.value, "why": anchor.why}
