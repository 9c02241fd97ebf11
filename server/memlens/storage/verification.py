"""Offline verification: every Revision, body, Source and projection against what commits to it (spec 1.3, 1.9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from memlens.core.errors import IntegrityError, StorageError
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.core.sources import is_intact
from memlens.memory.analyzer import index_terms
from memlens.memory.manifest import Manifest
from memlens.memory.models import FAMILY, MemoryEntryVersion
from memlens.storage.reading import decode_content
from memlens.storage.revisions import Delta, decode_lineage, decode_snapshot
from memlens.storage.rows import HeadRow, RevisionRow
from memlens.storage.session import DatabaseSession

ProblemCode = Literal[
    "damaged_delta",
    "damaged_snapshot",
    "damaged_lineage",
    "manifest_hash_mismatch",
    "missing_revision",
    "missing_version",
    "altered_body",
    "broken_version_chain",
    "altered_source",
    "missing_source",
    "missing_artifact",
    "head_mismatch",
    "projection_mismatch",
    "index_mismatch",
    "database_damage",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is not what it should be. Projection problems never mean that memory was lost."""

    code: ProblemCode
    message: str
    artifact_id: str | None = None
    revision: int | None = None
    entry_id: str | None = None
    entry_version_id: str | None = None


@dataclass
class Report:
    """What was checked, and what was found."""

    revisions: int = 0
    entry_versions: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


Typed = Callable[[Callable[[], None]], None]
"""Runs work, raising a StorageError for any error of the database's driver."""


def verify_database(session: DatabaseSession, typed: Typed = lambda section: section()) -> Report:
    """Check the whole database inside one read transaction.

    With ``typed``, what the database refuses to read is a problem of its own, and the rest is checked all the same.
    """
    report = Report()

    def whole() -> None:
        report.problems.extend(Problem("database_damage", text) for text in session.database_problems())
        if stray := session.stray_index_rows():
            report.problems.append(
                Problem("database_damage", f"{stray} rows of the full-text index belong to no entry")
            )

    def memories() -> None:
        for artifact_id in session.artifact_ids(FAMILY):
            _checked(report, typed, MemoryVerifier(session, artifact_id, report).run)

    _checked(report, typed, whole)
    _checked(report, typed, memories)
    return report


def _checked(report: Report, typed: Typed, section: Callable[[], None]) -> None:
    try:
        typed(section)
    except StorageError as error:
        report.problems.append(Problem("database_damage", str(error)))


class MemoryVerifier:
    """Checks one Memory from its first Revision to its head, without trusting any cached state."""

    def __init__(self, session: DatabaseSession, artifact_id: str, report: Report) -> None:
        """Check ``artifact_id`` and add to ``report``."""
        self._session = session
        self._artifact_id = artifact_id
        self._report = report
        self._versions: dict[str, MemoryEntryVersion] = {}
        self._cited_sources: set[SourceRef] = set()
        self._cited_artifacts: set[ArtifactRef] = set()

    def run(self) -> None:
        """Check bodies first, then every Revision against them, then evidence, the head and its projections."""
        self._check_versions()
        manifest = self._check_revisions()
        self._check_evidence()
        if manifest is not None:
            self._check_projection(manifest)

    def _problem(self, code: ProblemCode, message: str, **where: str | int) -> None:
        self._report.problems.append(Problem(code, message, artifact_id=self._artifact_id, **where))  # type: ignore[arg-type]

    def _check_versions(self) -> None:
        previous: MemoryEntryVersion | None = None
        for version in self._all_versions():
            self._report.entry_versions += 1
            self._versions[version.entry_version_id] = version
            where = {"entry_id": version.entry_id, "entry_version_id": version.entry_version_id}
            if not version.is_intact:
                self._problem("altered_body", "The body is not what its hash commits to.", **where)
            if not _follows(version, previous):
                self._problem("broken_version_chain", "The version does not follow its predecessor.", **where)
            previous = version
            self._cited_sources.update(version.sources)
            self._cited_artifacts.update(version.artifacts)

    def _all_versions(self) -> Iterator[MemoryEntryVersion]:
        """Yield every version that can be decoded; report the others."""
        versions = self._session.all_entry_versions(self._artifact_id)
        while True:
            try:
                yield next(versions)
            except StopIteration:
                return
            except IntegrityError as error:
                self._problem("altered_body", str(error))

    def _check_evidence(self) -> None:
        for artifact in sorted(self._cited_artifacts):
            if self._session.revision(artifact.artifact_id, artifact.revision) is None:
                message = f"Revision {artifact.revision} of {artifact.artifact_id} is cited and not stored."
                self._problem("missing_artifact", message)
        for ref in sorted(self._cited_sources):
            try:
                source = self._session.sources([ref.source_id]).get(ref.source_id)
            except IntegrityError as error:
                self._problem("altered_source", str(error))
                continue
            if source is None:
                self._problem("missing_source", f"Source {ref.source_id} is cited and not stored.")
            elif source.ref != ref or not is_intact(source):
                self._problem("altered_source", f"Source {ref.source_id} is not what its hash commits to.")

    def _check_revisions(self) -> Manifest | None:
        """Walk all Revisions; return the head's manifest, or None when it cannot be known."""
        manifest: Manifest | None = Manifest()
        number = 0
        for row in self._rows():
            number += 1
            if row.revision != number:
                self._problem("missing_revision", f"Revision {number} is missing.", revision=number)
                number, manifest = row.revision, None
            manifest = self._check_revision(row, manifest)
            self._report.revisions += 1
        head = self._session.head_revision(self._artifact_id)
        if head != number:
            self._problem("head_mismatch", f"The head is at Revision {head}, the last one stored is {number}.")
        return manifest

    def _rows(self) -> Iterator[RevisionRow]:
        for row in self._session.revisions(self._artifact_id, 0, 2**62):
            full = self._session.revision(self._artifact_id, row.revision) if row.chain_length == 0 else row
            yield full or row

    def _check_revision(self, row: RevisionRow, before: Manifest | None) -> Manifest | None:
        """Check one Revision on the state before it; after damage, go on from the next snapshot."""
        where = {"revision": row.revision}
        snapshot = self._snapshot(row)
        try:
            manifest = Delta.decode(row.content).apply(before) if before is not None else snapshot
        except IntegrityError as error:
            self._problem("damaged_delta", str(error), **where)
            return snapshot
        if manifest is None:
            return None
        if snapshot is not None and snapshot != manifest:
            self._problem("damaged_snapshot", "The snapshot is not what the deltas lead to.", **where)
        self._check_lineage(row)
        try:
            decode_content(row, manifest)
        except IntegrityError:
            self._problem("manifest_hash_mismatch", "The content is not what its hash commits to.", **where)
            return snapshot
        self._check_introduced(row, manifest)
        return manifest

    def _check_lineage(self, row: RevisionRow) -> None:
        try:
            lineage = decode_lineage(row.lineage)
        except IntegrityError as error:
            self._problem("damaged_lineage", str(error), revision=row.revision)
            return
        self._cited_sources.update(lineage.sources)
        self._cited_artifacts.update(lineage.artifacts)

    def _snapshot(self, row: RevisionRow) -> Manifest | None:
        if row.chain_length:
            return None
        try:
            return decode_snapshot(row.snapshot or b"")
        except IntegrityError as error:
            self._problem("damaged_snapshot", str(error), revision=row.revision)
            return None

    def _check_introduced(self, row: RevisionRow, manifest: Manifest) -> None:
        """Check the lines that this Revision wrote; all others were checked where they were written."""
        for change in Delta.decode(row.content).changes:
            line = manifest.get(change.entry_id)
            version = self._versions.get(line.entry_version_id) if line else None
            where: dict[str, str | int] = {"revision": row.revision, "entry_id": change.entry_id}
            if line is None or version is None:
                self._problem("missing_version", "The manifest points at a version that is not stored.", **where)
            elif (version.entry_id, version.entry_content_hash) != (line.entry_id, line.entry_content_hash):
                self._problem("altered_body", "The stored version is not the one that the manifest names.", **where)

    def _check_projection(self, manifest: Manifest) -> None:
        rows = {row.entry_id: row for row in self._session.heads(self._artifact_id)}
        for line in manifest.active():
            if not self._is_projected(rows.pop(line.entry_id, None), line.entry_version_id, line.entry_content_hash):
                self._problem(
                    "projection_mismatch",
                    "The search projection of this entry is missing or stale.",
                    entry_id=line.entry_id,
                )
        for entry_id in sorted(rows):
            self._problem("projection_mismatch", "The search projection holds an inactive entry.", entry_id=entry_id)
        for entry_id in self._session.unindexed_heads(self._artifact_id):
            self._problem("index_mismatch", "The full-text index lacks this entry.", entry_id=entry_id)

    def _is_projected(self, row: HeadRow | None, version_id: str, content_hash: str) -> bool:
        version = self._versions.get(version_id)
        return (
            row is not None
            and version is not None
            and (row.entry_version_id, row.entry_content_hash) == (version_id, content_hash)
            and row.searchable_text == index_terms(version.text)
        )


def _follows(version: MemoryEntryVersion, previous: MemoryEntryVersion | None) -> bool:
    """Whether ``version`` may come right after ``previous`` in the order of entries and version numbers."""
    if version.version == 1:
        return version.previous_version_id is None
    return (
        previous is not None
        and previous.entry_id == version.entry_id
        and previous.version == version.version - 1
        and previous.entry_version_id == version.previous_version_id
    )
