"""What is measured of every subject, in the same order and on the same texts (docs/performance.md).

Standard library only: the peers' own interpreters run this. A driver makes a Subject and calls :func:`main`, which
prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import corpus

SEED_BATCH = 100
OPENS = 5
SEARCHES = 100
SEARCH_LIMIT = 10
LISTS = 5
APPENDS = 20
BATCHES = 3
FORGETS = 5


class Subject(Protocol):
    """One memory layer under test, on one database file."""

    async def open(self) -> None:
        """Open the database, ready to search and to write."""

    async def close(self) -> None:
        """Close it."""

    async def add(self, items: list[corpus.Item]) -> None:
        """Remember new entries in one commit."""

    async def search(self, query: str) -> int:
        """Search the text index; return the number of hits."""

    async def list_all(self) -> int:
        """Read every active entry; return their number."""

    async def forgettable(self, count: int) -> list[Any]:
        """Return entries, in whatever form :meth:`forget` takes them."""

    async def forget(self, entry: Any) -> None:
        """Forget one entry."""

    def checkpoint(self) -> None:
        """Move the write-ahead log into the database file."""


async def clocked(work: Awaitable[Any]) -> float:
    """Return the milliseconds that ``work`` takes."""
    start = time.perf_counter()
    await work
    return (time.perf_counter() - start) * 1000


def summary(milliseconds: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(milliseconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return {"median": round(statistics.median(ordered), 3), "p95": round(p95, 3)}


def resident_mb() -> float | None:
    """Return the resident memory of this process, None where the system does not say."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return round(int(kilobytes) / 1024, 1)


async def open_times(subject: Subject, count: int) -> dict[str, float]:
    """Return the times of opening the database ``count`` times."""
    times = []
    for _ in range(count):
        times.append(await clocked(subject.open()))
        await subject.close()
    return summary(times)


async def measure(subject: Subject, path: Path, size: int) -> dict[str, Any]:
    """Fill the database at ``path`` with ``size`` entries and return the figures of every line."""
    await _seed(subject, size)
    lines: dict[str, Any] = {"open an existing database": await open_times(subject, OPENS)}
    await subject.open()
    lines |= await _searches(subject)
    lines["list all entries"] = summary([await clocked(subject.list_all()) for _ in range(LISTS)])
    before = file_bytes(subject, path)
    one = [[item] for item in corpus.items(APPENDS, 2)]
    lines["remember one"] = summary([await clocked(subject.add(batch)) for batch in one])
    growth = (file_bytes(subject, path) - before) / APPENDS
    hundreds = [list(corpus.items(100, 10 + number)) for number in range(BATCHES)]
    lines["remember a batch of 100"] = summary([await clocked(subject.add(batch)) for batch in hundreds])
    forgotten = await subject.forgettable(FORGETS)
    lines["forget one"] = summary([await clocked(subject.forget(entry)) for entry in forgotten])
    lines["KB on disk per commit of one"] = {"median": round(growth / 1024, 1)}
    lines["resident MB"] = {"median": resident_mb()}
    await subject.close()
    return lines


def file_bytes(subject: Subject, path: Path) -> int:
    """Return the size of the database file with nothing left in its log."""
    subject.checkpoint()
    return path.stat().st_size


def main(make: Callable[[Path], Subject]) -> None:
    """Measure the subject that ``make`` returns for a database path, and print the figures as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=int, help="entries in the database")
    size = parser.parse_args().size
    with tempfile.TemporaryDirectory(prefix="memlens-bench-") as folder:
        path = Path(folder, "bench.db")
        print(json.dumps(asyncio.run(measure(make(path), path, size))))


async def _seed(subject: Subject, size: int) -> None:
    await subject.open()
    pending = list(corpus.items(size, 1))
    for start in range(0, size, SEED_BATCH):
        await subject.add(pending[start : start + SEED_BATCH])
    await subject.close()


async def _searches(subject: Subject) -> dict[str, Any]:
    english, chinese = corpus.queries(SEARCHES, 7)
    # A search without hits would be fast and worth nothing.
    assert await subject.search(english[0]) == await subject.search(chinese[0]) == SEARCH_LIMIT
    lines: dict[str, Any] = {}
    for name, queries in (("search English", english), ("search Chinese", chinese)):
        lines[name] = summary([await clocked(subject.search(query)) for query in queries])
    return lines
