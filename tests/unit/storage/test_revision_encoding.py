"""Deltas and snapshots (docs/storage-format.md): what is stored decodes to what was meant, or not at all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.core.errors import IntegrityError
from memlens.memory.manifest import Manifest, ManifestEntry
from memlens.memory.models import MemoryChange
from memlens.storage.revisions import Delta, decode_snapshot, encode_snapshot, needs_snapshot, replay

IDS = [f"e{number}" for number in range(6)]
STEPS = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(["write", "toggle"])), min_size=1, max_size=40)


def history(steps: list[tuple[str, str]]) -> tuple[list[Delta], list[Manifest]]:
    """Return valid deltas, one a step, and the manifest after each."""
    manifest, deltas, manifests = Manifest(), [], []
    for number, (entry_id, action) in enumerate(steps):
        line, version = manifest.get(entry_id), f"v{number}"
        if line is None or (action == "write" and line.is_active):
            op = "revise" if line else "add"
            change = MemoryChange(op, entry_id, line.entry_version_id if line else None, version, None)
            delta = Delta((change,), {entry_id: f"h{number}"})
        elif line.is_active:
            delta = Delta((MemoryChange("deactivate", entry_id, line.entry_version_id, None, "x" * 600),), {})
        else:
            delta = Delta((MemoryChange("reactivate", entry_id, None, line.entry_version_id),), {})
        manifest = delta.apply(manifest)
        deltas.append(delta)
        manifests.append(manifest)
    return deltas, manifests


@given(STEPS)
def test_what_was_encoded_decodes_to_the_same(steps: list[tuple[str, str]]) -> None:
    deltas, manifests = history(steps)
    assert [Delta.decode(delta.encode()) for delta in deltas] == deltas
    assert [decode_snapshot(encode_snapshot(manifest)) for manifest in manifests] == manifests


@given(STEPS, st.integers(0, 40))
def test_replaying_many_deltas_is_applying_one_after_the_other(steps: list[tuple[str, str]], start: int) -> None:
    deltas, manifests = history(steps)
    start = min(start, len(steps) - 1)
    assert replay(manifests[start], deltas[start + 1 :]) == manifests[-1]
    assert replay(Manifest(), deltas).canonical == manifests[-1].canonical


@pytest.mark.parametrize(
    "change",
    [
        MemoryChange("add", "here", None, "v2"),
        MemoryChange("add", "new", "v1", "v2"),
        MemoryChange("revise", "new", "v1", "v2"),
        MemoryChange("revise", "here", "other", "v2"),
        MemoryChange("revise", "off", "v1", "v2"),
        MemoryChange("deactivate", "off", "v1", None),
        MemoryChange("deactivate", "here", "v1", "v1"),
        MemoryChange("deactivate", "here", "other", None),
        MemoryChange("reactivate", "here", None, "v1"),
        MemoryChange("reactivate", "off", None, "other"),
        MemoryChange("deactivate", "new", "v1", None),
        MemoryChange("merge", "here", "v1", "v2"),  # type: ignore[arg-type]
    ],
    ids=lambda change: f"{change.op} {change.entry_id}",
)
def test_a_change_that_does_not_fit_the_revision_before_is_an_integrity_error(change: MemoryChange) -> None:
    base = Manifest([ManifestEntry("here", "v1", "h1", "active"), ManifestEntry("off", "v1", "h1", "inactive")])
    with pytest.raises(IntegrityError):
        Delta((change,), {change.entry_id: "h2"}).apply(base)


def test_a_new_version_without_its_hash_is_an_integrity_error() -> None:
    with pytest.raises(IntegrityError, match="lacks"):
        Delta((MemoryChange("add", "new", None, "v1"),), {}).apply(Manifest())


@settings(max_examples=200)
@given(st.binary(max_size=60) | st.from_regex(r'\{"changes":.{0,40}\}', fullmatch=True).map(str.encode))
def test_whatever_bytes_are_stored_decoding_gives_a_typed_error_or_a_value(stored: bytes) -> None:
    for decode in (Delta.decode, decode_snapshot):
        try:
            decoded = decode(stored)
        except IntegrityError:
            continue
        assert isinstance(decoded, Delta | Manifest)


KEYS = st.sampled_from(["changes", "hashes", "entries", "format", "op", "entry_id", "reason"])
JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    max_leaves=12,
)


@given(JSON)
def test_json_of_another_shape_is_a_typed_error(value: object) -> None:
    stored = json.dumps(value).encode()
    for decode in (Delta.decode, decode_snapshot):
        try:
            assert isinstance(decode(stored), Delta | Manifest)
        except IntegrityError as error:
            assert "damaged" in str(error) or "malformed" in str(error) or "Unknown manifest format" in str(error)


def test_a_snapshot_is_due_when_the_chain_is_long_or_weighs_as_much() -> None:
    assert not needs_snapshot(999, 4095, 0)
    assert needs_snapshot(1000, 0, 10**6)
    assert needs_snapshot(1, 4096, 0)
    assert not needs_snapshot(1, 4096, 1)
    assert not needs_snapshot(500, 500_000, 10_000)
