"""Full, read-only, foreign and damaged files: a typed error that says what to do, and nothing changed on disk."""

from __future__ import annotations

import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from conformance.store import PROFILE, SQLiteStore
from memlens.core.errors import (
    CorruptDatabaseError,
    DiskFullError,
    ForeignDatabaseError,
    MemLensError,
    NewerSchemaError,
    ReadOnlyDatabaseError,
    StorageError,
)
from memlens.core.ids import new_artifact_id
from memlens.memory.models import Memory
from memlens.storage.sqlite import schema
from memlens.storage.sqlite.connection import open_connection

POSIX = pytest.mark.skipif(os.name == "nt", reason="POSIX permission bits")
BIG = "walnut " * 1100


async def closed_database(store: SQLiteStore) -> Memory:
    """Write a database, close it, and leave one file."""
    memory = await store.add(None, "walnut", "almond")
    memory = await store.add(memory, *(f"entry {number} {'x' * 200}" for number in range(100)))
    await store.close()
    store.open()
    return memory


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


async def failure(store: SQLiteStore, artifact_id: str = "mem_art_none") -> MemLensError:
    """Return the error that opening or reading the database raises; there must be one."""
    with pytest.raises(MemLensError) as caught:
        memory = await store.service.head(artifact_id)
        assert memory is not None
        await store.service.entries(memory)
        await store.hits("walnut entry", memory)
    return caught.value


# A full disk


@pytest.fixture
def few_pages() -> Iterator[Callable[[int], None]]:
    """Let databases that are opened from now on grow by no more than so many pages."""

    def limit(connection: apsw.Connection) -> None:
        pages = connection.pragma("page_count") + allowed[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    allowed = [0]
    apsw.connection_hooks.append(limit)
    yield lambda pages: allowed.__setitem__(0, pages)
    apsw.connection_hooks.remove(limit)


async def fill(store: SQLiteStore, memory: Memory, commits: int = 400) -> tuple[Memory, StorageError]:
    """Commit until the disk is full; return the last Revision that was acknowledged, and the error."""
    for number in range(commits):
        try:
            memory = await store.add(memory, f"{number} {BIG}")
        except StorageError as error:
            return memory, error
    pytest.fail("the disk never got full")


async def test_when_no_page_is_left_the_commit_fails_and_all_before_it_is_there(
    store: SQLiteStore, few_pages: Callable[[int], None]
) -> None:
    memory = await closed_database(store)
    few_pages(60)

    memory, error = await fill(store, memory)

    assert isinstance(error, DiskFullError)
    assert "free space" in str(error)
    few_pages(10_000)
    await store.reopen()
    assert await store.service.head(memory.ref.artifact_id) == memory
    assert (await store.verify()).ok
    assert (await store.add(memory, "room again")).ref.revision == memory.ref.revision + 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 2 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a small file system")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_on_a_full_file_system_no_committed_memory_is_lost(small_disk: Path) -> None:
    store = SQLiteStore(small_disk)
    memory = await store.add(None, "walnut")

    memory, error = await fill(store, memory)

    assert isinstance(error, DiskFullError), error
    assert await store.service.head(memory.ref.artifact_id) == memory, "reading goes on"
    await store.close()
    store.open()
    assert await store.service.head(memory.ref.artifact_id) == memory
    assert (await store.verify()).ok
    await store.close()


async def test_a_database_that_cannot_even_be_created_on_a_full_disk_is_a_typed_error(small_disk: Path) -> None:
    (small_disk / "ballast").write_bytes(b"x" * (2 * 1024 * 1024 - 8192))
    store = SQLiteStore(small_disk)

    assert isinstance(await failure(store), StorageError)
    (small_disk / "ballast").unlink()
    assert (await store.add(None, "walnut")).ref.revision == 1
    await store.close()


# Read-only


@POSIX
@pytest.mark.parametrize("what", ["file", "directory", "both"])
async def test_a_read_only_database_is_read_and_refuses_writes(tmp_path: Path, what: str) -> None:
    """Permission bits count for the superuser too, who could write regardless."""
    folder = tmp_path / "data"
    folder.mkdir()
    store = SQLiteStore(folder)
    memory = await closed_database(store)
    before = store.path.read_bytes()
    if what != "directory":
        store.path.chmod(0o444)
    if what != "file":
        folder.chmod(0o555)
    try:
        assert await store.service.head(memory.ref.artifact_id) == memory
        assert await store.hits("walnut", memory) == ["walnut"]
        assert (await store.verify()).ok
        with pytest.raises(ReadOnlyDatabaseError, match="write permission"):
            await store.add(memory, "more")
        await store.close()
        assert store.path.read_bytes() == before
    finally:
        folder.chmod(0o755)
        store.path.chmod(0o644)
    store.open()
    assert (await store.add(memory, "more")).ref.revision == memory.ref.revision + 1
    await store.close()


@POSIX
async def test_in_a_read_only_directory_no_database_is_created(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o555)
    store = SQLiteStore(folder)
    try:
        assert isinstance(await failure(store), StorageError)
        assert contents(folder) == {}
    finally:
        folder.chmod(0o755)


@POSIX
async def test_the_database_is_readable_by_its_owner_only(store: SQLiteStore, tmp_path: Path) -> None:
    await store.add(None, "walnut")
    assert modes(tmp_path) == dict.fromkeys(("memory.db", "memory.db-wal", "memory.db-shm"), 0o600)


# Not a database, not ours, or newer


async def test_random_bytes_are_no_database(store: SQLiteStore) -> None:
    noise = random.Random(1).randbytes(50_000)
    store.path.write_bytes(noise)

    error = await failure(store)

    assert isinstance(error, CorruptDatabaseError)
    assert "restore it from a backup" in str(error)
    assert contents(store.path.parent) == {"memory.db": noise}


async def test_somebody_elses_database_is_left_alone(store: SQLiteStore) -> None:
    other = apsw.Connection(str(store.path))
    other.execute("CREATE TABLE customers (name)")
    other.close()
    before = contents(store.path.parent)

    error = await failure(store)

    assert isinstance(error, ForeignDatabaseError)
    assert "left alone" in str(error)
    assert contents(store.path.parent) == before


async def test_a_database_of_a_newer_memlens_is_left_alone(store: SQLiteStore) -> None:
    memory = await closed_database(store)
    newer = apsw.Connection(str(store.path))
    newer.execute("PRAGMA journal_mode = DELETE")
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = contents(store.path.parent)

    error = await failure(store, memory.ref.artifact_id)

    assert isinstance(error, NewerSchemaError)
    assert "upgrade MemLens" in str(error)
    assert contents(store.path.parent) == before


async def test_an_empty_file_becomes_a_database(store: SQLiteStore) -> None:
    store.path.touch()
    assert (await store.add(None, "walnut")).ref.revision == 1


async def test_a_directory_in_the_place_of_the_file_is_a_typed_error(store: SQLiteStore) -> None:
    store.path.mkdir()
    error = await failure(store)
    assert isinstance(error, StorageError)
    assert "is a directory" in str(error)


async def test_a_file_in_the_place_of_the_directory_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("hello")
    store = SQLiteStore(tmp_path / "data")
    assert isinstance(await failure(store), StorageError)
    assert (tmp_path / "data").read_text() == "hello"


async def test_a_directory_that_does_not_exist_is_a_typed_error(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "nowhere")
    error = await failure(store)
    assert isinstance(error, StorageError)
    assert "cannot be created" in str(error)


# Damaged


async def test_a_truncated_file_is_damaged_and_stays_as_it_is(store: SQLiteStore) -> None:
    memory = await closed_database(store)
    whole = store.path.read_bytes()
    for part in (1, 100, 4096, len(whole) // 2, len(whole) - 4096):
        store.path.write_bytes(whole[:part])

        error = await failure(store, memory.ref.artifact_id)

        assert isinstance(error, CorruptDatabaseError), (part, error)
        await store.reopen()
        assert store.path.read_bytes() == whole[:part]


async def test_whichever_page_is_flipped_it_is_noticed_and_never_written_over(store: SQLiteStore) -> None:
    memory = await closed_database(store)
    whole = store.path.read_bytes()
    pages = len(whole) // 4096
    for page in range(0, pages, max(1, pages // 25)):
        damaged = bytearray(whole)
        for place in range(page * 4096, page * 4096 + 4096):
            damaged[place] ^= 0xFF
        store.path.write_bytes(damaged)
        await store.reopen()
        try:
            noticed = not (await store.verify()).ok
        except StorageError:
            noticed = True
        texts = await _readable_texts(store, memory)
        await store.close()
        assert noticed or texts == await _texts_of(memory), page
        assert store.path.read_bytes() == bytes(damaged)
        store.open()
    store.path.write_bytes(whole)
    assert (await store.verify()).ok


async def _readable_texts(store: SQLiteStore, memory: Memory) -> list[str] | None:
    try:
        return await store.texts(memory)
    except MemLensError:
        return None


async def _texts_of(memory: Memory) -> list[str]:
    return ["almond", *(sorted(f"entry {number} {'x' * 200}" for number in range(100))), "walnut"]


async def test_without_its_log_a_database_is_at_its_last_checkpoint_and_sound(store: SQLiteStore) -> None:
    """Case D1: somebody deletes -wal and -shm of a process that was killed."""
    memory = await closed_database(store)
    later = await store.add(memory, "only in the log")
    main = store.path.read_bytes()
    await store.close()
    for path in store.path.parent.iterdir():
        path.unlink()
    store.path.write_bytes(main)
    store.open()

    head = await store.service.head(memory.ref.artifact_id)

    assert head == memory != later
    assert (await store.verify()).ok


# Schema


def test_the_schema_is_checked_in_one_state_even_while_another_process_creates_it(tmp_path: Path) -> None:
    """Read in several steps, a database that is just being created would look like somebody else's."""
    path = tmp_path / "memory.db"
    late, early = open_connection(path), open_connection(path)

    def create_first(*_: object) -> bool:
        late.exec_trace = None
        schema.migrate(early, str(path), PROFILE)
        return True

    late.exec_trace = create_first
    schema.migrate(late, str(path), PROFILE)

    assert schema.schema_version(late, str(path)) == len(schema.migrations())
    assert late.execute("SELECT count(*) FROM schema_version").get == len(schema.migrations())


async def test_a_failing_migration_leaves_an_empty_database_that_a_later_start_creates(
    store: SQLiteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: ("CREATE TABLE one (x); CREATE TABLE two (", ""))
        assert isinstance(await failure(store), StorageError)
    assert store.rows("SELECT count(*) FROM sqlite_schema") == [(0,)]

    assert (await store.add(None, "walnut", artifact_id=new_artifact_id())).ref.revision == 1
