"""Canonical form: RFC 8785 JCS bytes and the hashes over them (spec 1.7, docs/canonical-form.md)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import orjson

from memlens.core.errors import InvalidInputError

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

_LARGEST_EXACT_INTEGER = 2**53 - 1
"""JCS numbers are IEEE 754 doubles: beyond this an integer would silently change."""

_SHA256_HEX = re.compile(r"[0-9a-f]{64}")


def canonical_bytes(value: JsonValue) -> bytes:
    """Return the RFC 8785 bytes of ``value``.

    orjson writes the same bytes ten times faster wherever object keys are ASCII and no number is a float; every
    other value goes to the reference implementation. ``tests/unit/core`` proves the two equal.

    Raises InvalidInputError for NaN, Infinity, integers beyond 2**53 - 1, lone surrogates, foreign types, and
    values nested too deeply to be walked.
    """
    try:
        if _is_plain(value):
            return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
        return _reference_bytes(value)
    except (TypeError, UnicodeEncodeError, RecursionError) as error:
        raise InvalidInputError(f"This value has no canonical form: {error}.") from error


def _is_plain(value: object) -> bool:
    """Whether orjson is known to write ``value`` as JCS demands."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_LARGEST_EXACT_INTEGER <= value <= _LARGEST_EXACT_INTEGER  # type: ignore[operator]
    if kind is dict:
        return all(type(key) is str and key.isascii() and _is_plain(item) for key, item in value.items())  # type: ignore[attr-defined]
    if kind is list or kind is tuple:
        return all(map(_is_plain, value))  # type: ignore[call-overload]
    return False


def _reference_bytes(value: JsonValue) -> bytes:
    import rfc8785

    try:
        return rfc8785.dumps(_plain_containers(value))
    except rfc8785.CanonicalizationError as error:
        raise InvalidInputError(f"This value has no canonical form: {error}.") from error


def _plain_containers(value: JsonValue) -> Any:
    """Return ``value`` with mappings as dicts and sequences as lists, which is all that rfc8785 accepts."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInputError("NaN and Infinity have no canonical form: leave the member out or use null.")
    if isinstance(value, Mapping):
        return {key: _plain_containers(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return [_plain_containers(item) for item in value]
    return value


def sha256_hex(*parts: bytes) -> str:
    """Return the SHA-256 of the joined ``parts`` as 64 lower-case hexadecimal digits."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def is_sha256_hex(value: str) -> bool:
    """Whether ``value`` is a SHA-256 in the one spelling that MemLens stores."""
    return _SHA256_HEX.fullmatch(value) is not None
