"""All checks in the order in which they build on each other."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from memlens.core.errors import MemLensError
from memlens.runtime.doctor import database, memory, surroundings
from memlens.runtime.doctor.finding import Finding, report
from memlens.runtime.runtime import Runtime
from memlens.storage.rebuilding import rebuild_projections


async def examine(runtime: Runtime, directory: Path, *, repair: bool) -> dict[str, Any]:
    """Check everything, for the repository that ``directory`` is in, and return what was found, ready for JSON.

    With ``repair`` the search projections are built anew first. What a check finds is never raised. Raises
    StorageError when the repair fails; then nothing was changed.
    """
    backend = runtime.backend
    repaired = None
    if repair and backend.describe()["path"] is not None:
        done = await backend.write(rebuild_projections)
        repaired = {"memories": done.memories, "entries": done.entries, "skipped": list(done.skipped)}
    place = Path(str(backend.describe()["path"] or runtime.home.database))
    findings = [
        surroundings.version(),
        await asyncio.to_thread(surroundings.home, runtime.home),
        await asyncio.to_thread(surroundings.disk, place),
        await asyncio.to_thread(surroundings.git, directory),
        *await database.examine(backend),
    ]
    findings += await _repository(runtime, directory, is_open=_is_open(findings))
    return report(findings, repaired)


def _is_open(findings: list[Finding]) -> bool:
    return not any(finding.check == "database" and finding.level == "problem" for finding in findings)


async def _repository(runtime: Runtime, directory: Path, *, is_open: bool) -> list[Finding]:
    """Check the repository; of one whose database cannot be opened, the settings."""
    try:
        repository = await runtime.repository(directory)
        settings = memory.settings(repository.warnings)
        if not is_open:
            return [settings]
        await repository.refresh()
        return [
            settings,
            await memory.repository(repository),
            memory.entries(repository),
            await asyncio.to_thread(memory.targets, repository),
            await asyncio.to_thread(memory.evidence, repository),
        ]
    except MemLensError as error:
        return [Finding("repository", "problem", str(error), "See the message.")]
