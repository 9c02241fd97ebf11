"""The database grows with what is remembered, not with what is already there (spec 1.10, 5.2)."""

from __future__ import annotations

import apsw
import pytest

from conformance.store import SQLiteStore

KB = 1024


def size_after_checkpoint(store: SQLiteStore) -> int:
    connection = apsw.Connection(str(store.path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return store.path.stat().st_size


@pytest.mark.parametrize("entries", [10, 3000])
async def test_a_commit_of_one_entry_takes_at_most_eight_kilobytes_however_many_there_are(
    store: SQLiteStore, entries: int
) -> None:
    memory = await store.add(
        None, *(f"Rule {number}: module m{number} logs to file f{number}." for number in range(entries))
    )
    before = size_after_checkpoint(store)

    for number in range(200):
        memory = await store.add(memory, f"Later rule {number}: service s{number} retries {number} times.")

    assert (size_after_checkpoint(store) - before) / 200 <= 8 * KB
