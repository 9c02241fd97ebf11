"""Rows as they cross the SPI between the shared backend and a database adapter."""

from __future__ import annotations

from dataclasses import dataclass

from memlens.core.errors import IntegrityError, InvalidInputError
from memlens.core.ids import check_id


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One row of ``artifact_revisions``.

    ``content`` is the family's stored form; a Memory's is what the Revision changed (storage/revisions.py), and
    every so often ``snapshot`` holds its whole manifest too. ``chain_length`` Revisions and ``chain_bytes`` bytes
    lie between this Revision and the nearest earlier snapshot, this one included; both are 0 with a snapshot.
    """

    artifact_id: str
    revision: int
    family: str
    content: bytes
    content_hash: str
    lineage: str
    created_at: str
    actor: str
    snapshot: bytes | None
    chain_length: int
    chain_bytes: int


@dataclass(frozen=True, slots=True)
class HeadRow:
    """One row of ``memory_entry_heads``: the projection of one active entry.

    ``head_revision`` is the Revision whose commit last wrote the row: bookkeeping, never compared (spec 1.5).
    """

    memory_artifact_id: str
    head_revision: int
    entry_id: str
    entry_version_id: str
    entry_content_hash: str
    searchable_text: str


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the database says of itself. ``has_fts`` is whether its engine can search full text."""

    engine: str
    schema_version: int
    journal: str
    has_fts: bool


@dataclass(frozen=True, slots=True)
class BindingRow:
    """One row of ``bindings``. Without a Revision of the Artifact it is a reservation (spec 1.5)."""

    binding_key: str
    artifact_id: str
    created_at: str
    actor: str

    def __post_init__(self) -> None:
        """Raise IntegrityError for what leads to no Memory: it must never be taken for no binding at all."""
        try:
            check_id(self.artifact_id, "a Memory")
        except InvalidInputError as error:
            raise IntegrityError(
                f"The binding of {self.binding_key} is damaged: run `memlens verify`, "
                "and restore the database from a backup."
            ) from error


@dataclass(frozen=True, slots=True)
class CloneRow:
    """One row of ``known_clones``: a clone of one machine that has a Memory (spec 2.4).

    ``place`` is the path of its git directory or folder, ``machine`` the random name of the machine that it is on.
    """

    artifact_id: str
    machine: str
    place: str
    known_since: str
    actor: str


@dataclass(frozen=True, slots=True)
class ApplicabilityRow:
    """One row of ``entry_applicability``; ``targets`` is canonical JSON (spec 2.1)."""

    memory_artifact_id: str
    entry_id: str
    origin: str
    targets: str
    updated_at: str
    actor: str
