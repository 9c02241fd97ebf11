"""From rows of SQLite to values of the domain, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import orjson

from memlens.core.errors import IntegrityError
from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryVersion, statement_hash
from memlens.storage.revisions import decode_artifact_refs, decode_source_refs, encode_refs


def version_values(version: MemoryEntryVersion) -> tuple[Any, ...]:
    """Return the columns of an entry version in their order, with its statement hash."""
    return (
        version.memory_artifact_id,
        version.entry_id,
        version.entry_version_id,
        version.version,
        version.previous_version_id,
        version.kind,
        version.text,
        encode_refs(version.sources),
        encode_refs(version.artifacts),
        version.entry_content_hash,
        version.created_in_revision,
        statement_hash(version.kind, version.text),
    )


def decodable(rows: Iterable[tuple[Any, ...]]) -> Iterator[MemoryEntryVersion]:
    """Yield the entry versions of rows, without those that cannot be decoded."""
    for row in rows:
        with suppress(IntegrityError):
            yield version_of(row)


def version_of(row: tuple[Any, ...]) -> MemoryEntryVersion:
    """Return the entry version of a row. Raises IntegrityError."""
    artifact_id, entry_id, version_id, number, previous, kind, text, sources, artifacts, content_hash, created = row
    try:
        return MemoryEntryVersion(
            memory_artifact_id=artifact_id,
            entry_id=entry_id,
            entry_version_id=version_id,
            version=number,
            previous_version_id=previous,
            kind=kind,
            text=text,
            sources=decode_source_refs(orjson.loads(sources)),
            artifacts=decode_artifact_refs(orjson.loads(artifacts)),
            entry_content_hash=content_hash,
            created_in_revision=created,
        )
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise IntegrityError(
            f"The references of entry version {version_id} are damaged: run `memlens verify`."
        ) from error


def source_of(row: tuple[Any, ...]) -> Source:
    """Return the Source of a row. Raises IntegrityError."""
    try:
        content = orjson.loads(row[3])
    except orjson.JSONDecodeError as error:
        raise IntegrityError(f"The content of Source {row[0]} is damaged: run `memlens verify`.") from error
    return Source(row[0], row[1], row[2], content, row[4], row[5])
