"""The steps of organize(): exact duplicates, then the normal form of references. Nothing is merged by meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memlens.memory.manifest import Manifest
from memlens.memory.models import MemoryEntryVersion
from memlens.memory.planning import PlanBuilder

DEDUPE_REASON = "dedupe"
NORMALIZE_REASON = "normalize"


def repeated_entries(manifest: Manifest) -> list[str]:
    """Return the active entries whose content hash another active entry has too."""
    counts = Counter(line.entry_content_hash for line in manifest.active())
    return [line.entry_id for line in manifest.active() if counts[line.entry_content_hash] > 1]


def plan_dedupe(builder: PlanBuilder, versions: Iterable[MemoryEntryVersion]) -> None:
    """Deactivate all of ``versions`` but the first, by the UTF-8 bytes of entry_id, of each content.

    Equal hashes are not enough: the bytes are compared (spec 1.7).
    """
    kept: set[tuple[str, bytes]] = set()
    for version in sorted(versions, key=lambda each: each.entry_id.encode()):
        content = (version.entry_content_hash, version.canonical)
        if content in kept:
            builder.deactivate(version, DEDUPE_REASON)
        kept.add(content)


def plan_normalize(builder: PlanBuilder, versions: Iterable[MemoryEntryVersion]) -> None:
    """Revise those of ``versions`` that stay active and whose references are not in normal form."""
    for version in versions:
        if not builder.changes(version.entry_id):
            builder.normalise_refs(version, NORMALIZE_REASON)
