"""What an agent reported: the content of TaskOutcomeSource and AgentTurnSource (docs/sources.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memlens.core.sources import Source

TASK_OUTCOME = "TaskOutcomeSource"
AGENT_TURN = "AgentTurnSource"


@dataclass(frozen=True, slots=True)
class Check:
    """One verification that was reported: what was run, and how it ended, in the reporter's words."""

    command: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a task, or of one turn of an agent, as it was reported. Nothing of it was checked."""

    report: str
    changed_paths: tuple[str, ...] = ()
    git_head: str | None = None
    verification: tuple[Check, ...] = ()

    def as_content(self) -> dict[str, Any]:
        """Return the content of the Source that keeps it."""
        return {
            "changed_paths": list(self.changed_paths),
            "git_head": self.git_head,
            "report": self.report,
            "verification": [{"command": check.command, "outcome": check.outcome} for check in self.verification],
        }

    @classmethod
    def of(cls, source: Source) -> Outcome | None:
        """Return what a Source reports, or None when it is of another type or reports nothing.

        Sources are imported too: what does not have the shape that we write is left out.
        """
        report = source.content.get("report")
        if source.source_type not in (TASK_OUTCOME, AGENT_TURN) or not isinstance(report, str):
            return None
        head = source.content.get("git_head")
        return cls(
            report=report,
            changed_paths=tuple(each for each in _list(source.content.get("changed_paths")) if isinstance(each, str)),
            git_head=head if isinstance(head, str) else None,
            verification=tuple(filter(None, map(_check, _list(source.content.get("verification"))))),
        )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else list(value) if isinstance(value, tuple) else []


def _check(value: object) -> Check | None:
    if not isinstance(value, Mapping):
        return None
    command, outcome = value.get("command"), value.get("outcome")
    return Check(command, outcome) if isinstance(command, str) and isinstance(outcome, str) else None
