"""What one check found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Level = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One check and its outcome.

    A ``problem`` keeps MemLens from working as it should; a ``warning`` is something to know or to tidy up. Both
    have a ``way_out``. ``details`` name the single things that were found.
    """

    check: str
    level: Level
    message: str
    way_out: str | None = None
    details: tuple[Mapping[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the finding without the members that it does not need."""
        found: dict[str, Any] = {"check": self.check, "level": self.level, "message": self.message}
        if self.way_out is not None:
            found["way_out"] = self.way_out
        if self.details:
            found["details"] = list(self.details)
        return found


def report(findings: Sequence[Finding], repaired: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return everything that was found, ready for JSON; ``ok`` is that there is no problem."""
    return {
        "ok": all(finding.level != "problem" for finding in findings),
        "checks": [finding.as_json() for finding in findings],
        **({"repaired": repaired} if repaired is not None else {}),
    }
