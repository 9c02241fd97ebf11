"""What documents are made of. Memory text in them is untrusted, and escaped where it is written down."""

from __future__ import annotations

from dataclasses import dataclass

from memlens.core.refs import ArtifactRef
from memlens.queries.model import EntryCard


@dataclass(frozen=True, slots=True)
class OverviewEntry:
    """One active entry, where it applies, and what has become of what it names.

    ``applies`` are its targets as they are written; ``orphans`` those that match nothing in the repository now;
    ``changed_evidence`` names the files whose cited lines, or which themselves, are gone.
    """

    card: EntryCard
    applies: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    changed_evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overview:
    """All that is remembered of one repository, and of the person beside it.

    ``damaged`` names the active entries that are not shown because their stored bytes are not what their hashes say;
    ``note`` says why the repository's own memory is not there, when a person has to do something first.
    """

    repository: str
    heads: tuple[ArtifactRef, ...]
    entries: tuple[OverviewEntry, ...]
    inactive: int = 0
    damaged: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class VersionStep:
    """One step in the history of an entry."""

    revision: int
    op: str
    version: int
    kind: str
    text: str
    reason: str | None
    created_at: str
    actor: str


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One change of one entry, with the text it led to where that is known."""

    op: str
    entry_id: str
    reason: str | None
    kind: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class LoggedRevision:
    """One Revision with who made it, when, and what it changed."""

    ref: ArtifactRef
    created_at: str
    actor: str
    changes: tuple[LoggedChange, ...]
