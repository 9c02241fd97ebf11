"""Identifiers: at most 128 ASCII characters, globally unique (spec 1.7).

A new identifier is a prefix and a UUIDv7-like value in Crockford's base 32: 48 bits of time, so that rows written
together lie together in the database's indexes, and 80 random bits, on which uniqueness rests (clocks may jump).
"""

from __future__ import annotations

import re
import secrets
import time
from typing import NewType

from memlens.core.errors import InvalidInputError

ArtifactId = NewType("ArtifactId", str)
EntryId = NewType("EntryId", str)
EntryVersionId = NewType("EntryVersionId", str)
SourceId = NewType("SourceId", str)

MAX_ID_LENGTH = 128

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_WELL_FORMED = re.compile(r"[\x21-\x7e]{1,128}")


def new_artifact_id() -> ArtifactId:
    """Return a fresh identifier of a Memory Artifact."""
    return ArtifactId("mem_art_" + _unique())


def new_entry_id() -> EntryId:
    """Return a fresh identifier of a memory entry."""
    return EntryId("mem_ent_" + _unique())


def new_entry_version_id() -> EntryVersionId:
    """Return a fresh identifier of an entry version."""
    return EntryVersionId("mem_ver_" + _unique())


def check_id(value: str, what: str) -> str:
    """Return ``value`` if it is a well-formed identifier.

    Raises InvalidInputError, naming ``what`` the identifier is of.
    """
    if not isinstance(value, str) or _WELL_FORMED.fullmatch(value) is None:
        raise InvalidInputError(f"This is no identifier of {what}: 1 to {MAX_ID_LENGTH} visible ASCII characters are.")
    return value


def _unique() -> str:
    number = (time.time_ns() // 1_000_000 & (2**48 - 1)) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))
