"""Editors, hooks and commands at work on one memory at once: nothing lost, nothing doubled (case D2)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from faults.conftest import StartDriver
from memlens.app import open_runtime

Operation = tuple[str, str, str, int, str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a home of MemLens' own, for this process and those that it starts."""
    monkeypatch.setenv("MEMLENS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMLENS_ACTOR", "Ada")
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def work_at_once(start_driver: StartDriver, folder: Path, names: str, count: int) -> list[Operation]:
    """Let one process a name work, all starting together; return what each acknowledged."""
    processes = [start_driver("working", folder, name, count) for name in names]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    acknowledged: list[Operation] = []
    for process in processes:
        out, _ = process.communicate(timeout=580)
        lines = out.splitlines()
        assert (process.returncode, len(lines)) == (0, count)
        acknowledged += [tuple(json.loads(line)) for line in lines]
    return acknowledged


def after(operations: list[Operation]) -> dict[str, str]:
    """Return the active entries' texts that the operations lead to, in the order of their Revisions."""
    texts: dict[str, str] = {}
    for op, entry_id, _, _, text in sorted(operations, key=lambda operation: operation[3]):
        if op == "deactivate":
            del texts[entry_id]
        else:
            texts[entry_id] = text
    return texts


async def everything_is_there_once(folder: Path, operations: list[Operation]) -> None:
    runtime = await open_runtime()
    repository = await runtime.repository(folder)
    await repository.refresh()
    assert {entry_id: card.text for entry_id, card in repository.snapshot().cards.items()} == after(operations)
    revisions = await repository.changes(0)
    assert [each["memory_ref"]["revision"] for each in revisions] == list(range(1, len(operations) + 1))
    stored = Counter(_done(each["memory_ref"]["revision"], change) for each in revisions for change in each["changes"])
    assert stored == Counter((revision, op, entry_id) for op, entry_id, _, revision, _ in operations)
    versions = [version for op, _, version, _, _ in operations if op != "deactivate"]
    assert len(set(versions)) == len(versions)
    assert (await runtime.verify())["ok"]
    await runtime.close()


def _done(revision: int, change: dict[str, Any]) -> tuple[int, str, str]:
    return revision, change["op"], change["entry_id"]


async def test_three_processes_lose_none_of_sixty_operations(folder: Path, start_driver: StartDriver) -> None:
    operations = work_at_once(start_driver, folder, "abc", 20)
    await everything_is_there_once(folder, operations)


@pytest.mark.slow
async def test_eight_processes_lose_none_of_sixteen_hundred_operations(folder: Path, start_driver: StartDriver) -> None:
    operations = work_at_once(start_driver, folder, "abcdefgh", 200)
    assert len(operations) == 1600
    await everything_is_there_once(folder, operations)
