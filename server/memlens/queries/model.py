"""The plain values that queries work on and return. No protocol types, no database (spec 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memlens.anchors.model import Anchor
from memlens.core.refs import ArtifactRef, EntryCitation


@dataclass(frozen=True, slots=True)
class EvidenceCard:
    """One Source of an entry, as it is shown.

    ``label`` is what a person reads (a path, a note's origin); ``path`` is relative to the repository root when
    the evidence is a file of it, with the 1-based line its excerpt had when it was taken.
    """

    source_id: str
    source_type: str
    label: str
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class EntryCard:
    """One active entry with what every surface shows of it."""

    memory_ref: ArtifactRef
    entry_id: str
    entry_version_id: str
    version: int
    kind: str
    text: str
    evidence: tuple[EvidenceCard, ...]
    created_at: str | None = None
    """When this version was written, UTC, ISO 8601."""
    actor: str | None = None
    personal: bool = False
    """Whether the entry is of the person's own memory rather than the repository's."""

    @property
    def citation(self) -> EntryCitation:
        """The citation of exactly this version."""
        return EntryCitation(self.memory_ref, self.entry_id, self.entry_version_id)


@dataclass(frozen=True, slots=True)
class FileView:
    """One version of one document with the anchors on it: the snapshot that surface queries read.

    ``path`` is relative to the repository root. ``cards`` holds at least every entry that ``anchors`` names.
    """

    path: str
    line_count: int
    anchors: tuple[Anchor, ...]
    cards: Mapping[str, EntryCard]
