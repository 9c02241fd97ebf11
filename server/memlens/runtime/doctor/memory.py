"""The repository at hand: its settings, whose memory it has, and which of its entries have gone stale (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from memlens.anchors.evidence import ComparableText
from memlens.anchors.orphans import orphaned_targets
from memlens.core.lines import split_lines
from memlens.queries.model import EntryCard
from memlens.runtime.doctor.finding import Finding
from memlens.runtime.evidence import MAX_EVIDENCE_FILE
from memlens.runtime.repository import RepositoryMemory
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
    tree = memory.tree()
    details = tuple(
        {**_named(card), "target": target.value}
        for card in _own(memory)
        for target in orphaned_targets(memory.snapshot().index.entries[card.entry_id], tree)
    )
    if details:
        said = f"{len(details)} paths that entries apply to match nothing in the repository any more."
        return Finding("targets", "warning", said, REVISE, details)
    return Finding("targets", "ok", "Every path that an entry applies to matches something.")


def evidence(memory: RepositoryMemory) -> Finding:
    """Say which evidence is gone or has changed. Reads every file that is cited: not for the event loop."""
    details = tuple(_stale_evidence(memory))
    if details:
        said = f"{len(details)} pieces of evidence are gone, or have changed since the entry was written."
        return Finding("evidence", "warning", said, REVISE, details)
    return Finding("evidence", "ok", "All evidence from files is still where it was found.")


def _stale_evidence(memory: RepositoryMemory) -> Iterator[dict[str, Any]]:
    @cache
    def document(path: str) -> ComparableText | None:
        text = memory.read_file(path, MAX_EVIDENCE_FILE)
        return None if text is None else ComparableText(split_lines(text))

    for entry_id, card in memory.snapshot().cards.items():
        for place in memory.snapshot().index.entries[entry_id].evidence:
            found = document(place.path)
            if found is None:
                yield {**_named(card), "path": place.path, "what": "gone"}
            elif place.excerpt and found.find(place.excerpt, max(0, (place.start_line or 1) - 1)) is None:
                yield {**_named(card), "path": place.path, "what": "changed"}


def _own(memory: RepositoryMemory) -> Iterator[EntryCard]:
    """Yield the repository's own entries: a person's apply to other repositories too."""
    return (card for card in memory.snapshot().cards.values() if not card.personal)


def _named(card: EntryCard) -> dict[str, Any]:
    text = card.text if len(card.text) <= MAX_SHOWN_TEXT else card.text[: MAX_SHOWN_TEXT - 1] + "…"
    return {"entry_id": card.entry_id, "text": text}
