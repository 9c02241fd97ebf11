"""The Memory family's data model (spec 1.3). All values are immutable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from memlens.core.canonical import canonical_bytes, sha256_hex
from memlens.core.refs import ArtifactRef, EntryCitation, SourceRef
from memlens.core.sources import Source
from memlens.memory.manifest import Manifest

CONTENT_SCHEMA = "powercontext.memory.v1"
FAMILY = "memory"

ENTRY_CONTENT_DOMAIN = b"powercontext:entry-content:v1\0"
STATEMENT_DOMAIN = b"memlens:statement:v1\0"

KNOWN_KINDS = ("constraint", "decision", "preference", "fact", "working_note")
"""The kinds that MemLens itself knows, strongest first; others are kept and shown as ordinary entries."""

ChangeOp = Literal["add", "revise", "deactivate", "reactivate"]
Channel = Literal["fts", "vector"]
SearchMode = Literal["fts", "vector", "hybrid", "auto"]
RememberMode = Literal["auto", "append", "extract"]
OrganizeSteps = Literal["default", "dedupe", "normalize"]


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """What one Revision did to one entry. A summary for readers, never the authority on state (spec 1.3)."""

    op: ChangeOp
    entry_id: str
    from_entry_version_id: str | None
    to_entry_version_id: str | None
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the object that is hashed; docs/canonical-form.md publishes its keys."""
        return {
            "entry_id": self.entry_id,
            "from_entry_version_id": self.from_entry_version_id,
            "op": self.op,
            "reason": self.reason,
            "to_entry_version_id": self.to_entry_version_id,
        }


@dataclass(frozen=True)
class MemoryContent:
    """The content of one Memory Revision: the whole directory, and what changed against the Revision before.

    ``changes`` are sorted by the UTF-8 bytes of ``entry_id``, at most one an entry.
    """

    manifest: Manifest
    changes: tuple[MemoryChange, ...]

    @property
    def canonical(self) -> bytes:
        """The RFC 8785 bytes of the content."""
        return b"".join(self._parts())

    @cached_property
    def content_hash(self) -> str:
        """The Artifact's ``content_hash``: SHA-256 over the canonical bytes, which are never put together for it."""
        return sha256_hex(*self._parts())

    def _parts(self) -> Iterator[bytes]:
        yield b'{"changes":' + canonical_bytes([change.as_json() for change in self.changes]) + b',"manifest":'
        yield from self.manifest.canonical_parts
        yield b',"schema":"' + CONTENT_SCHEMA.encode() + b'"}'


@dataclass(frozen=True, slots=True)
class MemoryEntryVersion:
    """One immutable body of one entry.

    ``sources`` and ``artifacts`` are sorted and without duplicates. Version 1 has no predecessor.
    """

    memory_artifact_id: str
    entry_id: str
    entry_version_id: str
    version: int
    previous_version_id: str | None
    kind: str
    text: str
    sources: tuple[SourceRef, ...]
    artifacts: tuple[ArtifactRef, ...]
    entry_content_hash: str
    created_in_revision: int

    @property
    def canonical(self) -> bytes:
        """The bytes that ``entry_content_hash`` commits to."""
        return entry_content(self.kind, self.text, self.sources, self.artifacts)

    @property
    def is_intact(self) -> bool:
        """Whether the body still is what its hash commits to."""
        return entry_content_hash(self.canonical) == self.entry_content_hash


def entry_content(kind: str, text: str, sources: tuple[SourceRef, ...], artifacts: tuple[ArtifactRef, ...]) -> bytes:
    """Return the canonical bytes of an entry's content (spec 1.7)."""
    return canonical_bytes(
        {
            "kind": kind,
            "refs": {
                "artifacts": [ref.as_json() for ref in artifacts],
                "sources": [ref.as_json() for ref in sources],
            },
            "text": text,
        }
    )


def entry_content_hash(canonical: bytes) -> str:
    """Return the hash of an entry's canonical content (spec 1.7)."""
    return sha256_hex(ENTRY_CONTENT_DOMAIN, canonical)


def statement_hash(kind: str, text: str) -> str:
    """Return the key by which entries that say the same, on whatever evidence, are found: 32 hexadecimal digits.

    It finds candidates only; whoever uses it compares kind and text.
    """
    return sha256_hex(STATEMENT_DOMAIN, canonical_bytes({"kind": kind, "text": text}))[:32]


@dataclass(frozen=True, slots=True)
class Lineage:
    """The evidence of the operation that made a Revision (spec 1.4); entries carry their own."""

    sources: tuple[SourceRef, ...] = ()
    artifacts: tuple[ArtifactRef, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the object that the store keeps."""
        return {
            "artifacts": [ref.as_json() for ref in self.artifacts],
            "sources": [ref.as_json() for ref in self.sources],
        }


@dataclass(frozen=True)
class Memory:
    """One exact Revision of one Memory Artifact.

    ``created_at`` (UTC) and ``actor`` say when and who; they are outside the content and its hash (spec 1.10).
    """

    ref: ArtifactRef
    content: MemoryContent
    lineage: Lineage = field(default_factory=Lineage)
    created_at: str = ""
    actor: str = ""

    @property
    def manifest(self) -> Manifest:
        """The directory of this Revision."""
        return self.content.manifest


@dataclass(frozen=True, slots=True)
class MemoryEntryInput:
    """One entry to add (``entry`` is None) or to revise (``entry`` is the exact current active version)."""

    kind: str
    text: str
    entry: MemoryEntryVersion | None = None
    sources: tuple[Source, ...] = ()
    artifacts: tuple[ArtifactRef, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class EntryApplicability:
    """What an entry applies to, from one origin (spec 2.1): kept beside the content and outside its hash.

    ``targets`` is canonical JSON. It is committed with the version that it was made for, or not at all.
    """

    entry_id: str
    origin: str
    targets: str


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """One search result. ``score`` is auxiliary; the text is untrusted content (spec 1.6)."""

    memory_ref: ArtifactRef
    entry_id: str
    entry_version_id: str
    kind: str
    text: str
    score: float
    matched_by: tuple[Channel, ...]

    @property
    def citation(self) -> EntryCitation:
        """The citation of exactly this version."""
        return EntryCitation(self.memory_ref, self.entry_id, self.entry_version_id)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, with the mode that was really used and, when there are none, why."""

    mode: Literal["fts", "vector", "hybrid"]
    hits: tuple[MemoryHit, ...]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryRevisionChanges:
    """The changes of one Revision, with who made it and when."""

    memory_ref: ArtifactRef
    changes: tuple[MemoryChange, ...]
    created_at: str
    actor: str
