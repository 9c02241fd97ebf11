"""Appends entries to one Memory as fast as it can, beside other processes that do the same.

    python -m faults.drivers.appending DATABASE ARTIFACT_ID NAME COUNT [VFS]

Prints "ready", waits for a line, then appends COUNT entries "NAME n" and prints the number of each as it is
acknowledged.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import apsw

from conformance.store import SQLiteStore
from memlens.runtime.retry import redo_on_conflict

Remember = Callable[[SQLiteStore, str, str], Awaitable[None]]
"""Keeps one text in a Memory, which may not exist yet, however many others write to it."""


async def remember_with_redo(store: SQLiteStore, artifact_id: str, text: str) -> None:
    """Read the head and redo on conflict, as the runtime does for every caller that says "remember this"."""

    async def once() -> None:
        await store.add(await store.service.head(artifact_id), text, artifact_id=artifact_id, actor=text)

    await redo_on_conflict(once)


async def append_all(path: Path, artifact_id: str, name: str, count: int, remember: Remember) -> None:
    store = SQLiteStore(path.parent)
    for number in range(count):
        await remember(store, artifact_id, f"{name} {number}")
        print(number, flush=True)
    await store.close()


if __name__ == "__main__":
    if len(sys.argv) > 5:
        apsw.set_default_vfs(sys.argv[5])
    print("ready", flush=True)
    sys.stdin.readline()
    asyncio.run(append_all(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]), remember_with_redo))
