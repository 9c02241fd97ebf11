"""What the service asks of a backend (spec 1.2). No SQL, connection or ORM object crosses these ports."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.core.sources import Source
from memlens.memory.models import (
    EntryApplicability,
    Lineage,
    Memory,
    MemoryContent,
    MemoryEntryVersion,
    MemoryRevisionChanges,
    SearchMode,
    SearchResult,
)


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """The one embedding profile of a deployment, fixed when the database is created (spec 1.2, 1.9)."""

    profile_id: str
    model: str
    dimension: int
    distance: Literal["l2"]
    normalization: str

    def as_json(self) -> dict[str, str | int]:
        """Return the object that is hashed and stored; docs/canonical-form.md publishes its keys."""
        return {
            "dimension": self.dimension,
            "distance": self.distance,
            "model": self.model,
            "normalization": self.normalization,
            "profile_id": self.profile_id,
        }


@dataclass(frozen=True, slots=True)
class InferenceUsage:
    """What a model call cost."""

    texts: int = 0
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingResult:
    """One vector a text, in order, each of the profile's dimension."""

    vectors: tuple[tuple[float, ...], ...]
    usage: InferenceUsage = field(default_factory=InferenceUsage)


class EmbeddingModel(Protocol):
    """Turns texts into vectors, outside any transaction."""

    @property
    def profile(self) -> EmbeddingProfile:
        """The profile of the vectors it makes."""
        ...

    async def embed(self, texts: tuple[str, ...]) -> EmbeddingResult:
        """Return one vector a text."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryCapabilities:
    """What the database, its adapter and the model can do. Completeness of a Memory is judged at each search."""

    fts: bool
    vector: bool
    hybrid: bool
    embedding_profile: EmbeddingProfile | None


@dataclass(frozen=True, slots=True)
class HeadProjection:
    """The projection of one entry that is active after a commit: what full-text search sees of it."""

    entry_id: str
    entry_version_id: str
    entry_content_hash: str
    searchable_text: str


@dataclass(frozen=True, slots=True)
class Projections:
    """How a commit changes the projection of active heads: rows to write, and entries whose rows go."""

    written: tuple[HeadProjection, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewRevision:
    """Everything of a Revision to commit besides its content: identity, lineage, who made it, what it applies to."""

    ref: ArtifactRef
    lineage: Lineage
    actor: str
    applicability: tuple[EntryApplicability, ...] = ()


class MemoryUnitOfWork(Protocol):
    """The atomic boundary of one Revision: all of it is committed, or nothing is (spec 1.5)."""

    async def commit(
        self,
        revision: NewRevision,
        base: Memory | None,
        content: MemoryContent,
        entry_versions: Sequence[MemoryEntryVersion],
        projections: Projections,
    ) -> Memory:
        """Validate and write one Revision on top of ``base`` and return it.

        Raises RevisionConflictError when ``base`` is no longer the head (or, for None, when the Artifact exists),
        EvidenceError for evidence that is not stored as cited, IntegrityError for content that breaks an
        invariant, StorageError when the database fails. After any error nothing was written.
        """
        ...

    async def rollback(self) -> None:
        """Give the transaction up. Leaving the context without a commit does the same."""
        ...


@dataclass(frozen=True, slots=True)
class MemorySearchRequest:
    """A search over the current heads of the given Memories."""

    query: str
    memories: tuple[ArtifactRef, ...]
    limit: int
    mode: SearchMode


class MemoryBackend(Protocol):
    """Stores Memories and searches them."""

    async def capabilities(self) -> MemoryCapabilities:
        """Return what was found by probing when the backend was opened."""
        ...

    def begin(self) -> AbstractAsyncContextManager[MemoryUnitOfWork]:
        """Open a unit of work."""
        ...

    async def head(self, artifact_id: str) -> Memory | None:
        """Return the current Revision, or None when the Artifact has none yet."""
        ...

    async def revision(self, ref: ArtifactRef) -> Memory:
        """Return one exact Revision. Raises ArtifactNotFoundError, IntegrityError."""
        ...

    async def entries(self, memory: Memory, entry_ids: Sequence[str] | None = None) -> tuple[MemoryEntryVersion, ...]:
        """Return the versions that the Revision's manifest points at, bodies checked against their hashes.

        ``entry_ids`` None means every active entry; else these, active or not, in the order asked.
        Raises UnknownEntryError, IntegrityError.
        """
        ...

    async def version(self, memory: Memory, entry_id: str, version: int | str) -> MemoryEntryVersion:
        """Return one version of an entry, by number or identifier, that the Revision knows: current or earlier.

        It is checked against the Revision that introduced it. Raises UnknownEntryError, UnknownVersionError,
        IntegrityError.
        """
        ...

    async def entries_citing(
        self, memory: Memory, sources: Sequence[Source], artifacts: Sequence[ArtifactRef], limit: int
    ) -> tuple[str, ...]:
        """Return at most ``limit`` active entries whose evidence is related to the given.

        First those that cite one of these very Sources or Artifacts, then those that cite another Source at the same
        URI or another Revision of the same Artifact; each group in ascending order of entry_id.
        """
        ...

    async def find_statements(
        self, memory: Memory, statements: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], tuple[MemoryEntryVersion, ...]]:
        """Return the entries, active or not, whose current version says exactly one of the (kind, text) pairs.

        By pair, in ascending order of entry_id; a pair that no entry says is left out.
        """
        ...

    async def changes(self, memory: ArtifactRef, since_revision: int | None) -> tuple[MemoryRevisionChanges, ...]:
        """Return changes by Revision, reading no bodies (spec 1.6)."""
        ...

    async def search(self, request: MemorySearchRequest) -> SearchResult:
        """Return admitted hits, each checked against the head's manifest and hashes in one read transaction."""
        ...

    async def expand(self, citations: Sequence[EntryCitation]) -> tuple[MemoryEntryVersion, ...]:
        """Return exactly the cited versions. Raises InvalidCitationError."""
        ...

    async def store_sources(self, sources: Sequence[Source]) -> None:
        """Store Sources; storing one that is there is no change. Raises EvidenceError for an altered one."""
        ...
