"""Sources: bounded, immutable pieces of evidence (spec 1.10, 2.3; their content: docs/sources.md).

A Source's identifier is derived from its type, URI and content hash, so that storing the same Source twice, from
two processes or in two databases, is storing it once, and a reference commits to what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memlens.core.canonical import canonical_bytes, sha256_hex
from memlens.core.errors import EvidenceError, InvalidInputError, SecretFoundError
from memlens.core.ids import SourceId
from memlens.core.refs import SourceRef
from memlens.core.secrets import refuse_secrets

MAX_CONTENT_BYTES = 64 * 1024
MAX_URI_LENGTH = 2048

SOURCE_TYPES = frozenset(
    {
        "DocumentSource",
        "UserNoteSource",
        "EditSessionSource",
        "GitChangeSource",
        "AgentTurnSource",
        "TaskOutcomeSource",
    }
)

_CONTENT_DOMAIN = b"memlens:source-content:v1\0"
_ID_DOMAIN = b"memlens:source-id:v1\0"
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Source:
    """One piece of evidence.

    ``content`` is a JSON object; ``content_hash`` is SHA-256 over a domain prefix and its canonical bytes;
    ``created_at`` is UTC, ISO 8601, and no part of the identity.
    """

    source_id: SourceId
    source_type: str
    uri: str
    content: Mapping[str, Any]
    content_hash: str
    created_at: str

    @property
    def ref(self) -> SourceRef:
        """The reference by which entries cite this Source."""
        return SourceRef(self.source_id, self.content_hash)


def make_source(source_type: str, uri: str, content: Mapping[str, Any], created_at: str) -> Source:
    """Return the Source of ``content``, with its identifier and hash computed.

    Raises EvidenceError for an unknown type, a malformed URI, content that is no JSON object or is over 64 KiB of
    canonical bytes; SecretFoundError for what must not be kept;
    InvalidInputError for content without a canonical form.
    """
    if source_type not in SOURCE_TYPES:
        raise EvidenceError(f"{source_type!r} is no Source type; known are {', '.join(sorted(SOURCE_TYPES))}.")
    if not 0 < len(uri) <= MAX_URI_LENGTH or not uri.isprintable():
        raise EvidenceError(f"A Source's URI has 1 to {MAX_URI_LENGTH} printable characters.")
    if not isinstance(content, Mapping):
        raise EvidenceError(f"A Source's content is a JSON object, not {type(content).__name__}.")
    body = canonical_bytes(content)
    if len(body) > MAX_CONTENT_BYTES:
        raise EvidenceError(
            f"This evidence is {len(body):,} bytes, and {MAX_CONTENT_BYTES:,} are kept: cite an excerpt of it."
        )
    refuse_secrets(body.decode(), "evidence")
    refuse_secrets(uri, "evidence's URI")
    content_hash = sha256_hex(_CONTENT_DOMAIN, body)
    return Source(source_id(source_type, uri, content_hash), source_type, uri, content, content_hash, created_at)


def source_id(source_type: str, uri: str, content_hash: str) -> SourceId:
    """Return the identifier that a Source of this type, URI and content hash has."""
    identity = canonical_bytes({"content_hash": content_hash, "type": source_type, "uri": uri})
    return SourceId("src_" + sha256_hex(_ID_DOMAIN, identity)[:40])


def source_as_json(source: Source) -> dict[str, Any]:
    """Return the Source as ``memlens export`` writes it and ``memlens import`` reads it."""
    return {
        "source_id": source.source_id,
        "type": source.source_type,
        "uri": source.uri,
        "content": dict(source.content),
        "content_hash": source.content_hash,
        "created_at": source.created_at,
    }


def source_from_json(value: Mapping[str, Any], now: str) -> Source:
    """Return the Source that ``value`` describes; identifier and hash are computed anew and must agree if given.

    Raises EvidenceError when the object is malformed or altered.
    """
    try:
        created_at = value.get("created_at") or now
        made = make_source(value["type"], value["uri"], value["content"], created_at)
    except (KeyError, TypeError, AttributeError) as error:
        raise EvidenceError("A Source object has the keys type, uri and content (an object).") from error
    except (EvidenceError, SecretFoundError):
        raise
    except InvalidInputError as error:
        raise EvidenceError(str(error)) from error
    if not isinstance(created_at, str) or _MOMENT.fullmatch(created_at) is None:
        raise EvidenceError("A Source's created_at is a moment in UTC as ISO 8601, in a string.")
    for key, actual in (("content_hash", made.content_hash), ("source_id", made.source_id)):
        if value.get(key) not in (None, actual):
            raise EvidenceError(f"This Source's {key} does not fit its content: it was altered after it was exported.")
    return made


def is_intact(source: Source) -> bool:
    """Whether the stored content still is what the hash and the identifier commit to."""
    content_hash = sha256_hex(_CONTENT_DOMAIN, canonical_bytes(source.content))
    identifier = source_id(source.source_type, source.uri, content_hash)
    return content_hash == source.content_hash and identifier == source.source_id
