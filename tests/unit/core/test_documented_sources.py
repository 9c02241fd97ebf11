"""docs/sources.md has every type of Source, with the members that the code writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memlens.core.sources import MAX_CONTENT_BYTES, SOURCE_TYPES, Source
from memlens.runtime.evidence import MAX_EXCERPT_BYTES, document_source, note_source
from memlens.sessions import working_note
from memlens.sessions.outcome import Outcome

TEXT = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+Source)\n(.*?)(?=^## )", TEXT, re.MULTILINE | re.DOTALL))


def members(source_type: str) -> set[str]:
    return set(re.findall(r"^\| `(\w+)` \|", SECTIONS[source_type], re.MULTILINE))


def test_every_type_is_documented_and_no_other() -> None:
    assert set(SECTIONS) == SOURCE_TYPES


@pytest.mark.parametrize(
    "source", [document_source("a", "b", 1, 1, "repo:x"), note_source("said")], ids=lambda source: source.source_type
)
def test_the_members_are_those_that_are_written(source: Source) -> None:
    assert members(source.source_type) == set(source.content)


@pytest.mark.parametrize("source_type", ["TaskOutcomeSource", "AgentTurnSource"])
def test_a_report_has_the_documented_members(source_type: str) -> None:
    assert members(source_type) == set(Outcome("done").as_content())


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (MAX_CONTENT_BYTES, MAX_EXCERPT_BYTES, working_note.MAX_REPORT_BYTES):
        assert f"{bound:,} bytes" in TEXT
    assert working_note.MINIMUM_TERMS == 4
    assert working_note.MAX_LISTED == 10
