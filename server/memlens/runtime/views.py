"""Domain values as JSON-ready objects: the machine interface that stays stable (spec 2.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from memlens.core.refs import EntryCitation
from memlens.core.sources import Source, source_as_json
from memlens.memory.models import (
    Memory,
    MemoryChange,
    MemoryEntryVersion,
    MemoryRevisionChanges,
    SearchResult,
)
from memlens.memory.ports import MemoryCapabilities
from memlens.queries.documents.model import Overview, OverviewEntry
from memlens.runtime.api import Receipt
from memlens.storage.state import HistoryStep
from memlens.storage.verification import Report
from memlens.workspace.settings_loader import SettingsWarning


def nothing_remembered() -> SearchResult:
    """Return the result of searching where there is no memory yet."""
    return SearchResult("fts", (), "Nothing is remembered here yet.")


def search_result(result: SearchResult) -> dict[str, Any]:
    """Return a search result; ``note`` is there only when it says why there are no hits."""
    hits = [
        {
            **hit.citation.as_json(),
            "kind": hit.kind,
            "text": hit.text,
            "score": hit.score,
            "matched_by": list(hit.matched_by),
        }
        for hit in result.hits
    ]
    return {"mode": result.mode, "hits": hits, **({"note": result.note} if result.note else {})}


def receipt(value: Receipt) -> dict[str, Any]:
    """Return what a write left behind."""
    return {
        "entry_id": value.entry_id,
        "entry_version_id": value.entry_version_id,
        "memory": value.memory_ref.as_json(),
        "changed": value.changed,
    }


def expanded(citation: EntryCitation, version: MemoryEntryVersion, sources: Mapping[str, Source]) -> dict[str, Any]:
    """Return a cited version in full, with its evidence."""
    return {
        **citation.as_json(),
        **_body(version),
        "sources": [source_as_json(sources[ref.source_id]) for ref in version.sources if ref.source_id in sources],
        "artifacts": [ref.as_json() for ref in version.artifacts],
    }


def revision_changes(value: MemoryRevisionChanges) -> dict[str, Any]:
    """Return the changes of one Revision."""
    return {
        "memory_ref": value.memory_ref.as_json(),
        "created_at": value.created_at,
        "actor": value.actor,
        "changes": [change(each) for each in value.changes],
    }


def change(value: MemoryChange) -> dict[str, Any]:
    """Return one change."""
    return value.as_json()


def history_step(step: HistoryStep) -> dict[str, Any]:
    """Return one step of an entry's history."""
    return {
        "revision": step.revision,
        "created_at": step.stamp.created_at,
        "actor": step.stamp.actor,
        "op": step.change.op,
        "reason": step.change.reason,
        **_body(step.version),
    }


def memory_summary(memory: Memory | None) -> dict[str, Any] | None:
    """Return what a Memory's head holds, or None while there is none."""
    if memory is None:
        return None
    active = sum(1 for _ in memory.manifest.active())
    return {
        **memory.ref.as_json(),
        "active": active,
        "inactive": len(memory.manifest) - active,
        "updated_at": memory.created_at,
        "updated_by": memory.actor,
    }


def capabilities(value: MemoryCapabilities) -> dict[str, Any]:
    """Return what search can do here."""
    profile = value.embedding_profile
    return {
        "fts": value.fts,
        "vector": value.vector,
        "hybrid": value.hybrid,
        "embedding_profile": profile.as_json() if profile else None,
    }


def settings_warning(value: SettingsWarning) -> dict[str, str]:
    """Return a setting that was ignored, with the reason."""
    return {"source": value.source, "key": value.key, "message": value.message}


def report(value: Report) -> dict[str, Any]:
    """Return what verification found."""
    problems = [
        {
            key: found
            for key, found in (
                ("code", each.code),
                ("message", each.message),
                ("artifact_id", each.artifact_id),
                ("revision", each.revision),
                ("entry_id", each.entry_id),
                ("entry_version_id", each.entry_version_id),
            )
            if found is not None
        }
        for each in value.problems
    ]
    return {
        "ok": value.ok,
        "revisions": value.revisions,
        "entry_versions": value.entry_versions,
        "problems": problems,
    }


def overview(value: Overview) -> dict[str, Any]:
    """Return everything active by kind; ``note`` is there only when a person has to do something first."""
    found = {
        "repository": value.repository,
        "heads": [head.as_json() for head in value.heads],
        "inactive": value.inactive,
        "damaged_entries": list(value.damaged),
        "kinds": dict(Counter(each.card.kind for each in value.entries)),
        "entries": [_overview_entry(each) for each in value.entries],
    }
    return {**found, "note": value.note} if value.note else found


def _overview_entry(value: OverviewEntry) -> dict[str, Any]:
    card = value.card
    return {
        **card.citation.as_json(),
        "version": card.version,
        "kind": card.kind,
        "text": card.text,
        "scope": "user" if card.personal else "repo",
        "created_at": card.created_at,
        "actor": card.actor,
        "evidence": [each.label for each in card.evidence],
        "applies": list(value.applies),
        "orphans": list(value.orphans),
        "changed_evidence": list(value.changed_evidence),
    }


def _body(version: MemoryEntryVersion) -> dict[str, Any]:
    return {
        "entry_id": version.entry_id,
        "entry_version_id": version.entry_version_id,
        "version": version.version,
        "previous_version_id": version.previous_version_id,
        "kind": version.kind,
        "text": version.text,
        "entry_content_hash": version.entry_content_hash,
        "created_in_revision": version.created_in_revision,
    }
