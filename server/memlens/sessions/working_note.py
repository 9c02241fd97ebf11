"""The fallback without a semantic provider: one working note of what a report states (spec 2.3, seed "无模型降级").

It quotes and infers nothing: no fact, decision or constraint comes of a report, and the end of a turn is no proof that
the task is done.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.analyzer import query_terms
from memlens.memory.models import MemoryEntryInput, MemoryEntryVersion
from memlens.sessions.outcome import AGENT_TURN, TASK_OUTCOME, Outcome

KIND = "working_note"
MINIMUM_TERMS = 4
"""Distinct words, as the analyzer counts them; with fewer ("Done.", "All tests pass.") a report helps nobody later."""
MAX_REPORT_BYTES = 3072
MAX_LINE_BYTES = 200
"""Of one path, and of one verification."""
MAX_LISTED = 10
"""Paths and verifications that are named; of more, the number is told."""

_HEADINGS = {
    TASK_OUTCOME: "A task's outcome, as it was reported:",
    AGENT_TURN: "An agent's turn, as it was reported; the task may be unfinished:",
}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_GIT_OBJECT = re.compile(r"[0-9a-f]{7,64}")
_CUT = " […]"


class WorkingNotes:
    """A candidate pipeline that needs no model and proposes at most one working note."""

    async def extract(
        self,
        sources: Sequence[Source],
        artifacts: Sequence[ArtifactRef],
        current_entries: Sequence[MemoryEntryVersion],
    ) -> Sequence[MemoryEntryInput]:
        """Return the note of the last task outcome that says something, else of the last such turn, else nothing.

        It is always an addition: which entry a report is about cannot be told without understanding it.
        """
        for source_type in (TASK_OUTCOME, AGENT_TURN):
            for source in reversed(sources):
                text = note_text(source) if source.source_type == source_type else None
                if text is not None:
                    return [MemoryEntryInput(KIND, text, sources=(source,))]
        return []


def note_text(source: Source) -> str | None:
    """Return the note of what one Source reports, or None when that is nothing worth a note."""
    outcome = Outcome.of(source)
    report = _bounded(outcome.report, MAX_REPORT_BYTES) if outcome else ""
    if outcome is None or len(query_terms(report)) < MINIMUM_TERMS:
        return None
    parts = [f"{_HEADINGS[source.source_type]}\n{report}"]
    if changed := _listed(outcome.changed_paths):
        parts.append(f"Changed paths: {changed}")
    if outcome.git_head and _GIT_OBJECT.fullmatch(outcome.git_head):
        parts.append(f"Git head: {outcome.git_head}")
    if checks := _listed([f"{check.command}: {check.outcome}" for check in outcome.verification], separator="; "):
        parts.append(f"Verification, as reported: {checks}")
    return "\n\n".join(parts)


def _listed(items: Sequence[str], separator: str = ", ") -> str:
    lines = [line for item in items if (line := " ".join(_bounded(item, MAX_LINE_BYTES).split()))]
    more = [f"and {len(lines) - MAX_LISTED} more"] if len(lines) > MAX_LISTED else []
    return separator.join([*lines[:MAX_LISTED], *more])


def _bounded(text: str, limit: int) -> str:
    """Return ``text`` in NFC without characters that memory does not hold, cut behind a word if it is too long."""
    plain = _CONTROL.sub(" ", _COLOUR.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
    normal = unicodedata.normalize("NFC", plain).strip()
    body = normal.encode()
    if len(body) <= limit:
        return normal
    kept = body[: limit - len(_CUT.encode())].decode(errors="ignore")
    return re.sub(r"(?<=\s)\S{1,40}\Z", "", kept).rstrip() + _CUT
