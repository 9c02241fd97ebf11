"""Measures how MemLens' costs grow with a Memory: ``memory_curve.py seed|measure PATH SIZE``.

Two steps, so that the process that measures memory is not the one that filled the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import corpus
import harness
from memory_bench import MemLens

SEED_BATCH = 1000
OPENS = 5
SEARCHES = 100
GROWTH_COMMITS = 1000
"""As many as the longest chain of deltas, so that growth includes its share of a snapshot."""


async def seed(subject: MemLens, size: int) -> None:
    """Fill the database with ``size`` entries."""
    await subject.open()
    pending = list(corpus.items(size, 1))
    for start in range(0, size, SEED_BATCH):
        await subject.add(pending[start : start + SEED_BATCH])
    await subject.close()


async def measure(subject: MemLens, size: int) -> dict[str, Any]:
    """Return the figures of every line of the curve."""
    lines: dict[str, Any] = {"open, ms": await harness.open_times(subject, OPENS)}
    await subject.open()
    rng = random.Random(3)
    # The corpus gives each entry one word of its own, and "id" stands in three of four.
    rare = [f"n1x{rng.randrange(size // 4) * 4}" for _ in range(SEARCHES)]
    english, _ = corpus.queries(SEARCHES, 7)
    lines["search a rare term, ms"] = await _search_times(subject, rare)
    lines["search three frequent terms, ms"] = await _search_times(subject, english)
    lines["search the commonest term, ms"] = await _search_times(subject, ["id"] * 20)
    before = harness.file_bytes(subject, subject.path)
    one = [[item] for item in corpus.items(GROWTH_COMMITS, 5)]
    lines["remember one, ms"] = harness.summary([await harness.clocked(subject.add(batch)) for batch in one])
    growth = harness.file_bytes(subject, subject.path) - before
    lines["growth per commit of one, KB"] = {"median": round(growth / GROWTH_COMMITS / 1024, 2)}
    lines["resident MB"] = {"median": harness.resident_mb()}
    await subject.close()
    return lines


async def _search_times(subject: MemLens, queries: Iterable[str]) -> dict[str, float]:
    return harness.summary([await harness.clocked(subject.search(query)) for query in queries])


def main() -> None:
    """Run one step."""
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=("seed", "measure"))
    parser.add_argument("path", type=Path)
    parser.add_argument("size", type=int)
    given = parser.parse_args()
    step = seed if given.step == "seed" else measure
    print(json.dumps(asyncio.run(step(MemLens(given.path), given.size))))


if __name__ == "__main__":
    main()
