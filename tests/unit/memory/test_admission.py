"""Admission and fusion: which candidates are hits, and in what order (spec 1.6, docs/search.md)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.core.refs import ArtifactRef
from memlens.memory.admission import (
    MINIMUM_COVERAGE,
    MINIMUM_HITS,
    RRF_CONSTANT,
    SHORT_QUERY_TERMS,
    FtsQuery,
    candidate_window,
    fuse,
)
from memlens.memory.models import Channel, MemoryHit

TERMS = [f"t{number}" for number in range(12)]


def hit(name: str, memory: str = "m", version: str = "v") -> MemoryHit:
    return MemoryHit(ArtifactRef(memory, 1), name, version, "fact", name, 0.0, ())


def admits_by_the_rule(terms: list[str], counts: dict[str, int], documents: int, held: set[str]) -> bool:
    """The documented rule, written out."""
    known = [term for term in terms if counts.get(term, 0) > 0]
    if len(terms) <= SHORT_QUERY_TERMS:
        return bool(held & set(known))
    weight = {term: math.log(1 + documents / counts[term]) for term in known}
    covered = sum(weight[term] for term in held & set(known))
    floor = min(MINIMUM_COVERAGE * sum(weight.values()), max(weight.values(), default=0.0))
    return len(held & set(known)) >= MINIMUM_HITS and covered >= floor - 1e-9


queries = st.lists(st.sampled_from(TERMS), min_size=1, unique=True)
counts = st.dictionaries(st.sampled_from(TERMS), st.integers(0, 500))
bodies = st.sets(st.sampled_from([*TERMS, "other"]))


@pytest.mark.parametrize(("limit", "window"), [(1, 32), (8, 32), (9, 36), (100, 400)])
def test_each_channel_fetches_four_times_the_limit_and_at_least_32(limit: int, window: int) -> None:
    assert candidate_window(limit) == window


@settings(max_examples=300)
@given(queries, counts, bodies)
def test_admission_is_the_documented_rule(terms: list[str], known: dict[str, int], held: set[str]) -> None:
    assert FtsQuery.of(terms, known, 500).admits(held) == admits_by_the_rule(terms, known, 500, held)


@settings(max_examples=300)
@given(queries, counts, bodies)
def test_what_is_admitted_holds_an_essential_term_so_fetching_only_those_loses_nothing(
    terms: list[str], known: dict[str, int], held: set[str]
) -> None:
    query = FtsQuery.of(terms, known, 500)
    if query.admits(held):
        assert held & set(query.essential_terms())


@given(queries, counts)
def test_essential_terms_are_known_terms_rarest_first(terms: list[str], known: dict[str, int]) -> None:
    query = FtsQuery.of(terms, known, 500)
    essential = query.essential_terms()
    assert set(essential) <= {term for term in terms if known.get(term)}
    weights = [query.weights[term] for term in essential]
    assert weights == sorted(weights, reverse=True)
    assert bool(essential) == bool(query.weights)


@given(queries, counts, st.lists(st.from_regex(r"x[0-9]{1,3}", fullmatch=True), max_size=30, unique=True), bodies)
def test_words_that_occur_nowhere_cost_a_long_question_nothing(
    terms: list[str], known: dict[str, int], boilerplate: list[str], held: set[str]
) -> None:
    if len(terms) <= SHORT_QUERY_TERMS:
        return
    bare, wrapped = (FtsQuery.of(words, known, 500) for words in (terms, [*boilerplate, *terms]))
    assert bare.admits(held) == wrapped.admits(held)


def test_one_term_of_a_short_query_is_enough_and_none_is_not() -> None:
    query = FtsQuery.of(["rare", "common"], {"rare": 1, "common": 400}, 500)
    assert query.admits({"common", "else"})
    assert not query.admits({"else"})


def test_a_long_question_is_not_answered_by_its_commonest_word_alone() -> None:
    known = {"rare1": 1, "rare2": 2, "common": 450}
    query = FtsQuery.of(["rare1", "rare2", "common"], known, 500)
    assert not query.admits({"common"})
    assert query.admits({"rare2"})
    assert set(query.essential_terms()) == {"rare1", "rare2"}


def test_fusion_sums_one_over_sixty_plus_rank_over_the_channels_that_admitted_the_hit() -> None:
    fused = fuse({"fts": [hit("a"), hit("b")], "vector": [hit("b"), hit("c")]}, limit=10)

    assert [each.entry_id for each in fused] == ["b", "a", "c"]
    assert [each.score for each in fused] == [1 / 62 + 1 / 61, 1 / 61, 1 / 62]
    assert [each.matched_by for each in fused] == [("fts", "vector"), ("fts",), ("vector",)]
    assert RRF_CONSTANT == 60


def test_ties_are_broken_by_memory_entry_and_version_ascending() -> None:
    channels: dict[Channel, list[MemoryHit]] = {
        "fts": [hit("b", "m2"), hit("Z", "m1", "v2")],
        "vector": [hit("Z", "m1", "v2"), hit("b", "m2")],
    }
    assert [each.entry_id for each in fuse(channels, 10)] == ["Z", "b"]
    assert [each.entry_id for each in fuse({"fts": [hit("b")], "vector": [hit("B")]}, 10)] == ["B", "b"]


@given(
    st.lists(st.sampled_from("abcdef"), unique=True),
    st.lists(st.sampled_from("abcdef"), unique=True),
    st.integers(1, 6),
)
def test_fusion_depends_on_nothing_but_the_ranks(first: list[str], second: list[str], limit: int) -> None:
    channels: dict[Channel, list[MemoryHit]] = {"fts": [*map(hit, first)], "vector": [*map(hit, second)]}
    fused = fuse(channels, limit)

    def score(name: str) -> float:
        return sum(1 / (60 + ranked.index(name) + 1) for ranked in (first, second) if name in ranked)

    expected = sorted(set(first) | set(second), key=lambda name: (-score(name), name))[:limit]
    assert [each.entry_id for each in fused] == expected
    assert [each.score for each in fused] == pytest.approx([score(name) for name in expected])
