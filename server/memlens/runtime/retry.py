"""Redoing a domain operation when another writer was first (spec 1.5 [D])."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from memlens.core.errors import DatabaseBusyError, RevisionConflictError

Result = TypeVar("Result")

PATIENCE_SECONDS = 30.0
"""How long an operation is redone before its caller is told that the database is too busy."""

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.1


async def redo_on_conflict(operation: Callable[[], Awaitable[Result]]) -> Result:
    """Run ``operation``, which reads the head anew each time, until it meets no conflict.

    Pauses are random and grow, so that several writers get out of each other's way. Raises DatabaseBusyError when
    that does not succeed in 30 seconds; whatever else the operation raises is raised at once.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    pause = _FIRST_PAUSE
    while True:
        try:
            return await operation()
        except RevisionConflictError as error:
            if time.monotonic() >= deadline:
                raise DatabaseBusyError(
                    f"Other writers changed this memory for {PATIENCE_SECONDS:.0f} seconds without a pause, "
                    "and nothing was written: try again."
                ) from error
        await asyncio.sleep(random.uniform(0, pause))  # noqa: S311  spreads writers, guards nothing
        pause = min(pause * 2, _LONGEST_PAUSE)
