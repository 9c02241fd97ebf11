"""From what a caller asks to the next Revision's content: pure computation on one exact base (spec 1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memlens.core.errors import (
    DuplicateOfInactiveError,
    EvidenceError,
    ForeignEntryError,
    InactiveEntryError,
    InvalidInputError,
    StaleEntryError,
    UnknownEntryError,
)
from memlens.core.ids import new_entry_id, new_entry_version_id
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.core.secrets import refuse_secrets
from memlens.core.text import check_kind, normalise_reason, normalise_text
from memlens.memory.analyzer import index_terms
from memlens.memory.manifest import Manifest, ManifestEntry
from memlens.memory.models import (
    MemoryChange,
    MemoryContent,
    MemoryEntryInput,
    MemoryEntryVersion,
    entry_content,
    entry_content_hash,
)
from memlens.memory.ports import HeadProjection, Projections

MAX_QUOTED = 60
"""Characters of an entry's text that an error quotes to its author."""

Statement = tuple[str, str]
"""A kind and a text: what an entry says, whatever supports it."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """References without duplicates."""

    sources: frozenset[SourceRef] = frozenset()
    artifacts: frozenset[ArtifactRef] = frozenset()

    def __or__(self, other: Evidence) -> Evidence:
        return Evidence(self.sources | other.sources, self.artifacts | other.artifacts)

    def __le__(self, other: Evidence) -> bool:
        return self.sources <= other.sources and self.artifacts <= other.artifacts

    def as_refs(self) -> tuple[tuple[SourceRef, ...], tuple[ArtifactRef, ...]]:
        """Return the references in the order in which entries hold them (spec 1.7)."""
        return tuple(sorted(self.sources)), tuple(sorted(self.artifacts))

    @classmethod
    def of_version(cls, version: MemoryEntryVersion) -> Evidence:
        """Return the evidence of an entry version."""
        return cls(frozenset(version.sources), frozenset(version.artifacts))


@dataclass(frozen=True, slots=True)
class NormalInput:
    """A caller's input in normal form."""

    statement: Statement
    evidence: Evidence
    reason: str | None
    entry: MemoryEntryVersion | None

    @classmethod
    def of(cls, given: MemoryEntryInput) -> NormalInput:
        """Normalise ``given``. Raises InvalidTextError, InvalidKindError, SecretFoundError."""
        kind, text, reason = check_kind(given.kind), normalise_text(given.text), normalise_reason(given.reason)
        refuse_secrets(text, "memory text")
        refuse_secrets(reason or "", "reason")
        evidence = Evidence(frozenset(source.ref for source in given.sources), frozenset(given.artifacts))
        return cls((kind, text), evidence, reason, given.entry)


@dataclass(frozen=True, slots=True)
class Plan:
    """The next Revision, ready to commit: its content, the new bodies, and what it does to the projection."""

    content: MemoryContent
    versions: tuple[MemoryEntryVersion, ...]
    projections: Projections


@dataclass
class PlanBuilder:
    """Collects the changes of one Revision on one base."""

    artifact_id: str
    base: Manifest
    revision: int
    _changes: dict[str, MemoryChange] = field(default_factory=dict)
    _lines: list[ManifestEntry] = field(default_factory=list)
    _versions: list[MemoryEntryVersion] = field(default_factory=list)
    _written: list[HeadProjection] = field(default_factory=list)
    _removed: list[str] = field(default_factory=list)

    def add(self, given: NormalInput) -> None:
        """Add a new entry."""
        self._put(given.statement, given.evidence, given.reason, previous=None)

    def revise(self, current: MemoryEntryVersion, given: NormalInput) -> None:
        """Revise ``current``; its evidence is kept. Nothing happens when the content stays the same."""
        evidence = Evidence.of_version(current) | given.evidence
        if given.statement == (current.kind, current.text) and evidence == Evidence.of_version(current):
            return
        self._put(given.statement, evidence, given.reason, previous=current)

    def normalise_refs(self, current: MemoryEntryVersion, reason: str) -> None:
        """Revise ``current`` to the same statement with sorted, distinct references. Nothing happens if they are."""
        evidence = Evidence.of_version(current)
        if evidence.as_refs() != (current.sources, current.artifacts):
            self._put((current.kind, current.text), evidence, reason, previous=current)

    def deactivate(self, version: MemoryEntryVersion, reason: str | None) -> None:
        """Make an active entry inactive."""
        self._record(MemoryChange("deactivate", version.entry_id, version.entry_version_id, None, reason))
        self._lines.append(
            ManifestEntry(version.entry_id, version.entry_version_id, version.entry_content_hash, "inactive")
        )
        self._removed.append(version.entry_id)

    def reactivate(self, version: MemoryEntryVersion, reason: str | None) -> None:
        """Make an inactive entry active again, with the same version."""
        self._record(MemoryChange("reactivate", version.entry_id, None, version.entry_version_id, reason))
        self._activate(version)

    def changes(self, entry_id: str) -> bool:
        """Whether a change of this entry is planned."""
        return entry_id in self._changes

    def build(self) -> Plan | None:
        """Return the plan, or None when there is nothing to change."""
        if not self._changes:
            return None
        changes = tuple(self._changes[entry_id] for entry_id in sorted(self._changes))
        content = MemoryContent(self.base.with_entries(self._lines), changes)
        return Plan(content, tuple(self._versions), Projections(tuple(self._written), tuple(self._removed)))

    def _put(
        self,
        statement: Statement,
        evidence: Evidence,
        reason: str | None,
        previous: MemoryEntryVersion | None,
    ) -> None:
        kind, text = statement
        sources, artifacts = evidence.as_refs()
        version = MemoryEntryVersion(
            memory_artifact_id=self.artifact_id,
            entry_id=previous.entry_id if previous else new_entry_id(),
            entry_version_id=new_entry_version_id(),
            version=previous.version + 1 if previous else 1,
            previous_version_id=previous.entry_version_id if previous else None,
            kind=kind,
            text=text,
            sources=sources,
            artifacts=artifacts,
            entry_content_hash=entry_content_hash(entry_content(kind, text, sources, artifacts)),
            created_in_revision=self.revision,
        )
        self._record(
            MemoryChange(
                "revise" if previous else "add",
                version.entry_id,
                previous.entry_version_id if previous else None,
                version.entry_version_id,
                reason,
            )
        )
        self._versions.append(version)
        self._activate(version)

    def _activate(self, version: MemoryEntryVersion) -> None:
        self._lines.append(
            ManifestEntry(version.entry_id, version.entry_version_id, version.entry_content_hash, "active")
        )
        self._written.append(
            HeadProjection(
                version.entry_id,
                version.entry_version_id,
                version.entry_content_hash,
                index_terms(version.text),
            )
        )

    def _record(self, change: MemoryChange) -> None:
        if change.entry_id in self._changes:
            raise InvalidInputError(
                f"Entry {change.entry_id} is changed twice in one operation: make one change of it, or two operations."
            )
        self._changes[change.entry_id] = change


def check_current(version: MemoryEntryVersion, artifact_id: str, manifest: Manifest) -> ManifestEntry:
    """Return the manifest's line of ``version`` if that is the current version of an entry of this Memory.

    Raises ForeignEntryError, UnknownEntryError or StaleEntryError.
    """
    if version.memory_artifact_id != artifact_id:
        raise ForeignEntryError(f"Entry {version.entry_id} belongs to another Memory: use that Memory's own Revision.")
    line = manifest.get(version.entry_id)
    if line is None:
        raise UnknownEntryError(f"This Memory has no entry {version.entry_id}.")
    if (line.entry_version_id, line.entry_content_hash) != (
        version.entry_version_id,
        version.entry_content_hash,
    ):
        raise StaleEntryError(
            f"Entry {version.entry_id} has a newer version, {line.entry_version_id}: "
            "read it again, and decide on what it says now."
        )
    return line


def check_active(version: MemoryEntryVersion, artifact_id: str, manifest: Manifest) -> None:
    """Check that ``version`` is the current version of an active entry.

    Raises what :func:`check_current` raises, and InactiveEntryError.
    """
    if not check_current(version, artifact_id, manifest).is_active:
        raise InactiveEntryError(
            f"Entry {version.entry_id} is inactive: reactivate it first, then revise it on the new head."
        )


def check_evidence(inputs: Iterable[NormalInput], operation: Evidence) -> None:
    """Check that nothing outside "predecessor or operation" is cited (spec 1.4). Raises EvidenceError."""
    for given in inputs:
        allowed = operation | Evidence.of_version(given.entry) if given.entry else operation
        if not given.evidence <= allowed:
            raise EvidenceError(
                "An entry cites evidence that is not part of this operation: pass it in sources or artifacts too."
            )


def merge_additions(
    revisions: Sequence[NormalInput], additions: Sequence[NormalInput]
) -> tuple[list[NormalInput], list[NormalInput]]:
    """Return the revisions and additions of a batch, each statement that is added made by one of them only.

    The first keeps its place, revisions before additions, and takes the others' evidence, so that the result is
    what one operation after the other would leave.
    """
    merged = [*revisions]
    places = {given.statement: place for place, given in reversed(list(enumerate(revisions)))}
    for given in additions:
        place = places.setdefault(given.statement, len(merged))
        if place == len(merged):
            merged.append(given)
        else:
            merged[place] = replace(merged[place], evidence=merged[place].evidence | given.evidence)
    return merged[: len(revisions)], merged[len(revisions) :]


def plan_additions(
    builder: PlanBuilder,
    additions: Sequence[NormalInput],
    existing: Mapping[Statement, Sequence[MemoryEntryVersion]],
) -> None:
    """Plan the additions of a batch; ``existing`` are the entries that already say the same (spec 1.4 [D]).

    An entry that the same batch revises says something else by now.

    Raises DuplicateOfInactiveError when only an inactive entry says the same.
    """
    for given in additions:
        twins = [twin for twin in existing.get(given.statement, ()) if not builder.changes(twin.entry_id)]
        active = [twin for twin in twins if _is_active(builder.base, twin)]
        if active:
            builder.revise(active[0], given)
        elif twins:
            raise DuplicateOfInactiveError(
                f"Entry {twins[0].entry_id} says {_shortened(given.statement[1])!r} already and is inactive: "
                "reactivate it instead of adding a twin.",
                twins[0].entry_id,
            )
        else:
            builder.add(given)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def _is_active(manifest: Manifest, version: MemoryEntryVersion) -> bool:
    line = manifest.get(version.entry_id)
    return line is not None and line.is_active
