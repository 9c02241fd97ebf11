"""Redoing an operation after a conflict (spec 1.5 [D])."""

from __future__ import annotations

import asyncio

import pytest

from memlens.core.errors import DatabaseBusyError, InvalidInputError, RevisionConflictError
from memlens.runtime import retry
from memlens.runtime.retry import redo_on_conflict


async def test_an_operation_is_redone_until_it_meets_no_conflict() -> None:
    tries = 0

    async def operation() -> str:
        nonlocal tries
        tries += 1
        if tries < 4:
            raise RevisionConflictError("again")
        return "done"

    assert (await redo_on_conflict(operation), tries) == ("done", 4)


async def test_any_other_error_is_raised_at_once() -> None:
    tries = 0

    async def operation() -> None:
        nonlocal tries
        tries += 1
        raise InvalidInputError("never right")

    with pytest.raises(InvalidInputError):
        await redo_on_conflict(operation)
    assert tries == 1


async def test_patience_ends_with_an_error_that_says_nothing_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "PATIENCE_SECONDS", 0.01)

    async def operation() -> None:
        await asyncio.sleep(0.005)
        raise RevisionConflictError("again")

    with pytest.raises(DatabaseBusyError, match="nothing was written"):
        await redo_on_conflict(operation)
