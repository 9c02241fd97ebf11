"""Opens each database that it is told of on a line of its input, creating it, and prints "ok" or the error."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from conformance.store import SQLiteStore
from memlens.core.errors import MemLensError


async def create(folder: Path) -> str:
    store = SQLiteStore(folder)
    try:
        await store.add(None, "walnut")
        return "ok"
    except MemLensError as error:
        return f"{error.code}: {error}"
    finally:
        await store.close()


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        print(asyncio.run(create(Path(line.strip()))), flush=True)
