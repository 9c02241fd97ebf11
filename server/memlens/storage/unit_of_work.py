"""The atomic boundary of one Revision: validate everything again inside the transaction, then write (spec 1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memlens.core.clock import utc_now
from memlens.core.errors import ArtifactNotFoundError, EvidenceError, IntegrityError, RevisionConflictError
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.core.sources import is_intact
from memlens.memory.manifest import Manifest
from memlens.memory.models import FAMILY, Lineage, Memory, MemoryContent, MemoryEntryVersion
from memlens.memory.ports import NewRevision, Projections
from memlens.storage.reading import RevisionReader
from memlens.storage.revisions import Delta, encode_lineage, encode_snapshot, needs_snapshot
from memlens.storage.rows import ApplicabilityRow, HeadRow, RevisionRow
from memlens.storage.session import DatabaseSession


def commit_revision(
    session: DatabaseSession,
    reader: RevisionReader,
    revision: NewRevision,
    base: Memory | None,
    content: MemoryContent,
    entry_versions: Sequence[MemoryEntryVersion],
    projections: Projections,
) -> Memory:
    """Write one Revision inside the session's open write transaction, and return it.

    The order is the seed's: Revision, head CAS, entry versions, projection, full text. Raises
    RevisionConflictError, EvidenceError, IntegrityError; the caller rolls back.
    """
    stored_base = _current_base(session, reader, revision.ref, base)
    _check_evidence(session, revision.lineage, entry_versions)
    delta = Delta.of(content, entry_versions)
    _check_content(session, revision.ref, stored_base, content, entry_versions, delta)
    row = _revision_row(session, revision, stored_base, content, delta)
    base_number = stored_base.ref.revision if stored_base else None
    if not session.insert_revision(row) or not session.advance_head(row.artifact_id, base_number, row.revision):
        raise _conflict(revision.ref)
    session.insert_entry_versions(entry_versions)
    _project(session, revision.ref, projections)
    session.put_applicability(
        [
            ApplicabilityRow(row.artifact_id, each.entry_id, each.origin, each.targets, row.created_at, row.actor)
            for each in revision.applicability
        ]
    )
    return Memory(revision.ref, content, revision.lineage, row.created_at, row.actor)


def _current_base(
    session: DatabaseSession, reader: RevisionReader, target: ArtifactRef, base: Memory | None
) -> Memory | None:
    head = session.head_revision(target.artifact_id)
    if head != (base.ref.revision if base else None):
        raise _conflict(target)
    if base is None:
        return None
    stored = reader.revision(session, base.ref)
    if stored.content.content_hash != base.content.content_hash:
        raise _conflict(target)
    return stored


def _conflict(target: ArtifactRef) -> RevisionConflictError:
    return RevisionConflictError(
        f"Another writer made Revision {target.revision} of {target.artifact_id}: read the head and redo this."
    )


def _check_evidence(session: DatabaseSession, lineage: Lineage, versions: Sequence[MemoryEntryVersion]) -> None:
    """Resolve every reference again: no identifier from a caller or a model is trusted."""
    cited = {ref for version in versions for ref in version.sources} | set(lineage.sources)
    stored = session.sources([ref.source_id for ref in sorted(cited)])
    for ref in cited:
        source = stored.get(ref.source_id)
        if source is None or SourceRef(source.source_id, source.content_hash) != ref or not is_intact(source):
            raise EvidenceError(f"Source {ref.source_id} is not stored as it is cited: store it first, then cite it.")
    for artifact in {ref for version in versions for ref in version.artifacts} | set(lineage.artifacts):
        if session.revision(artifact.artifact_id, artifact.revision) is None:
            raise EvidenceError(f"Artifact {artifact.artifact_id} has no Revision {artifact.revision} here to cite.")


def _check_content(
    session: DatabaseSession,
    target: ArtifactRef,
    base: Memory | None,
    content: MemoryContent,
    versions: Sequence[MemoryEntryVersion],
    delta: Delta,
) -> None:
    before = base.manifest if base else Manifest()
    if target.revision != (base.ref.revision + 1 if base else 1):
        raise _conflict(target)
    if not content.changes or [c.entry_id for c in content.changes] != sorted({c.entry_id for c in content.changes}):
        raise IntegrityError("A Revision has at least one change, sorted, at most one an entry.")
    if delta.apply(before) != content.manifest:
        raise IntegrityError("The manifest to commit is not the base's manifest with the changes applied.")
    introduced = {c.to_entry_version_id for c in content.changes if c.op in ("add", "revise")}
    if introduced != {version.entry_version_id for version in versions} or len(introduced) != len(versions):
        raise IntegrityError("The bodies to commit are not those that the changes introduce.")
    previous = session.entry_versions([v.previous_version_id for v in versions if v.previous_version_id])
    for version in versions:
        _check_version(target, before, version, previous)


def _check_version(
    target: ArtifactRef, before: Manifest, version: MemoryEntryVersion, previous: dict[str, MemoryEntryVersion]
) -> None:
    """Check identity, hash and predecessor: no skipping, no branching, no crossing of entries (spec 1.3)."""
    line = before.get(version.entry_id)
    predecessor = previous.get(version.previous_version_id) if version.previous_version_id else None
    expected = (
        line.entry_version_id if line else None,
        predecessor.version + 1 if predecessor else 1,
        target.artifact_id,
        target.revision,
    )
    actual = (
        version.previous_version_id,
        version.version,
        version.memory_artifact_id,
        version.created_in_revision,
    )
    if expected != actual or not version.is_intact:
        raise IntegrityError(f"Version {version.entry_version_id} does not follow what the base points at.")
    if predecessor and (predecessor.entry_id, predecessor.memory_artifact_id) != (version.entry_id, target.artifact_id):
        raise IntegrityError(f"Version {version.entry_version_id} follows a version of another entry.")


def _revision_row(
    session: DatabaseSession, revision: NewRevision, base: Memory | None, content: MemoryContent, delta: Delta
) -> RevisionRow:
    encoded = delta.encode()
    row = RevisionRow(
        artifact_id=revision.ref.artifact_id,
        revision=revision.ref.revision,
        family=FAMILY,
        content=encoded,
        content_hash=content.content_hash,
        lineage=encode_lineage(revision.lineage),
        created_at=utc_now(),
        actor=revision.actor,
        snapshot=None,
        chain_length=1,
        chain_bytes=len(encoded),
    )
    if base is not None:
        before = session.revision(base.ref.artifact_id, base.ref.revision)
        if before is None:
            raise ArtifactNotFoundError(f"Revision {base.ref.revision} of {base.ref.artifact_id} has gone.")
        row = replace(row, chain_length=before.chain_length + 1, chain_bytes=before.chain_bytes + len(encoded))
    if needs_snapshot(row.chain_length, row.chain_bytes, len(content.manifest)):
        row = replace(row, snapshot=encode_snapshot(content.manifest), chain_length=0, chain_bytes=0)
    return row


def _project(session: DatabaseSession, target: ArtifactRef, projections: Projections) -> None:
    session.delete_heads(target.artifact_id, projections.removed)
    session.put_heads(
        [
            HeadRow(
                target.artifact_id,
                target.revision,
                each.entry_id,
                each.entry_version_id,
                each.entry_content_hash,
                each.searchable_text,
            )
            for each in projections.written
        ]
    )
