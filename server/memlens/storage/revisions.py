"""The stored form of a Memory Revision: a delta against the Revision before, now and then with a snapshot (spec 1.10).

The canonical content names every entry, so storing it whole at each commit would grow a database by the size of the
directory each time. Stored is what changed; ``content_hash`` commits to the whole canonical content, which decoding
must reproduce byte for byte. docs/storage-format.md describes the bytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from memlens.core.canonical import canonical_bytes
from memlens.core.errors import IntegrityError
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.memory.manifest import EntryState, Manifest, ManifestEntry, check_string
from memlens.memory.models import Lineage, MemoryChange, MemoryContent, MemoryEntryVersion

MAX_CHAIN_LENGTH = 1000
"""After this many deltas a snapshot is stored, so that decoding any Revision stays fast."""

_COMPRESS_ABOVE = 1024
_SNAPSHOT_BYTES_PER_ENTRY = 90
"""About what one entry takes in a compressed snapshot: two random identifiers and a hash."""


@dataclass(frozen=True, slots=True)
class Delta:
    """What one Revision changed, and the content hashes of the versions that it introduced, by entry."""

    changes: tuple[MemoryChange, ...]
    hashes: dict[str, str]

    @classmethod
    def of(cls, content: MemoryContent, versions: Sequence[MemoryEntryVersion]) -> Delta:
        """Return the delta of a Revision with these new versions."""
        return cls(content.changes, {version.entry_id: version.entry_content_hash for version in versions})

    def encode(self) -> bytes:
        """Return the stored bytes."""
        return _pack(canonical_bytes({"changes": [change.as_json() for change in self.changes], "hashes": self.hashes}))

    @classmethod
    def decode(cls, stored: bytes) -> Delta:
        """Return the delta of stored bytes. Raises IntegrityError when they are damaged."""
        value = _unpack_json(stored, "delta")
        try:
            hashes = {check_string(entry_id): check_string(hash_) for entry_id, hash_ in value["hashes"].items()}
            return cls(tuple(map(_change, value["changes"])), hashes)
        except (KeyError, TypeError, AttributeError) as error:
            raise IntegrityError("A stored delta is malformed.") from error

    def apply(self, base: Manifest) -> Manifest:
        """Return the manifest after this delta. Raises IntegrityError when it does not fit ``base``."""
        return base.with_entries([self._line(base, change) for change in self.changes])

    def _line(self, base: Manifest, change: MemoryChange) -> ManifestEntry:
        current = base.get(change.entry_id)
        if not _fits(change, current):
            raise IntegrityError(f"A delta's {change.op} of entry {change.entry_id} does not fit the Revision before.")
        if change.op in ("add", "revise"):
            content_hash = self.hashes.get(change.entry_id)
            if content_hash is None or change.to_entry_version_id is None:
                raise IntegrityError(f"A delta lacks the new version of entry {change.entry_id}.")
            return ManifestEntry(change.entry_id, change.to_entry_version_id, content_hash, "active")
        assert current is not None  # noqa: S101  _fits has checked it
        state: EntryState = "active" if change.op == "reactivate" else "inactive"
        return ManifestEntry(current.entry_id, current.entry_version_id, current.entry_content_hash, state)


def _change(item: Any) -> MemoryChange:
    versions = item["from_entry_version_id"], item["to_entry_version_id"]
    for optional in (*versions, item["reason"]):
        if optional is not None:
            check_string(optional)
    op: Any = check_string(item["op"])
    return MemoryChange(op, check_string(item["entry_id"]), *versions, item["reason"])


def _fits(change: MemoryChange, current: ManifestEntry | None) -> bool:
    """Whether a change may follow the line that the Revision before has for its entry (spec 1.3)."""
    version_ids = (change.from_entry_version_id, change.to_entry_version_id)
    if current is None:
        return change.op == "add" and version_ids[0] is None
    match change.op:
        case "revise":
            return current.is_active and version_ids[0] == current.entry_version_id
        case "deactivate":
            return current.is_active and version_ids == (current.entry_version_id, None)
        case "reactivate":
            return not current.is_active and version_ids == (None, current.entry_version_id)
        case _:
            return False


def encode_snapshot(manifest: Manifest) -> bytes:
    """Return the stored bytes of a whole manifest."""
    return _pack(manifest.canonical)


def decode_snapshot(stored: bytes) -> Manifest:
    """Return the manifest of stored bytes. Raises IntegrityError when they are damaged."""
    return Manifest.from_json(_unpack_json(stored, "snapshot"))


def needs_snapshot(chain_length: int, chain_bytes: int, entries: int) -> bool:
    """Whether a Revision should store its manifest whole.

    ``chain_length`` deltas of ``chain_bytes`` would lie between it and the snapshot before. It should once the
    deltas weigh as much as a snapshot (so snapshots at most double the space), or the chain reaches its bound.
    """
    return chain_length >= MAX_CHAIN_LENGTH or chain_bytes >= 4096 + entries * _SNAPSHOT_BYTES_PER_ENTRY


def replay(base: Manifest, deltas: Iterable[Delta]) -> Manifest:
    """Return ``base`` after all ``deltas`` in order."""
    for delta in deltas:
        base = delta.apply(base)
    return base


def encode_lineage(lineage: Lineage) -> str:
    """Return the stored form of a Revision's lineage."""
    return canonical_bytes(lineage.as_json()).decode()


def decode_lineage(stored: str) -> Lineage:
    """Return the lineage of its stored form. Raises IntegrityError when it is damaged."""
    try:
        value = orjson.loads(stored)
        return Lineage(decode_source_refs(value["sources"]), decode_artifact_refs(value["artifacts"]))
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise IntegrityError("A stored lineage is malformed.") from error


def encode_refs(refs: Sequence[SourceRef] | Sequence[ArtifactRef]) -> str:
    """Return the canonical JSON array of references."""
    return canonical_bytes([ref.as_json() for ref in refs]).decode()


def decode_source_refs(value: Any) -> tuple[SourceRef, ...]:
    """Return Source references of a decoded JSON array."""
    return tuple(
        SourceRef(check_string(item["source_id"]), check_string(item["content_hash"])) for item in _check_list(value)
    )


def decode_artifact_refs(value: Any) -> tuple[ArtifactRef, ...]:
    """Return Artifact references of a decoded JSON array."""
    return tuple(
        ArtifactRef(check_string(item["artifact_id"]), _check_number(item["revision"])) for item in _check_list(value)
    )


def _check_list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError(f"an array was expected, not {type(value).__name__}")
    return value


def _check_number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"a number was expected, not {type(value).__name__}")
    return value


def _pack(json_bytes: bytes) -> bytes:
    """Return JSON as it is stored: as it is, or deflated (zlib) where that pays. JSON starts with ``{``, zlib not."""
    return zlib.compress(json_bytes, 1) if len(json_bytes) > _COMPRESS_ABOVE else json_bytes


def _unpack_json(stored: bytes, what: str) -> Any:
    try:
        return orjson.loads(stored if stored.startswith(b"{") else zlib.decompress(stored))
    except (zlib.error, orjson.JSONDecodeError) as error:
        raise IntegrityError(f"A stored {what} is damaged.") from error
