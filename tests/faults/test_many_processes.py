"""Several processes at once: every acknowledged entry is there, none twice (spec 1.5, 5.3; case D2)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import apsw
import pytest

from conformance.store import SQLiteStore
from faults.conftest import StartDriver
from memlens.core.errors import DatabaseBusyError
from memlens.core.ids import new_artifact_id
from memlens.storage.sqlite import connection, schema


def say(process: subprocess.Popen[str], line: object) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def append_at_once(start_driver: StartDriver, store: SQLiteStore, artifact_id: str, names: str, count: int) -> None:
    """Let one process a name append, all starting together; each acknowledges every entry."""
    processes = [start_driver("appending", store.path, artifact_id, name, count) for name in names]
    for process in processes:
        assert hear(process) == "ready"
    for process in processes:
        say(process, "go")
    for process in processes:
        out, _ = process.communicate(timeout=110)
        assert out.split() == [str(number) for number in range(count)]
        assert process.returncode == 0


async def all_are_there_once(store: SQLiteStore, artifact_id: str, names: str, count: int) -> None:
    memory = await store.service.head(artifact_id)
    assert memory is not None
    assert memory.ref.revision == len(names) * count
    assert await store.texts(memory) == sorted(f"{name} {number}" for name in names for number in range(count))
    authors = [each.actor for each in await store.service.changes(memory, since_revision=0)]
    for name in names:
        assert [a for a in authors if a.startswith(name)] == [f"{name} {number}" for number in range(count)]
    assert (await store.verify()).ok
    assert store.rows("SELECT DISTINCT artifact_id FROM artifact_revisions") == [(artifact_id,)]


async def test_three_processes_appending_twenty_entries_each_end_with_sixty(
    store: SQLiteStore, start_driver: StartDriver
) -> None:
    """Also when none of them found a Memory: they create it together, under the reserved identifier."""
    reserved = new_artifact_id()
    append_at_once(start_driver, store, reserved, "abc", 20)
    await all_are_there_once(store, reserved, "abc", 20)


@pytest.mark.slow
async def test_two_processes_with_five_hundred_commits_each_lose_none_and_double_none(
    store: SQLiteStore, start_driver: StartDriver
) -> None:
    reserved = new_artifact_id()
    append_at_once(start_driver, store, reserved, "ab", 500)
    await all_are_there_once(store, reserved, "ab", 500)


async def test_processes_that_create_the_schema_at_once_do_it_once(start_driver: StartDriver, tmp_path: Path) -> None:
    processes = [start_driver("creating") for _ in range(3)]
    assert [hear(process) for process in processes] == ["ready"] * 3
    for number in range(15):
        folder = tmp_path / str(number)
        folder.mkdir()
        for process in processes:
            say(process, folder)
        assert [hear(process) for process in processes] == ["ok"] * 3
        store = SQLiteStore(folder)
        assert store.rows("SELECT count(*) FROM schema_version") == [(len(schema.migrations()),)]
        assert store.rows("SELECT count(*) FROM deployment") == [(1,)]
        assert store.rows("SELECT count(*) FROM artifact_heads") == [(3,)]
        await store.close()
    for process in processes:
        process.communicate(timeout=30)


async def test_a_database_that_is_locked_for_too_long_is_a_typed_error_and_nothing_is_written(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_MS", 30)
    memory = await store.add(None, "walnut")
    other = apsw.Connection(str(store.path))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(DatabaseBusyError, match="try again"):
        await store.add(memory, "almond")
    assert await store.service.head(memory.ref.artifact_id) == memory, "reading goes on"

    other.execute("ROLLBACK")
    assert await store.texts(await store.add(memory, "almond")) == ["almond", "walnut"]
    other.close()


async def test_a_reader_that_began_before_a_commit_neither_blocks_nor_breaks_the_next_write(
    store: SQLiteStore,
) -> None:
    """Case D2: a deferred transaction that turned writer would fail at once."""
    memory = await store.add(None, "walnut")
    reader = apsw.Connection(str(store.path))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM artifact_revisions").get == 1

    memory = await store.add(await store.add(memory, "almond"), "pistachio")

    assert reader.execute("SELECT count(*) FROM artifact_revisions").get == 1, "one state, to the end"
    reader.close()
    assert memory.ref.revision == 3
