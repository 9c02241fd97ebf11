"""Citations as JSON-ready values, as commands take and give them (spec 2.5)."""

from __future__ import annotations

from typing import Any

from memlens.core.refs import ArtifactRef, EntryCitation


def ref_json(ref: ArtifactRef) -> dict[str, Any]:
    """Return ``{"artifact_id", "revision"}``."""
    return {"artifact_id": ref.artifact_id, "revision": ref.revision}


def citation_json(citation: EntryCitation) -> dict[str, Any]:
    """Return ``{"memory_ref", "entry_id", "entry_version_id"}``."""
    return {
        "memory_ref": ref_json(citation.memory_ref),
        "entry_id": citation.entry_id,
        "entry_version_id": citation.entry_version_id,
    }
