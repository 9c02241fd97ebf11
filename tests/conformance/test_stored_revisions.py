"""Revisions as deltas and snapshots: whatever the stored form, reading gives the canonical bytes (spec 1.10)."""

from __future__ import annotations

import hashlib

import pytest
import rfc8785

from conformance.store import Store, elsewhere
from memlens.core.errors import IntegrityError
from memlens.memory.models import Memory
from memlens.storage import revisions


def canonical_by_hand(memory: Memory) -> bytes:
    """The canonical content, written by the reference implementation from plain values."""
    return rfc8785.dumps(
        {
            "schema": "powercontext.memory.v1",
            "manifest": {
                "format": "flat-v1",
                "entries": [
                    {
                        "entry_id": line.entry_id,
                        "entry_version_id": line.entry_version_id,
                        "entry_content_hash": line.entry_content_hash,
                        "state": line.state,
                    }
                    for line in sorted(memory.manifest, key=lambda line: line.entry_id.encode())
                ],
            },
            "changes": [
                {
                    "op": change.op,
                    "entry_id": change.entry_id,
                    "from_entry_version_id": change.from_entry_version_id,
                    "to_entry_version_id": change.to_entry_version_id,
                    "reason": change.reason,
                }
                for change in sorted(memory.content.changes, key=lambda change: change.entry_id.encode())
            ],
        }
    )


async def history(store: Store, commits: int) -> list[Memory]:
    """Make Revisions of every kind, and return them all as they were when they were committed."""
    made = [await store.add(None, "entry 0", "entry x", "entry y")]
    for number in range(1, commits):
        head = made[-1]
        entries = await store.service.entries(head, [line.entry_id for line in head.manifest][:3])
        match number % 4:
            case 0:
                made.append(await store.add(head, f"entry {number}"))
            case 1:
                made.append(await store.service.forget(head, [entries[0]], f"reason {number}"))
            case 2:
                made.append(await store.service.reactivate(head, [entries[0]]))
            case _:
                made.append(await store.revise(head, entries[1], f"entry {number} revised"))
    return made


@pytest.mark.parametrize("chain", [1, 2, 3, 7])
async def test_every_old_revision_has_the_same_bytes_before_and_after_reopening(
    store: Store, monkeypatch: pytest.MonkeyPatch, chain: int
) -> None:
    monkeypatch.setattr(revisions, "MAX_CHAIN_LENGTH", chain)
    made = await history(store, 24)
    await store.reopen()

    for memory in made:
        read = await store.backend.revision(memory.ref)
        assert read == memory
        assert read.content.canonical == canonical_by_hand(memory)
        assert read.content.content_hash == hashlib.sha256(read.content.canonical).hexdigest()
    lengths = [row[0] for row in store.rows("SELECT chain_length FROM artifact_revisions ORDER BY revision")]
    assert lengths == [(number + 1) % chain for number in range(24)]
    assert (await store.verify()).ok


async def test_reading_backwards_and_at_random_needs_nothing_that_was_read_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "MAX_CHAIN_LENGTH", 5)
    made = await history(store, 23)
    for memory in [*reversed(made), made[11], made[3], made[17]]:
        await store.reopen()
        assert await store.backend.revision(memory.ref) == memory


async def test_a_snapshot_is_stored_once_the_deltas_weigh_as_much(store: Store) -> None:
    memory = await store.add(None, "entry")
    long = "reason " * 70
    for number in range(30):
        memory = await store.revise(memory, await store.entry(memory, "entry"), f"entry {number}", reason=long)

    snapshots = store.rows("SELECT count(*) FROM artifact_revisions WHERE snapshot IS NOT NULL")[0][0]
    assert 1 <= snapshots <= 10
    await store.reopen()
    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_more_than_a_thousand_revisions_decode_and_verify(store: Store) -> None:
    memory = await store.add(None, "kept", *(f"entry {number}" for number in range(100)))
    entry, made = await store.entry(memory, "kept"), {1: memory}
    for _ in range(510):
        memory = await store.service.forget(memory, [entry])
        memory = await store.service.reactivate(memory, [entry])
        made[memory.ref.revision] = memory
    await store.reopen()

    for number in (1021, 1001, 999, 501, 3, 1):
        assert await store.backend.revision(elsewhere(memory.ref, number)) == made[number]
    report = await store.verify()
    assert (report.ok, report.revisions, report.entry_versions) == (True, 1021, 101)
    assert len(await store.service.changes(memory, since_revision=0)) == 1021


async def test_stored_rows_are_never_written_again(store: Store) -> None:
    memory = await store.add(None, "walnut", "almond")
    kept = {}
    for table in ("artifact_revisions", "memory_entry_versions", "sources"):
        kept[table] = store.rows(f"SELECT * FROM {table}")
    memory = await store.revise(memory, await store.entry(memory, "walnut"), "walnut tree")
    memory = await store.service.forget(memory, [await store.entry(memory, "almond")])
    await store.service.reactivate(memory, [await store.entry(memory, "almond")])

    for table, rows in kept.items():
        assert set(rows) <= set(store.rows(f"SELECT * FROM {table}"))


async def test_a_commit_writes_the_projection_rows_of_changed_entries_only(store: Store) -> None:
    memory = await store.add(None, *(f"entry {number}" for number in range(10)))
    before = {
        row[0]: row for row in store.rows("SELECT entry_id, entry_version_id, head_revision FROM memory_entry_heads")
    }
    changed = await store.entry(memory, "entry 4")
    await store.revise(memory, changed, "entry four")

    after = {
        row[0]: row for row in store.rows("SELECT entry_id, entry_version_id, head_revision FROM memory_entry_heads")
    }
    assert {entry_id for entry_id in after if after[entry_id] != before[entry_id]} == {changed.entry_id}
    assert after[changed.entry_id][2] == 2


@pytest.mark.parametrize("column", ["content", "content_hash"])
async def test_a_damaged_revision_is_an_integrity_error_and_never_another_manifest(store: Store, column: str) -> None:
    memory = await store.add(await store.add(None, "walnut"), "almond")
    damaged = b'{"changes":[],"hashes":{}}' if column == "content" else "0" * 64
    store.tamper(f"UPDATE artifact_revisions SET {column} = ? WHERE revision = 2", damaged)
    await store.reopen()

    with pytest.raises(IntegrityError, match="memlens verify"):
        await store.service.head(memory.ref.artifact_id)
    assert (await store.backend.revision(elsewhere(memory.ref, 1))).ref.revision == 1
