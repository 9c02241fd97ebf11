"""References: the exact names by which evidence and Revisions are cited (spec 1.6, 1.7)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class ArtifactRef:
    """One exact Revision of one Artifact. Revisions count from 1."""

    artifact_id: str
    revision: int

    def as_json(self) -> dict[str, str | int]:
        """Return the object that is hashed and shown; docs/canonical-form.md publishes its keys."""
        return {"artifact_id": self.artifact_id, "revision": self.revision}


@dataclass(frozen=True, slots=True, order=True)
class SourceRef:
    """One exact Source: its identifier and the hash of its content."""

    source_id: str
    content_hash: str

    def as_json(self) -> dict[str, str]:
        """Return the object that is hashed; docs/canonical-form.md publishes its keys."""
        return {"content_hash": self.content_hash, "source_id": self.source_id}


@dataclass(frozen=True, slots=True, order=True)
class EntryCitation:
    """The exact, for ever verifiable name of one entry version (spec 1.6, Handoff citation)."""

    memory_ref: ArtifactRef
    entry_id: str
    entry_version_id: str

    def as_json(self) -> dict[str, object]:
        """Return the object that every JSON surface uses for a citation."""
        return {
            "memory_ref": self.memory_ref.as_json(),
            "entry_id": self.entry_id,
            "entry_version_id": self.entry_version_id,
        }
