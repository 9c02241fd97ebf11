"""Works on one repository's memory as editors, hooks and the command line do, beside others that do the same.

    MEMLENS_HOME=... python -m faults.drivers.working FOLDER NAME COUNT

Prints "ready", waits for a line, then does COUNT operations: remembers, revises and forgets entries of its own.
Prints each as ``["op", "entry_id", "entry_version_id", revision, "text"]`` once it is acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from memlens.app import open_runtime
from memlens.runtime.api import Receipt, RememberRequest, ReviseRequest
from memlens.runtime.repository import RepositoryMemory


async def work(folder: Path, name: str, count: int) -> None:
    runtime = await open_runtime()
    repository = await runtime.repository(folder)
    mine: list[str] = []
    for number in range(count):
        op = ("add", "add", "revise", "deactivate")[number % 4]
        text = f"{name} {number}"
        receipt = await perform(repository, op, mine, text)
        print(
            json.dumps([op, receipt.entry_id, receipt.entry_version_id, receipt.memory_ref.revision, text]), flush=True
        )
    await runtime.close()


async def perform(repository: RepositoryMemory, op: str, mine: list[str], text: str) -> Receipt:
    if op == "add":
        receipt = await repository.remember(RememberRequest("fact", text))
        mine.append(receipt.entry_id)
        return receipt
    if op == "revise":
        return await repository.revise(ReviseRequest(mine[-1], text))
    (receipt,) = await repository.forget([mine.pop(0)])
    return receipt


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    asyncio.run(work(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
