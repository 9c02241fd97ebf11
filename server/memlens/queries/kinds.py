"""Kinds of entry as people read them: their order, plural and mark (spec 1.3, 2.2)."""

from __future__ import annotations

from memlens.queries.visible import flatten

_KNOWN = ("constraint", "decision", "preference", "fact", "working_note")
_MARKS = {"constraint": "■", "decision": "◆", "preference": "●", "fact": "▪", "working_note": "◦"}
_OTHER_MARK = "·"


def kind_order(kind: str) -> tuple[int, str]:
    """Return a sort key: what binds most comes first, unknown kinds last and by name."""
    return (_KNOWN.index(kind), "") if kind in _KNOWN else (len(_KNOWN), kind)


def kind_mark(kind: str) -> str:
    """Return the one-character mark that stands for ``kind`` in hints and line lenses."""
    return _MARKS.get(kind, _OTHER_MARK)


def kind_label(kind: str) -> str:
    """Return ``kind`` as words on one line. A kind somebody else wrote is untrusted like any text."""
    return flatten(kind.replace("_", " "))


def count_of(kind: str, number: int) -> str:
    """Return e.g. ``2 constraints``; an unknown kind gets no plural, because its language is unknown."""
    plural = "s" if number != 1 and kind in _KNOWN else ""
    return f"{number} {kind_label(kind)}{plural}"
