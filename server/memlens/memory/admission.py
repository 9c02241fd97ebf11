"""Which candidates are relevant enough to be hits, and in what order (spec 1.6, docs/search.md).

The rules are the same for every backend: a backend fetches candidates and counts documents, and never decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memlens.core.refs import EntryCitation
from memlens.memory.models import Channel, MemoryHit

RRF_CONSTANT = 60
SHORT_QUERY_TERMS = 2
"""A query of at most this many distinct terms admits whatever holds one of them."""
MINIMUM_HITS = 1
"""How many distinct terms of a longer query a candidate must hold."""
MINIMUM_COVERAGE = 0.15
"""Which share of a longer query's weight a candidate must hold.

Only terms that occur in the chosen Memories weigh at all, by their rarity there, and to hold the rarest of them is
always enough: so the words around a question ("answer only from context ...") do not cost the recall that the bare
question has, even where the Memory uses them.
"""


def candidate_window(limit: int) -> int:
    """Return how many candidates each channel fetches for ``limit`` hits."""
    return max(limit * 4, 32)


@dataclass(frozen=True, slots=True)
class FtsQuery:
    """A query's distinct terms that occur in the chosen Memories, each with its weight there."""

    weights: Mapping[str, float]
    is_short: bool

    @classmethod
    def of(cls, terms: Sequence[str], document_counts: Mapping[str, int], documents: int) -> FtsQuery:
        """Weigh ``terms`` by their rarity among ``documents`` entries; terms that occur in none are left out."""
        known = {term: document_counts[term] for term in terms if document_counts.get(term)}
        weights = {term: math.log1p(documents / count) for term, count in known.items()}
        return cls(weights, len(terms) <= SHORT_QUERY_TERMS)

    @property
    def total(self) -> float:
        """The weight of all known terms together."""
        return math.fsum(self.weights.values())

    def essential_terms(self) -> tuple[str, ...]:
        """Return the terms of which every admissible candidate holds at least one, rarest first.

        The commonest terms that together weigh less than the coverage asked for cannot admit a candidate by
        themselves, so nothing is lost by not fetching candidates for them; for a long question that is most of
        the index.
        """
        by_weight = sorted(self.weights, key=lambda term: (self.weights[term], term))
        if self.is_short:
            return tuple(reversed(by_weight))
        floor, spared = self._floor(), 0.0
        for position, term in enumerate(by_weight):
            spared += self.weights[term]
            if spared >= floor:
                return tuple(reversed(by_weight[position:]))
        return tuple(reversed(by_weight))

    def admits(self, candidate_terms: Iterable[str]) -> bool:
        """Whether a candidate with these terms is relevant enough."""
        held = self.weights.keys() & set(candidate_terms)
        if self.is_short:
            return bool(held)
        if len(held) < MINIMUM_HITS:
            return False
        return math.fsum(self.weights[term] for term in held) >= self._floor()

    def _floor(self) -> float:
        # The tolerance keeps sums that differ in the last bit, in another order of terms, on one side.
        return min(MINIMUM_COVERAGE * self.total, max(self.weights.values(), default=0.0)) - 1e-9


def fuse(channels: Mapping[Channel, Sequence[MemoryHit]], limit: int) -> tuple[MemoryHit, ...]:
    """Fuse admitted candidates (hits without a score), each channel best first, by the sum of 1 / (60 + rank).

    Ties are broken by Memory, entry and version identifier, ascending.
    """
    scores: dict[EntryCitation, float] = {}
    matched: dict[EntryCitation, list[Channel]] = {}
    hits: dict[EntryCitation, MemoryHit] = {}
    for channel, ranked in channels.items():
        for rank, hit in enumerate(ranked, start=1):
            scores[hit.citation] = scores.get(hit.citation, 0.0) + 1 / (RRF_CONSTANT + rank)
            matched.setdefault(hit.citation, []).append(channel)
            hits[hit.citation] = hit
    best = sorted(scores, key=lambda citation: (-scores[citation], citation))[:limit]
    return tuple(replace(hits[key], score=scores[key], matched_by=tuple(matched[key])) for key in best)
