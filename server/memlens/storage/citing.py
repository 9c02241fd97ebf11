"""Which active entries rest on related evidence (spec 1.4: the window that a candidate pipeline sees)."""

from __future__ import annotations

from collections.abc import Sequence

from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.models import Memory, MemoryEntryVersion
from memlens.storage.session import DatabaseSession

_BODIES_AT_ONCE = 1000


def entries_citing(
    session: DatabaseSession, memory: Memory, sources: Sequence[Source], artifacts: Sequence[ArtifactRef]
) -> tuple[str, ...]:
    """Return the active entries with related evidence: the same first, then other states of the same thing.

    It reads all active bodies: references are part of them, and no projection repeats them.
    """
    same_sources = {source.source_id for source in sources}
    near_sources = set(session.source_ids_at(sorted({source.uri for source in sources})))
    same_artifacts, near_artifacts = set(artifacts), {artifact.artifact_id for artifact in artifacts}

    def is_same(version: MemoryEntryVersion) -> bool:
        cited = {ref.source_id for ref in version.sources}
        return not same_sources.isdisjoint(cited) or not same_artifacts.isdisjoint(version.artifacts)

    def is_near(version: MemoryEntryVersion) -> bool:
        cited = {ref.source_id for ref in version.sources}
        artifact_ids = {ref.artifact_id for ref in version.artifacts}
        return not near_sources.isdisjoint(cited) or not near_artifacts.isdisjoint(artifact_ids)

    same, near = [], []
    lines = list(memory.manifest.active())
    for start in range(0, len(lines), _BODIES_AT_ONCE):
        piece = lines[start : start + _BODIES_AT_ONCE]
        bodies = session.entry_versions([line.entry_version_id for line in piece])
        for version in filter(None, (bodies.get(line.entry_version_id) for line in piece)):
            if is_same(version):
                same.append(version.entry_id)
            elif is_near(version):
                near.append(version.entry_id)
    return (*same, *near)
