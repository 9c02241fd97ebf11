"""The repository at hand: its settings, whose memory it has, and which of its entries have gone stale (spec 2.1)."""

from __future__ import annotations

from typing import Any

from memlens.queries.model import EntryCard
from memlens.runtime.doctor.finding import Finding
from memlens.runtime.repository import RepositoryMemory
from memlens.runtime.staleness import orphaned, stale_evidence
from memlens.workspace.settings_loader import SettingsWarning

MAX_SHOWN_TEXT = 100
REVISE = "`memlens revise` those that are still true, `memlens forget` the others."


def settings(warnings: tuple[SettingsWarning, ...]) -> Finding:
    """Say which settings are ignored."""
    if not warnings:
        return Finding("settings", "ok", "Every setting is understood.")
    details = tuple({"source": each.source, "key": each.key, "message": each.message} for each in warnings)
    way_out = "Correct or delete them where `source` says."
    return Finding("settings", "warning", f"{len(warnings)} settings are ignored.", way_out, details)


async def repository(memory: RepositoryMemory) -> Finding:
    """Say which repository this is, and what its binding stands at."""
    binding = (await memory.status())["binding"]
    said = f"{memory.root} is {memory.key}, by its {memory.identity.basis}."
    if binding["note"]:
        return Finding("repository", "warning", f"{said} {binding['note']}", "See the message, and docs/identity.md.")
    return Finding("repository", "ok", said)


def entries(memory: RepositoryMemory) -> Finding:
    """Say which active entries are not shown because their bodies were altered."""
    if memory.damaged:
        details = tuple({"entry_id": entry_id} for entry_id in memory.damaged)
        said = f"{len(details)} entries are not shown: what is stored is not what their hashes say."
        return Finding("entries", "problem", said, "Restore the database from a backup.", details)
    return Finding("entries", "ok", f"All {len(memory.snapshot().cards)} active entries are what their hashes say.")


def targets(memory: RepositoryMemory) -> Finding:
    """Say which paths that entries apply to match nothing in the tree. Lists the tree: not for the event loop."""
    found = orphaned(memory.snapshot(), memory.tree())
    details = tuple({**_named(each.card), "target": each.target} for each in found)
    if details:
        said = f"{len(details)} paths that entries apply to match nothing in the repository any more."
        return Finding("targets", "warning", said, REVISE, details)
    return Finding("targets", "ok", "Every path that an entry applies to matches something.")


def evidence(memory: RepositoryMemory) -> Finding:
    """Say which evidence is gone or has changed. Reads every file that is cited: not for the event loop."""
    found = stale_evidence(memory.snapshot(), memory.read_evidence)
    details = tuple({**_named(each.card), "path": each.path, "what": each.what} for each in found)
    if details:
        said = f"{len(details)} pieces of evidence are gone, or have changed since the entry was written."
        return Finding("evidence", "warning", said, REVISE, details)
    return Finding("evidence", "ok", "All evidence from files is still where it was found.")


def _named(card: EntryCard) -> dict[str, Any]:
    text = card.text if len(card.text) <= MAX_SHOWN_TEXT else card.text[: MAX_SHOWN_TEXT - 1] + "…"
    return {"entry_id": card.entry_id, "text": text}
