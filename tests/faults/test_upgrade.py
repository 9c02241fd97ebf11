"""A database that an earlier MemLens wrote opens, verifies and migrates, once (spec 5.3; case D2)."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import apsw
import pytest

from conformance.store import PROFILE
from faults.conftest import StartDriver
from memlens.core.errors import ReadOnlyDatabaseError
from memlens.core.refs import ArtifactRef
from memlens.memory.service import MemoryService
from memlens.storage.sqlite import schema
from memlens.storage.sqlite.backend import SQLiteMemoryBackend
from memlens.storage.verification import verify_database

FIXTURES = Path(__file__).parents[1] / "fixtures"
SHOP = "mem_art_01m8rng5gw44b7fz7xnxptwpf3"
"""The Memory of repo:example.invalid/team/shop in the fixture: two active entries and a forgotten one."""


def written_by(version: int, folder: Path) -> Path:
    """Lay a database that has this version of the schema into ``folder``."""
    path = folder / "memlens.db"
    path.write_bytes(gzip.decompress((FIXTURES / f"schema-{version:04}.db.gz").read_bytes()))
    assert rows(path, "PRAGMA user_version") == [(version,)]
    return path


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


@pytest.mark.parametrize("version", range(1, len(schema.migrations())))
def test_there_is_a_database_of_every_earlier_schema(version: int) -> None:
    assert (FIXTURES / f"schema-{version:04}.db.gz").is_file()


@pytest.mark.parametrize("version", range(1, len(schema.migrations())))
async def test_it_is_migrated_and_everything_in_it_is_there(tmp_path: Path, version: int) -> None:
    path = written_by(version, tmp_path)
    before = {table: rows(path, f"SELECT * FROM {table}") for table in ("artifact_revisions", "bindings", "sources")}
    backend = SQLiteMemoryBackend(path, PROFILE)
    service = MemoryService(backend)

    head = await service.head(SHOP)

    assert head is not None
    assert (await backend.read(verify_database)).ok
    assert sorted(entry.text for entry in await service.entries(head)) == [
        "Amounts in `src/` are integers in cents, never floats.",
        "结账服务 writes no logs.",
    ]
    assert [hit.text for hit in (await service.search("cents", [head])).hits][:1] == [
        "Amounts in `src/` are integers in cents, never floats."
    ]
    forgotten = await service.forget(head, (await service.entries(head))[:1])
    assert forgotten.ref == ArtifactRef(SHOP, 5)
    assert rows(path, "PRAGMA user_version") == [(len(schema.migrations()),)]
    assert [row[0] for row in rows(path, "SELECT version FROM schema_version")] == [1, 2]
    for table, old in before.items():
        assert set(old) <= set(rows(path, f"SELECT * FROM {table}")), table
    await backend.close()


async def test_one_that_cannot_be_written_is_read_as_it_is(tmp_path: Path) -> None:
    path = written_by(1, tmp_path)
    path.chmod(0o400)
    before = path.read_bytes()
    backend = SQLiteMemoryBackend(path, PROFILE)
    service = MemoryService(backend)
    head = await service.head(SHOP)
    assert head is not None
    assert len(await service.entries(head)) == 2
    assert (await backend.read(verify_database)).ok
    with pytest.raises(ReadOnlyDatabaseError):
        await service.forget(head, await service.entries(head))
    await backend.close()
    assert path.read_bytes() == before


async def test_a_migration_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written_by(1, tmp_path)
    good = schema.migrations()
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: (good[0], "CREATE TABLE half (x); CREATE TABLE known_clones ("))
        with pytest.raises(apsw.SQLError):
            schema.migrate(apsw.Connection(str(path)), str(path), PROFILE)
    assert rows(path, "PRAGMA user_version") == [(1,)]
    assert rows(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'half'") == [(0,)]


def test_servers_that_start_at_once_on_an_old_schema_migrate_it_once(start_driver: StartDriver, tmp_path: Path) -> None:
    servers = [start_driver("opening") for _ in range(3)]
    assert [hear(server) for server in servers] == ["ready"] * 3
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = written_by(1, folder)
        for server in servers:
            assert server.stdin is not None
            server.stdin.write(json.dumps([str(path), SHOP]) + "\n")
            server.stdin.flush()
        assert [hear(server) for server in servers] == ["4"] * 3
        assert rows(path, "SELECT version, count(*) FROM schema_version GROUP BY version") == [(1, 1), (2, 1)]
    for server in servers:
        server.communicate(timeout=30)


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()
