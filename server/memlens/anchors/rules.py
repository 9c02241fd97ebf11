"""What a rule is: one way in which entries are tied to places. A new rule is one module that has this shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, Self

from memlens.anchors.model import Anchor, AnchorEntry


class AnchorRule(Protocol):
    """An immutable index of the entries, for one rule."""

    def anchors(self, path: str, lines: Sequence[str]) -> Iterable[Anchor]:
        """Yield the anchors on the file at ``path`` with these lines, in any order, repetitions allowed."""
        ...

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> Self:
        """Return the rule for the same entries without ``removed`` and with ``added``."""
        ...
