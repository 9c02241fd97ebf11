"""Performs one operation on copies of a database, each time killed (SIGKILL) at another SQL statement of its commit.

    python -m faults.drivers.kill_at_statement TEMPLATE FOLDER ARTIFACT_ID OPERATION

The first run records the statements, each with whether it is one that FTS5 makes by itself, some of these while
COMMIT runs. Then one child a statement is forked,
on a copy of its own, and killed before that statement runs; one more dies right after COMMIT has run and before
anybody heard of it, and one after its caller did. Prints ``{"statements": [...], "runs": [{"killed_at", "database",
"acknowledged", "signal"}]}``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import apsw

from conformance.store import SQLiteStore, Store
from memlens.memory.models import Memory

NEW_TEXT = "written by the process that may die"


async def remember(store: Store, memory: Memory) -> None:
    await store.add(memory, NEW_TEXT)


async def revise(store: Store, memory: Memory) -> None:
    await store.revise(memory, await store.entry(memory, "walnut"), NEW_TEXT)


async def forget(store: Store, memory: Memory) -> None:
    await store.service.forget(memory, [await store.entry(memory, "walnut")])


async def reactivate(store: Store, memory: Memory) -> None:
    await store.service.reactivate(memory, [await store.entry(memory, "pistachio")])


OPERATIONS = {operation.__name__: operation for operation in (remember, revise, forget, reactivate)}


class Executioner:
    """Watches the statements of write transactions; kills this process at the one it was told."""

    def __init__(self, kill_at: int | None, after_commit: bool) -> None:
        self.kill_at = kill_at
        self.after_commit = after_commit
        self.statements: list[tuple[str, bool]] = []
        self.writer: apsw.Connection | None = None

    def watch(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT | apsw.SQLITE_TRACE_PROFILE, self.on_event)

    def on_event(self, event: dict[str, Any]) -> None:
        if event["code"] == apsw.SQLITE_TRACE_PROFILE:
            if self.after_commit and event["connection"] is self.writer and event["sql"] == "COMMIT":
                os.kill(os.getpid(), signal.SIGKILL)
            return
        if event["sql"] == "BEGIN IMMEDIATE":
            self.writer = event["connection"]
        if event["connection"] is not self.writer:
            return
        self.statements.append((event["sql"], event["trigger"]))
        if len(self.statements) == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


def perform(database: Path, artifact_id: str, operation: str, executioner: Executioner) -> None:
    async def run() -> None:
        store = SQLiteStore(database.parent)
        memory = await store.service.head(artifact_id)
        assert memory is not None
        apsw.connection_hooks.append(executioner.watch)  # the writing connection is opened by the operation
        await OPERATIONS[operation](store, memory)

    asyncio.run(run())


def copy(template: Path, folder: Path, name: str) -> Path:
    database = folder / name / "memory.db"
    database.parent.mkdir(parents=True)
    shutil.copyfile(template, database)
    return database


def in_child(database: Path, artifact_id: str, operation: str, executioner: Executioner) -> tuple[bool, int, list[Any]]:
    """Fork, perform, and say whether the child acknowledged, which signal ended it, and its statements."""
    readable, writable = os.pipe()
    if (child := os.fork()) == 0:
        try:
            perform(database, artifact_id, operation, executioner)
            os.write(writable, json.dumps(executioner.statements).encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return bool(said), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, json.loads(said or b"[]")


def main(template: Path, folder: Path, artifact_id: str, operation: str) -> None:
    def run(name: str, kill_at: int | None, after_commit: bool = False) -> list[Any]:
        database = copy(template, folder, name)
        acknowledged, ended_by, seen = in_child(database, artifact_id, operation, Executioner(kill_at, after_commit))
        runs.append({"killed_at": name, "database": str(database), "acknowledged": acknowledged, "signal": ended_by})
        return seen

    runs: list[dict[str, Any]] = []
    statements = run("after the caller heard", None)
    for number, _ in enumerate(statements, start=1):
        run(str(number), number)
    run("after COMMIT", None, after_commit=True)
    print(json.dumps({"statements": statements, "runs": runs}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])
