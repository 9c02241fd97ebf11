"""Entries as another implementation may have written them: intact, and not in our normal form."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.store import Store
from memlens.core.ids import new_entry_id, new_entry_version_id
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.memory.analyzer import index_terms
from memlens.memory.manifest import ManifestEntry
from memlens.memory.models import (
    Lineage,
    Memory,
    MemoryChange,
    MemoryContent,
    MemoryEntryVersion,
    entry_content,
    entry_content_hash,
)
from memlens.memory.ports import HeadProjection, NewRevision, Projections


async def add_as_it_is(
    store: Store,
    base: Memory,
    text: str,
    *,
    kind: str = "fact",
    sources: Sequence[SourceRef] = (),
    artifacts: Sequence[ArtifactRef] = (),
    entry_id: str | None = None,
    actor: str = "another implementation",
) -> Memory:
    """Commit one new entry whose references are kept exactly in the order and number given."""
    content_hash = entry_content_hash(entry_content(kind, text, tuple(sources), tuple(artifacts)))
    version = MemoryEntryVersion(
        base.ref.artifact_id, entry_id or new_entry_id(), new_entry_version_id(), 1, None, kind, text,
        tuple(sources), tuple(artifacts), content_hash, base.ref.revision + 1,
    )  # fmt: skip
    line = ManifestEntry(version.entry_id, version.entry_version_id, content_hash, "active")
    change = MemoryChange("add", version.entry_id, None, version.entry_version_id)
    content = MemoryContent(base.manifest.with_entries([line]), (change,))
    revision = NewRevision(ArtifactRef(base.ref.artifact_id, base.ref.revision + 1), Lineage(), actor)
    projection = HeadProjection(version.entry_id, version.entry_version_id, content_hash, index_terms(text))
    async with store.backend.begin() as unit:
        return await unit.commit(revision, base, content, [version], Projections((projection,)))
