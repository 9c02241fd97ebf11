"""kill -9 at every statement of a commit: all of it is there afterwards, or nothing (spec 5.3)."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from conformance.store import SQLiteStore
from faults.conftest import StartDriver
from faults.drivers.kill_at_statement import NEW_TEXT, OPERATIONS
from memlens.memory.models import Memory

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the driver forks, and is killed by SIGKILL")

BEFORE = ["almond", "walnut"]
AFTER = {
    "remember": ["almond", "walnut", NEW_TEXT],
    "revise": ["almond", NEW_TEXT],
    "forget": ["almond"],
    "reactivate": ["almond", "pistachio", "walnut"],
}


async def template(store: SQLiteStore) -> tuple[Path, Memory]:
    """Two active entries and an inactive one, in one file without a log beside it."""
    memory = await store.add(None, "walnut", "almond", "pistachio")
    memory = await store.service.forget(memory, [await store.entry(memory, "pistachio")])
    await store.close()
    path = store.path.rename(store.path.with_name("template.db"))
    assert not path.with_name("memory.db-wal").exists()
    store.open()
    return path, memory


def run_driver(start_driver: StartDriver, *arguments: object) -> Any:
    driver = start_driver("kill_at_statement", *arguments)
    out, _ = driver.communicate(timeout=120)
    assert driver.returncode == 0
    return json.loads(out)


async def state_after(database: str, before: Memory) -> tuple[int, list[str], list[str]]:
    """Return the head's number, the active texts, and the texts that a search finds; the database is verified."""
    store = SQLiteStore(Path(database).parent)
    report = await store.verify()
    assert report.ok, report.problems
    head = await store.service.head(before.ref.artifact_id)
    assert head is not None
    found = await store.hits("almond walnut pistachio written process", head, limit=50)
    state = head.ref.revision, await store.texts(head), sorted(found)
    assert await store.add(head, "life goes on") != head
    await store.close()
    return state


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_a_commit_killed_at_any_statement_is_wholly_there_or_wholly_absent(
    store: SQLiteStore, start_driver: StartDriver, tmp_path: Path, operation: str
) -> None:
    path, before = await template(store)

    report = run_driver(start_driver, path, tmp_path / "runs", before.ref.artifact_id, operation)

    statements = report["statements"]
    ours = [sql for sql, inside_fts5 in statements if not inside_fts5]
    assert (ours[0], ours[-1], ours.count("COMMIT")) == ("BEGIN IMMEDIATE", "COMMIT", 1)
    assert any("INSERT INTO artifact_revisions" in sql for sql in ours)
    assert statements[-1][1], "FTS5 writes while COMMIT runs, and the process is killed there too"
    assert len(report["runs"]) == len(statements) + 2
    for run in report["runs"]:
        assert run["signal"] == signal.SIGKILL
        assert run["acknowledged"] == (run["killed_at"] == "after the caller heard")
        revision, texts, found = await state_after(run["database"], before)
        committed = run["killed_at"].startswith("after")
        assert texts == (sorted(AFTER[operation]) if committed else BEFORE), run["killed_at"]
        assert (revision, found) == (before.ref.revision + committed, texts)


async def test_a_log_cut_short_loses_only_what_was_cut(store: SQLiteStore, tmp_path: Path) -> None:
    """Case D1: after a crash the write-ahead log ends anywhere."""
    revisions = [await store.add(None, "entry 0")]
    for number in range(1, 6):
        revisions.append(await store.add(revisions[-1], f"entry {number}"))
    log = store.path.with_name("memory.db-wal").read_bytes()

    for keep in range(0, len(log), len(log) // 12):
        folder = tmp_path / f"cut-at-{keep}"
        folder.mkdir()
        shutil.copyfile(store.path, folder / "memory.db")
        (folder / "memory.db-wal").write_bytes(log[:keep])
        cut = SQLiteStore(folder)
        head = await cut.service.head(revisions[0].ref.artifact_id)
        assert head is None or head in revisions
        assert (await cut.verify()).ok
        await cut.close()


async def test_without_its_shared_memory_file_a_database_is_whole(store: SQLiteStore, tmp_path: Path) -> None:
    """Case D1: -shm is only an index of the log, and made anew."""
    memory = await store.add(await store.add(None, "walnut"), "almond")
    folder = tmp_path / "copy"
    folder.mkdir()
    for name in ("memory.db", "memory.db-wal"):
        shutil.copyfile(tmp_path / name, folder / name)

    copy = SQLiteStore(folder)

    assert await copy.service.head(memory.ref.artifact_id) == memory
    assert (await copy.verify()).ok
    await copy.close()
