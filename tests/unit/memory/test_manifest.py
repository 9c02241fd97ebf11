"""The manifest: an immutable, ordered directory with canonical bytes (spec 1.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

import memlens.memory.manifest
from memlens.core.errors import IntegrityError
from memlens.memory.manifest import Manifest, ManifestEntry

ID = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=12)
LINES = st.lists(
    st.builds(ManifestEntry, ID, ID, ID, st.sampled_from(["active", "inactive"])),
    unique_by=lambda line: line.entry_id,
    max_size=12,
)


def by_hand(lines: list[ManifestEntry]) -> bytes:
    entries = [
        {
            "entry_id": line.entry_id,
            "entry_version_id": line.entry_version_id,
            "entry_content_hash": line.entry_content_hash,
            "state": line.state,
        }
        for line in sorted(lines, key=lambda line: line.entry_id.encode())
    ]
    return rfc8785.dumps({"format": "flat-v1", "entries": entries})


@pytest.fixture(autouse=True, scope="module", params=[1, 2, 256])
def lines_per_chunk(request: pytest.FixtureRequest) -> Iterator[None]:
    """Directories of a dozen lines in many chunks, and in one."""
    before = memlens.memory.manifest.LINES_PER_CHUNK
    memlens.memory.manifest.LINES_PER_CHUNK = request.param
    yield
    memlens.memory.manifest.LINES_PER_CHUNK = before


@given(LINES)
def test_the_canonical_bytes_are_those_of_the_object(lines: list[ManifestEntry]) -> None:
    assert Manifest(lines).canonical == by_hand(lines)


@given(LINES, LINES)
def test_replacing_lines_gives_the_directory_that_has_them_and_leaves_the_old_one(
    lines: list[ManifestEntry], changed: list[ManifestEntry]
) -> None:
    before = Manifest(lines)
    canonical = before.canonical
    after = before.with_entries(changed)
    expected = {line.entry_id: line for line in [*lines, *changed]}

    assert after.canonical == by_hand([*expected.values()])
    assert (before.canonical, len(before)) == (canonical, len(lines))
    assert {line.entry_id: line for line in after} == expected
    assert all(after[entry_id] == after.get(entry_id) == line for entry_id, line in expected.items())
    assert after.active_count == sum(line.is_active for line in expected.values())


@given(LINES)
def test_reading_the_canonical_bytes_gives_the_same_directory(lines: list[ManifestEntry]) -> None:
    manifest = Manifest(lines)
    read = Manifest.from_json(json.loads(manifest.canonical))
    assert read == manifest
    assert hash(read) == hash(manifest)
    assert [line.entry_id for line in read.active()] == sorted(line.entry_id for line in lines if line.is_active)


def test_an_entry_stands_once() -> None:
    line = ManifestEntry("a", "v", "h", "active")
    with pytest.raises(IntegrityError, match="twice"):
        Manifest([line, line])


def test_an_entry_that_is_not_there_is_none_or_a_key_error() -> None:
    for manifest in (Manifest(), Manifest([ManifestEntry("b", "v", "h", "active")])):
        assert [manifest.get(entry_id) for entry_id in ("a", "c")] == [None, None]
        with pytest.raises(KeyError):
            manifest["a"]


KEYS = ["entry_id", "entry_version_id", "entry_content_hash", "state"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"format": "flat-v2", "entries": []},
        {"format": "flat-v1"},
        {"format": "flat-v1", "entries": [1]},
        {"format": "flat-v1", "entries": [{"entry_id": "a"}]},
        {"format": "flat-v1", "entries": [dict.fromkeys(KEYS, 1)]},
    ],
    ids=repr,
)
def test_a_malformed_manifest_is_an_integrity_error(value: object) -> None:
    with pytest.raises(IntegrityError):
        Manifest.from_json(value)
