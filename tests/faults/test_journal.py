"""Where a write-ahead log cannot be, or was damaged (spec 2.6; case D1)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from conformance.store import SQLiteStore
from faults.conftest import StartDriver
from memlens.core.errors import ForeignDatabaseError
from memlens.core.ids import new_artifact_id
from memlens.memory.models import Memory
from memlens.storage.sqlite import filesystem

FRAME = 24 + 4096
HEADER = 32


@pytest.fixture
def no_shared_memory() -> Iterator[None]:
    """SQLite on a file system that cannot share memory, as a network share is."""
    before = apsw.vfs_names()[0]
    apsw.set_default_vfs("unix-dotfile")
    yield
    apsw.set_default_vfs(before)


def mounted(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``folder`` seem to be the mount of a file system of this kind."""
    table = folder.parent / "mounts"
    point = str(folder).replace(" ", "\\040")
    table.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/export {point} {kind} rw 0 0\n")
    monkeypatch.setattr(filesystem, "MOUNTS", table)


def folder_of(tmp_path: Path) -> Path:
    folder = tmp_path / "with space"
    folder.mkdir()
    return folder


async def test_where_the_log_is_refused_a_rollback_journal_serves(tmp_path: Path, no_shared_memory: None) -> None:
    store = SQLiteStore(folder_of(tmp_path))
    memory = await store.add(await store.add(None, "walnut"), "almond")
    assert await store.hits("walnut", memory) == ["walnut"]
    described = store.backend.describe()
    assert described["journal"] == "delete"
    assert "rollback journal" in str(described["note"])
    await store.reopen()
    assert await store.texts(memory) == ["almond", "walnut"]
    assert (await store.verify()).ok
    assert not store.path.with_name("memory.db-wal").exists()
    await store.close()


async def test_a_database_with_a_log_is_opened_where_the_log_is_refused_and_loses_nothing(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Somebody moved it to a network share, with commits that are in the log only."""
    origin = SQLiteStore(folder_of(tmp_path))
    memory = await origin.add(None, "walnut")
    share = tmp_path / "share"
    shutil.copytree(origin.path.parent, share)
    (share / "memory.db-shm").unlink()
    await origin.close()
    request.getfixturevalue("no_shared_memory")
    store = SQLiteStore(share)

    assert await store.texts(memory) == ["walnut"]
    memory = await store.add(memory, "almond")

    assert store.backend.describe()["journal"] == "delete"
    assert (await store.verify()).ok
    await store.close()


async def test_somebody_elses_database_with_a_log_is_left_alone_there_too(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = folder_of(tmp_path) / "memory.db"
    other = apsw.Connection(str(path))
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("CREATE TABLE customers (name)")
    other.close()
    before = path.read_bytes()
    request.getfixturevalue("no_shared_memory")
    with pytest.raises(ForeignDatabaseError):
        await SQLiteStore(path.parent).service.head("mem_art_none")
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "drvfs", "virtiofs"])
async def test_on_a_shared_file_system_no_log_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = folder_of(tmp_path)
    mounted(folder, kind, monkeypatch)
    store = SQLiteStore(folder)
    await store.add(None, "walnut")
    described = store.backend.describe()
    assert (described["journal"], described["file_system"]) == ("delete", kind)
    assert kind in str(described["note"])
    await store.close()


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "overlay", "tmpfs", "fuse.mergerfs"])
async def test_on_a_local_file_system_there_is_a_log_and_no_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    folder = folder_of(tmp_path)
    mounted(folder, kind, monkeypatch)
    store = SQLiteStore(folder)
    await store.add(None, "walnut")
    described = store.backend.describe()
    assert (described["journal"], described["note"]) == ("wal", None)
    await store.close()


async def test_a_database_in_use_on_a_share_is_switched_by_the_next_one_who_is_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlens.storage.sqlite.connection.BUSY_TIMEOUT_MS", 30)
    folder = folder_of(tmp_path)
    early = SQLiteStore(folder)
    memory = await early.add(None, "walnut")
    mounted(folder, "nfs4", monkeypatch)
    late = SQLiteStore(folder)
    assert await late.texts(memory) == ["walnut"]
    assert late.backend.describe()["journal"] == "wal"
    assert "close every program" in str(late.backend.describe()["note"])
    await early.close()
    await late.reopen()
    assert await late.texts(memory) == ["walnut"]
    assert late.backend.describe()["journal"] == "delete"
    await late.close()


def test_the_innermost_mount_counts_and_of_several_on_one_directory_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mounts"
    monkeypatch.setattr(filesystem, "MOUNTS", table)
    table.write_text("a / ext4 rw 0 0\nb /net nfs4 rw 0 0\nc /net/local xfs rw 0 0\nd /over nfs rw\ne /over ext4 rw\n")
    kinds = {path: filesystem.file_system_of(Path(path)) for path in ("/x", "/net/y", "/net/local/z", "/netz", "/over")}
    assert {path: found.kind for path, found in kinds.items() if found} == {
        "/x": "ext4",
        "/net/y": "nfs4",
        "/net/local/z": "xfs",
        "/netz": "ext4",
        "/over": "ext4",
    }
    table.unlink()
    assert filesystem.file_system_of(Path("/x")) is None


async def test_processes_share_a_database_without_a_log(tmp_path: Path, start_driver: StartDriver) -> None:
    """Every reader waits for a writer here, and the other way round: nobody may give up, and nothing be lost."""
    store = SQLiteStore(tmp_path)
    reserved = new_artifact_id()
    processes = [start_driver("appending", store.path, reserved, name, 10, "unix-dotfile") for name in "abc"]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
    for process in processes:
        out, _ = process.communicate("go\n", timeout=110)
        assert (process.returncode, out.split()) == (0, [str(number) for number in range(10)])
    memory = await store.service.head(reserved)
    assert memory is not None
    assert len(await store.texts(memory)) == 30
    assert (await store.verify()).ok
    await store.close()


# A damaged log. SQLite's own checksums decide how much of it holds: a prefix of the commits, never half of one.


async def killed(store: SQLiteStore, folder: Path, commits: int = 6) -> list[Memory]:
    """Leave in ``folder`` what a process leaves that is killed after so many commits, none of them checkpointed."""
    memories = [await store.add(None, "0")]
    connection = apsw.Connection(str(store.path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    for number in range(1, commits):
        memories.append(await store.add(memories[-1], str(number)))
    shutil.copytree(store.path.parent, folder)
    await store.close()
    return memories


async def survives(folder: Path, memories: list[Memory]) -> int:
    """Open what is left, check that it is sound and one of the states that were committed; return how many held."""
    store = SQLiteStore(folder)
    head = await store.service.head(memories[0].ref.artifact_id)
    assert head in memories
    assert (await store.verify()).ok
    count = memories.index(head) + 1
    assert await store.texts(head) == [str(number) for number in range(count)]
    await store.add(head, "goes on")
    assert (await store.verify()).ok
    await store.close()
    return count


async def test_without_shared_memory_file_nothing_is_lost(tmp_path: Path) -> None:
    folder = tmp_path / "left"
    memories = await killed(SQLiteStore(folder_of(tmp_path)), folder)
    (folder / "memory.db-shm").unlink()
    assert await survives(folder, memories) == len(memories)


@pytest.mark.parametrize("noise", [b"", b"\xff" * 32768, b"\x00" * 100], ids=["empty", "noise", "short"])
async def test_a_damaged_shared_memory_file_is_made_anew(tmp_path: Path, noise: bytes) -> None:
    folder = tmp_path / "left"
    memories = await killed(SQLiteStore(folder_of(tmp_path)), folder)
    (folder / "memory.db-shm").write_bytes(noise)
    assert await survives(folder, memories) == len(memories)


async def test_of_a_truncated_log_the_commits_before_the_cut_hold(tmp_path: Path) -> None:
    memories = await killed(SQLiteStore(folder_of(tmp_path)), tmp_path / "left")
    whole = (tmp_path / "left" / "memory.db-wal").read_bytes()
    held = []
    for step, size in enumerate([0, 10, HEADER, HEADER + FRAME, len(whole) // 2, len(whole) - 1, len(whole)]):
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "left", folder)
        (folder / "memory.db-wal").write_bytes(whole[:size])
        held.append(await survives(folder, memories))
    assert held == sorted(held)
    assert (held[0], held[-1]) == (1, len(memories))


async def test_of_a_log_with_a_flipped_page_the_commits_before_it_hold(tmp_path: Path) -> None:
    memories = await killed(SQLiteStore(folder_of(tmp_path)), tmp_path / "left")
    whole = (tmp_path / "left" / "memory.db-wal").read_bytes()
    frames = (len(whole) - HEADER) // FRAME
    held = []
    for frame in range(0, frames, max(1, frames // 5)):
        folder = tmp_path / str(frame)
        shutil.copytree(tmp_path / "left", folder)
        flipped = bytearray(whole)
        start = HEADER + frame * FRAME + 24
        flipped[start : start + 4096] = bytes(byte ^ 0xFF for byte in flipped[start : start + 4096])
        (folder / "memory.db-wal").write_bytes(flipped)
        held.append(await survives(folder, memories))
    assert held == sorted(held)
    assert held[0] == 1
