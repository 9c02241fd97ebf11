"""What a running process makes of a database that changes under it, and of its own parts that fail."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import apsw
import pytest

from memlens.app import open_runtime
from memlens.core.errors import CannotUndoError, DuplicateOfInactiveError
from memlens.runtime.api import EvidenceInput, RememberRequest
from memlens.runtime.bound import BoundMemory
from memlens.runtime.repository import RepositoryMemory
from memlens.runtime.runtime import Runtime


def fact(text: str, **more: object) -> RememberRequest:
    return RememberRequest("fact", text, **more)  # type: ignore[arg-type]


def database(environ: dict[str, str]) -> Path:
    return Path(environ["MEMLENS_HOME"]) / "data" / "memlens.db"


def copied(environ: dict[str, str], to: Path) -> Path:
    """Copy the database as a backup does."""
    source, target = apsw.Connection(str(database(environ))), apsw.Connection(str(to))
    with target.backup("main", source, "main") as backup:
        backup.step()
    source.close()
    target.close()
    return to


def texts(repository: RepositoryMemory) -> set[str]:
    return {card.text for card in repository.snapshot().cards.values()}


async def read_anew(environ: dict[str, str], root: Path) -> set[str]:
    runtime = await open_runtime(environ=environ)
    repository = await runtime.repository(root)
    await repository.refresh()
    await runtime.close()
    return texts(repository)


async def test_a_database_put_in_place_of_the_open_one_is_the_one_that_is_written(
    runtime: Runtime, root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    repository = await runtime.repository(root)
    await repository.remember(fact("in the backup"))
    backup = copied(environ, tmp_path / "backup.db")
    await repository.remember(fact("lost with the old file"))
    for suffix in ("", "-wal", "-shm"):
        database(environ).with_name(f"memlens.db{suffix}").unlink(missing_ok=True)
    shutil.copy(backup, database(environ))

    await repository.remember(fact("after the restore"))

    assert await read_anew(environ, root) == {"in the backup", "after the restore"}
    assert texts(repository) == {"in the backup", "after the restore"}


async def test_a_history_restored_in_place_is_read_anew(
    runtime: Runtime, root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    repository = await runtime.repository(root)
    await repository.remember(fact("first"))
    backup = copied(environ, tmp_path / "backup.db")
    await repository.remember(fact("second, of the old history"))
    source, target = apsw.Connection(str(backup)), apsw.Connection(str(database(environ)))
    with target.backup("main", source, "main") as restore:
        restore.step()
    source.close()
    target.close()

    other = await open_runtime(environ=environ)
    await (await other.repository(root)).remember(fact("second, of the new history"))
    await other.close()
    await repository.refresh()

    assert texts(repository) == {"first", "second, of the new history"}
    assert len((await repository.search("history", "fts", 8))["hits"]) == 1


async def test_undo_takes_back_what_was_last_when_it_began_and_nothing_that_came_meanwhile(
    runtime: Runtime, root: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = await runtime.repository(root)
    await repository.remember(fact("mine"))
    other = await open_runtime(environ=environ)
    elsewhere = await other.repository(root)
    change_head = BoundMemory.change_head

    async def after_another_commit(memory: BoundMemory, operation: object) -> object:
        monkeypatch.undo()
        await elsewhere.remember(fact("an agent's"))
        return await change_head(memory, operation)  # type: ignore[arg-type]

    monkeypatch.setattr(BoundMemory, "change_head", after_another_commit)
    with pytest.raises(CannotUndoError, match="made meanwhile"):
        await repository.undo()
    assert await read_anew(environ, root) == {"mine", "an agent's"}
    await other.close()


async def test_damage_stays_said_after_other_commits(runtime: Runtime, root: Path, environ: dict[str, str]) -> None:
    repository = await runtime.repository(root)
    broken = await repository.remember(fact("broken"))
    connection = apsw.Connection(str(database(environ)))
    connection.execute("UPDATE memory_entry_versions SET text = 'altered'")
    connection.close()
    other = await open_runtime(environ=environ, watch=True)
    watching = await other.repository(root)
    await watching.remember(fact("another"))
    assert (await watching.status())["damaged_entries"] == [broken.entry_id]
    await other.close()


async def test_a_listener_that_fails_keeps_nobody_else_in_the_dark(
    runtime: Runtime, root: Path, environ: dict[str, str]
) -> None:
    await runtime.repository(root)
    told = asyncio.Event()

    def failing() -> None:
        raise RuntimeError("no matter what")

    runtime.subscribe(failing)
    runtime.subscribe(told.set)
    other = await open_runtime(environ=environ)
    for text in ("one", "two"):
        told.clear()
        await (await other.repository(root)).remember(fact(text))
        await asyncio.wait_for(told.wait(), 5)
    assert told.is_set()
    await other.close()


async def test_what_one_memory_refuses_keeps_the_others_part_from_being_written(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    twin = await repository.remember(fact("twin", personal=True))
    await repository.forget([twin.entry_id])
    with pytest.raises(DuplicateOfInactiveError):
        await repository.remember_all([fact("for the repository"), fact("twin", personal=True)])
    assert (await repository.status())["memory"] is None


async def test_a_name_is_made_where_the_file_system_has_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memlens.runtime.names import personal_key

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    key = personal_key(tmp_path / "user", create=True)
    assert key is not None
    assert personal_key(tmp_path / "user", create=True) == key


async def test_evidence_of_every_memory_is_checked_before_any_is_written(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    missing = EvidenceInput(path="nope.md")
    with pytest.raises(ValueError, match="nope"):
        await repository.remember_all([fact("fine"), fact("mine", personal=True, evidence=(missing,))])
    assert (await repository.status())["memory"] is None
