"""Opens each database that it is told of, as ``["PATH", "ARTIFACT_ID"]``, and prints the number of the head."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from conformance.store import PROFILE
from memlens.core.errors import MemLensError
from memlens.storage.sqlite.backend import SQLiteMemoryBackend


async def head(path: Path, artifact_id: str) -> str:
    backend = SQLiteMemoryBackend(path, PROFILE)
    try:
        memory = await backend.head(artifact_id)
        return str(memory.ref.revision if memory else None)
    except MemLensError as error:
        return f"{error.code}: {error}"
    finally:
        await backend.close()


if __name__ == "__main__":
    print("ready", flush=True)
    for line in sys.stdin:
        print(asyncio.run(head(Path(json.loads(line)[0]), json.loads(line)[1])), flush=True)
