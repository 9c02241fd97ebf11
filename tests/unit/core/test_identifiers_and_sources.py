"""Identifiers, Sources and moments (spec 1.7, 1.10)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from memlens.core.clock import utc_now
from memlens.core.errors import EvidenceError, InvalidInputError
from memlens.core.ids import check_id, new_artifact_id, new_entry_id, new_entry_version_id
from memlens.core.sources import is_intact, make_source, source_as_json, source_from_json

NOW = "2026-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("make", "prefix"),
    [(new_artifact_id, "mem_art_"), (new_entry_id, "mem_ent_"), (new_entry_version_id, "mem_ver_")],
)
def test_new_identifiers_are_unique_well_formed_and_grow_with_time(make: Any, prefix: str) -> None:
    made = [make() for _ in range(2000)]
    assert len(set(made)) == 2000
    assert all(re.fullmatch(prefix + "[0-9a-hjkmnp-tv-z]{26}", each) for each in made)
    assert made[0][: len(prefix) + 9] <= made[-1][: len(prefix) + 9]
    assert check_id(made[0], "anything") == made[0]


@pytest.mark.parametrize("value", ["", "a b", "é", "x" * 129, "a\n", "\x7f", None, 5])
def test_an_identifier_is_1_to_128_visible_ascii_characters(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="an entry"):
        check_id(value, "an entry")


def test_a_moment_is_utc_with_microseconds() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", utc_now())


@pytest.mark.parametrize(
    ("source_type", "uri", "content"),
    [
        ("Gossip", "a", {}),
        ("UserNoteSource", "", {}),
        ("UserNoteSource", "x" * 2049, {}),
        ("UserNoteSource", "a\nb", {}),
        ("UserNoteSource", "a", {"text": "x" * 65_536}),
        ("UserNoteSource", "a", ["no", "object"]),
        ("UserNoteSource", "a", "text"),
    ],
)
def test_a_malformed_source_is_an_evidence_error(source_type: str, uri: str, content: Any) -> None:
    with pytest.raises(EvidenceError):
        make_source(source_type, uri, content, NOW)


def test_content_without_a_canonical_form_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        make_source("UserNoteSource", "a", {"text": "\ud800"}, NOW)


def test_an_exported_source_is_imported_as_the_same_source() -> None:
    made = make_source("UserNoteSource", "note:1", {"text": "said", "n": 0.5}, NOW)
    assert source_from_json(source_as_json(made), utc_now()) == made
    assert is_intact(made)
    bare = {"type": "UserNoteSource", "uri": "note:1", "content": {"text": "said", "n": 0.5}}
    assert source_from_json(bare, NOW) == made


@pytest.mark.parametrize(
    "change",
    [
        {"content": {"text": "never said"}}, {"uri": "note:2"}, {"type": "DocumentSource"}, {"content_hash": "0" * 64},
        {"source_id": "src_0"}, {"content": None}, {"content": "x"}, {"uri": 5}, {"type": []}, {"created_at": 5},
    ],
    ids=repr,
)  # fmt: skip
def test_an_altered_or_malformed_source_object_is_an_evidence_error(change: dict[str, Any]) -> None:
    value = source_as_json(make_source("UserNoteSource", "note:1", {"text": "said"}, NOW))
    with pytest.raises(EvidenceError):
        source_from_json({**value, **change}, NOW)


@pytest.mark.parametrize("value", [[], "text", None, 5, {}])
def test_what_is_no_source_object_is_an_evidence_error(value: Any) -> None:
    with pytest.raises(EvidenceError):
        source_from_json(value, NOW)


@pytest.mark.parametrize(
    "change", [{"content": {"text": "x"}}, {"uri": "x"}, {"source_type": "DocumentSource"}, {"content_hash": "0" * 64}]
)
def test_a_source_that_was_changed_is_not_intact(change: dict[str, Any]) -> None:
    made = make_source("UserNoteSource", "note:1", {"text": "said"}, NOW)
    assert not is_intact(replace(made, **change))
    assert is_intact(replace(made, created_at="later"))
