"""The canonical form: RFC 8785, and what it refuses (spec 1.7, docs/canonical-form.md)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from core.independent import COMPUTE
from memlens.core.canonical import canonical_bytes, is_sha256_hex, sha256_hex
from memlens.core.errors import InvalidInputError
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.core.sources import make_source
from memlens.core.text import normalise_reason, normalise_text
from memlens.memory.manifest import Manifest, ManifestEntry
from memlens.memory.models import MemoryChange, MemoryContent, entry_content, entry_content_hash
from memlens.memory.planning import Evidence
from memlens.memory.ports import EmbeddingProfile

DOCS = Path(__file__).parents[3] / "docs"
VECTORS: list[dict[str, Any]] = json.loads((DOCS / "canonical-form-vectors.json").read_text(encoding="utf-8"))[
    "vectors"
]

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)


def json_values(numbers: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | numbers | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner) | st.tuples(inner, inner),
        max_leaves=20,
    )


def as_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: as_lists(item) for key, item in value.items()}
    return [as_lists(item) for item in value] if isinstance(value, list | tuple) else value


@given(json_values(SAFE))
def test_without_floats_the_bytes_are_those_of_the_reference(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(as_lists(value))


@given(json_values(SAFE | st.floats(allow_nan=False, allow_infinity=False)))
def test_with_floats_the_bytes_are_those_of_the_reference(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(as_lists(value))


@given(json_values(SAFE))
def test_reading_canonical_bytes_and_writing_them_again_changes_nothing(value: Any) -> None:
    assert canonical_bytes(json.loads(canonical_bytes(value))) == canonical_bytes(value)


def test_every_control_character_is_escaped_as_the_reference_does() -> None:
    text = "".join(map(chr, range(0x100))) + "\u2028\u2029\ufeff\U0010ffff"
    assert canonical_bytes({text[:5]: text}) == rfc8785.dumps({text[:5]: text})


def test_keys_are_sorted_by_utf16_units_and_not_by_code_points() -> None:
    value = {"\U0001f600": 1, "\ufb33": 2, "é": 3, "a": 4}
    assert list(json.loads(canonical_bytes(value))) == ["a", "é", "\U0001f600", "\ufb33"]
    assert canonical_bytes(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value",
    [
        math.nan, math.inf, -math.inf, 2**53, -(2**53), 2**64, "\ud800", "a\udfff",
        b"bytes", bytearray(b"x"), ..., {1, 2}, {1: "key"}, {"\ud800": 1}, {b"k": 1}, 1j,
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"a": {"b": [0.5, v]}}], ids="vld")
def test_what_has_no_canonical_form_is_refused_wherever_it_stands(value: Any, wrap: Any) -> None:
    with pytest.raises(InvalidInputError):
        canonical_bytes(wrap(value))


def test_a_value_nested_too_deeply_is_refused() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InvalidInputError):
        canonical_bytes(value)


def test_the_largest_exact_integers_are_kept() -> None:
    assert canonical_bytes([2**53 - 1, -(2**53) + 1]) == b"[9007199254740991,-9007199254740991]"


def test_hashes_are_64_lower_case_hexadecimal_digits() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sha256_hex() == sha256_hex(b"", b"") == empty
    assert is_sha256_hex(empty)
    assert not any(map(is_sha256_hex, ["", empty.upper(), empty[1:], empty + "0", empty + "\n"]))


# The published vectors


def names(of: str) -> list[dict[str, Any]]:
    return [vector for vector in VECTORS if vector["of"] == of]


def by_name(vector: dict[str, Any]) -> str:
    return str(vector["name"])


@pytest.mark.parametrize("vector", VECTORS, ids=by_name)
def test_an_implementation_from_the_documentation_alone_reproduces_every_vector(vector: dict[str, Any]) -> None:
    assert COMPUTE[vector["of"]](vector["input"]) == vector["output"]


def test_the_vectors_cover_every_hashed_object_and_the_hard_texts() -> None:
    assert {vector["of"] for vector in VECTORS} == COMPUTE.keys()
    hashes = {vector["name"]: vector["output"]["entry_content_hash"] for vector in names("entry")}
    pair = [hashes["decomposed text gives the composed form"], hashes["composed text gives the same bytes"]]
    assert pair[0] == pair[1]
    assert len(set(hashes.values())) == len(hashes) - 1


@pytest.mark.parametrize("vector", names("source"), ids=by_name)
def test_our_sources_have_the_published_identifiers_and_hashes(vector: dict[str, Any]) -> None:
    given_, expected = vector["input"], vector["output"]
    made = make_source(given_["type"], given_["uri"], given_["content"], "2026-01-01T00:00:00.000000Z")
    assert (made.content_hash, made.source_id) == (expected["content_hash"], expected["source_id"])
    assert canonical_bytes(made.content).decode() == expected["content_canonical"]


@pytest.mark.parametrize("vector", names("entry"), ids=by_name)
def test_our_entries_have_the_published_bytes_and_hashes(vector: dict[str, Any]) -> None:
    given_, expected = vector["input"], vector["output"]
    evidence = Evidence(
        frozenset(SourceRef(ref["source_id"], ref["content_hash"]) for ref in given_["sources"]),
        frozenset(ArtifactRef(ref["artifact_id"], ref["revision"]) for ref in given_["artifacts"]),
    )
    canonical = entry_content(
        given_["kind"],
        normalise_text(given_["text"]),
        tuple(sorted(evidence.sources)),
        tuple(sorted(evidence.artifacts)),
    )
    assert canonical.decode() == expected["canonical"]
    assert entry_content_hash(canonical) == expected["entry_content_hash"]


@pytest.mark.parametrize("vector", names("manifest"), ids=by_name)
def test_our_manifests_have_the_published_bytes(vector: dict[str, Any]) -> None:
    manifest = Manifest(ManifestEntry(**line) for line in vector["input"]["entries"])
    assert manifest.canonical.decode() == vector["output"]["canonical"]


@pytest.mark.parametrize("vector", names("memory_content"), ids=by_name)
def test_our_memory_contents_have_the_published_bytes_and_hashes(vector: dict[str, Any]) -> None:
    changes = [
        MemoryChange(**{**change, "reason": normalise_reason(change["reason"])})
        for change in vector["input"]["changes"]
    ]
    content = MemoryContent(
        Manifest(ManifestEntry(**line) for line in vector["input"]["entries"]),
        tuple(sorted(changes, key=lambda change: change.entry_id)),
    )
    assert content.canonical.decode() == vector["output"]["canonical"]
    assert content.content_hash == vector["output"]["content_hash"]


@pytest.mark.parametrize("vector", names("embedding_profile"), ids=by_name)
def test_our_embedding_profiles_have_the_published_bytes(vector: dict[str, Any]) -> None:
    assert canonical_bytes(EmbeddingProfile(**vector["input"]).as_json()).decode() == vector["output"]["canonical"]
