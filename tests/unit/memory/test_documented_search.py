"""docs/search.md gives the constants, stop words and examples that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memlens.memory import admission
from memlens.memory.analyzer import STOP_WORDS, index_terms
from memlens.storage import searching

TEXT = (Path(__file__).parents[3] / "docs" / "search.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"`([^`]+)` → `([^`]+)`", TEXT)


@pytest.mark.parametrize("name", ["SHORT_QUERY_TERMS", "MINIMUM_HITS", "MINIMUM_COVERAGE"])
def test_the_documented_constants_are_the_codes(name: str) -> None:
    found = re.search(rf"^\| `{name}` \| ([0-9.]+) \|", TEXT, flags=re.MULTILINE)
    assert found is not None
    assert float(found[1]) == getattr(admission, name)


def test_the_documented_bounds_are_the_codes() -> None:
    assert f"{admission.MINIMUM_COVERAGE:.0%}".replace("%", " %") in TEXT
    assert f"first {searching.MAX_QUERY_TERMS} terms" in TEXT
    assert f"1 / ({admission.RRF_CONSTANT} + rank)" in TEXT
    assert admission.candidate_window(1) == 32
    assert admission.candidate_window(100) == 400


def test_the_documented_stop_words_are_the_codes() -> None:
    listed = re.search(r"are dropped: ([a-z\s]+)\.", TEXT)
    assert listed is not None
    assert listed[1].split() == sorted(STOP_WORDS)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize(("text", "terms"), EXAMPLES)
def test_the_documented_examples_are_true(text: str, terms: str) -> None:
    assert index_terms(text) == terms
