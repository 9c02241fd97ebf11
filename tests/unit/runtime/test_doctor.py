"""Each thing that doctor looks for is found, and says how to mend it (spec 2.5, 2.6; case S4)."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from workspace.conftest import NewRepository, git, new_repository, own_git_configuration

from memlens.app import open_runtime
from memlens.core.errors import CorruptDatabaseError
from memlens.runtime.api import EvidenceInput, RememberRequest, StatedApplicability
from memlens.runtime.doctor import surroundings
from memlens.runtime.doctor.doctor import examine
from memlens.runtime.repository import RepositoryMemory
from memlens.storage.sqlite import filesystem

__all__ = ["git", "new_repository", "own_git_configuration"]

Examine = Callable[..., Awaitable[dict[str, Any]]]

CHECKS = [
    "version", "home", "disk", "git", "engine", "database", "integrity", "index",
    "settings", "repository", "entries", "targets", "evidence",
]  # fmt: skip


class Space(NamedTuple):
    """What shutil says of a disk."""

    total: int
    used: int
    free: int


@pytest.fixture
def examined(environ: dict[str, str], root: Path) -> Examine:
    """Examine ``root`` as a process that starts there would."""

    async def run(folder: Path = root, *, repair: bool = False) -> dict[str, Any]:
        runtime = await open_runtime(environ=environ, create=False)
        try:
            return await examine(runtime, folder, repair=repair)
        finally:
            await runtime.close()

    return run


@pytest.fixture
async def remembered(environ: dict[str, str], root: Path) -> AsyncIterator[RepositoryMemory]:
    """A repository with a few entries, on a database that stays open as an editor's does."""
    runtime = await open_runtime(environ=environ)
    repository = await runtime.repository(root)
    (root / "src").mkdir()
    (root / "src" / "pay.py").write_text("import cents\n\n\ndef pay(amount: int) -> None: ...\n")
    await repository.remember_all(
        [
            RememberRequest("fact", "See docs/guide.md.", (EvidenceInput(path="docs/guide.md"),)),
            RememberRequest("constraint", "Amounts are cents.", (EvidenceInput(path="src/pay.py", start_line=4),)),
            RememberRequest("fact", "Python is typed.", applies=StatedApplicability(paths=("*.py",))),
            RememberRequest("fact", "Mine.", applies=StatedApplicability(paths=("nowhere/**",)), personal=True),
        ]
    )
    yield repository
    await runtime.close()


def database(environ: dict[str, str]) -> Path:
    return Path(environ["MEMLENS_HOME"], "data", "memlens.db")


def tamper(environ: dict[str, str], sql: str) -> None:
    connection = apsw.Connection(str(database(environ)))
    connection.execute(sql)
    connection.close()


def put_file(path: str) -> None:
    Path(path).write_text("in the way")


def level(found: dict[str, Any], check: str) -> str:
    return str(one(found, check)["level"])


def one(found: dict[str, Any], check: str) -> dict[str, Any]:
    (finding,) = [each for each in found["checks"] if each["check"] == check]
    return dict(finding)


async def test_a_healthy_memory_has_nothing_to_say_but_what_it_is(
    examined: Examine, remembered: RepositoryMemory
) -> None:
    found = await examined()
    assert found["ok"]
    assert [each["check"] for each in found["checks"]] == CHECKS
    assert {each["level"] for each in found["checks"]} == {"ok"}
    assert not any("way_out" in each or "details" in each for each in found["checks"])
    assert "has the 4 active entries" in one(found, "index")["message"]


async def test_where_nothing_was_remembered_all_is_well_and_nothing_is_created(
    examined: Examine, environ: dict[str, str]
) -> None:
    found = await examined()
    assert found["ok"]
    assert "no database yet" in one(found, "database")["message"]
    assert not database(environ).parent.exists()
    again = await examined(repair=True)
    assert [each["level"] for each in again["checks"]] == ["ok"] * len(found["checks"])
    assert not database(environ).parent.exists()


async def test_half_an_index_is_a_problem_with_its_numbers_and_repair_mends_it(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    tamper(environ, "DELETE FROM memory_entry_search_fts WHERE rowid IN (1, 2)")
    found = await examined()
    assert not found["ok"]
    index = one(found, "index")
    assert (index["level"], "memlens doctor --repair" in index["way_out"]) == ("problem", True)
    (counts,) = index["details"]
    assert (counts["active_entries"], counts["projection_rows"], counts["index_rows"]) == (3, 3, 1)

    mended = await examined(repair=True)

    assert mended["ok"]
    assert mended["repaired"] == {"memories": 2, "entries": 4, "skipped": []}
    assert len((await remembered.search("cents"))["hits"]) == 1


async def test_a_damaged_entry_is_a_problem(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    tamper(environ, "UPDATE memory_entry_versions SET text = 'poison' WHERE text = 'Python is typed.'")
    found = await examined()
    assert not found["ok"]
    entries = one(found, "entries")
    assert (entries["level"], len(entries["details"])) == ("problem", 1)
    assert "backup" in entries["way_out"]


async def test_a_head_that_cannot_be_read_is_damage(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    tamper(environ, "UPDATE artifact_revisions SET content_hash = 'x'")
    found = await examined()
    assert level(found, "integrity") == "problem"
    assert level(found, "repository") == "problem"


async def test_a_database_that_does_not_open_is_one_problem_and_the_rest_is_told_all_the_same(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    for ending in ("-wal", "-shm"):
        database(environ).with_name(f"memlens.db{ending}").unlink()
    noise = b"no database" * 1000
    database(environ).write_bytes(noise)
    found = await examined()
    assert not found["ok"]
    assert [each["check"] for each in found["checks"]] == ["version", "home", "disk", "git", "database", "settings"]
    assert "restore it from a backup" in one(found, "database")["message"]
    with pytest.raises(CorruptDatabaseError):
        await examined(repair=True)
    assert database(environ).read_bytes() == noise


async def test_paths_that_match_nothing_any_more_are_named_with_their_entries(
    examined: Examine, root: Path, remembered: RepositoryMemory
) -> None:
    shutil.rmtree(root / "src")
    (root / "docs" / "guide.md").rename(root / "docs" / "manual.md")
    found = await examined()
    assert found["ok"], "stale entries are no fault of the database"
    targets = one(found, "targets")
    assert (targets["level"], sorted(each["target"] for each in targets["details"])) == (
        "warning",
        ["*.py", "docs/guide.md"],
    )
    assert "revise" in targets["way_out"]
    evidence = {each["path"]: (each["what"], each["text"]) for each in one(found, "evidence")["details"]}
    assert evidence == {
        "docs/guide.md": ("gone", "See docs/guide.md."),
        "src/pay.py": ("gone", "Amounts are cents."),
    }


async def test_evidence_that_moved_is_fine_and_evidence_that_changed_is_told(
    examined: Examine, root: Path, remembered: RepositoryMemory
) -> None:
    pay = root / "src" / "pay.py"
    pay.write_text("# a new first line\n" + pay.read_text())
    assert level(await examined(), "evidence") == "ok"
    pay.write_text(pay.read_text().replace("int", "float"))
    found = one(await examined(), "evidence")
    assert [(each["path"], each["what"]) for each in found["details"]] == [("src/pay.py", "changed")]


async def test_ignored_settings_are_a_warning(examined: Examine, root: Path, remembered: RepositoryMemory) -> None:
    (root / ".memlens.toml").write_text('actor = "Mallory"\n')
    settings = one(await examined(), "settings")
    assert (settings["level"], settings["details"][0]["key"]) == ("warning", "actor")


async def test_a_read_only_database_is_a_warning(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    database(environ).chmod(0o400)
    found = await examined()
    assert found["ok"]
    assert "cannot be written" in one(found, "database")["message"]


async def test_files_that_others_may_read_are_a_warning(
    examined: Examine, environ: dict[str, str], remembered: RepositoryMemory
) -> None:
    database(environ).chmod(0o644)
    database(environ).parent.chmod(0o755)
    found = await examined()
    assert f"chmod 600 {database(environ)}" in one(found, "database")["way_out"]
    assert f"chmod 700 {database(environ).parent}" in one(found, "home")["way_out"]


async def test_a_file_in_the_place_of_the_home_is_a_problem(examined: Examine, environ: dict[str, str]) -> None:
    put_file(environ["MEMLENS_HOME"])
    found = await examined()
    assert not found["ok"]
    assert "MEMLENS_HOME" in one(found, "home")["message"]


async def test_a_share_is_a_warning(
    examined: Examine,
    environ: dict[str, str],
    remembered: RepositoryMemory,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    table = tmp_path / "mounts"
    table.write_text(f"/dev/vda / ext4 rw 0 0\nserver:/x {environ['MEMLENS_HOME']} nfs4 rw 0 0\n")
    monkeypatch.setattr(filesystem, "MOUNTS", table)
    monkeypatch.setattr("memlens.storage.sqlite.connection.BUSY_TIMEOUT_MS", 30)
    found = one(await examined(), "database")
    assert (found["level"], "local disk" in found["way_out"]) == ("warning", True)


@pytest.mark.parametrize(("free", "expected"), [(10**9, "ok"), (10**8, "warning"), (10**6, "problem")])
async def test_a_disk_that_gets_full_is_told_in_time(
    examined: Examine, monkeypatch: pytest.MonkeyPatch, free: int, expected: str
) -> None:
    monkeypatch.setattr(surroundings.shutil, "disk_usage", lambda _: Space(0, 0, free))
    assert level(await examined(), "disk") == expected


async def test_without_git_a_warning_says_what_is_less(examined: Examine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = one(await examined(), "git")
    assert (found["level"], "Install git" in found["way_out"]) == ("warning", True)


async def test_a_clone_that_waits_to_be_confirmed_is_a_warning_and_shows_no_entry(
    examined: Examine, environ: dict[str, str], new_repository: NewRepository
) -> None:
    origin = "https://example.invalid/team/app"
    runtime = await open_runtime(environ=environ)
    first = await runtime.repository(new_repository("first", origin))
    await first.remember(RememberRequest("fact", "secret", (EvidenceInput(path="README.md"),)))
    await runtime.close()
    (first.root / "README.md").unlink()
    found = await examined(new_repository("second", origin))
    assert found["ok"]
    assert "memlens bind --confirm" in one(found, "repository")["message"]
    assert "secret" not in str(found)
