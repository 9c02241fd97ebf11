"""Refreshes are prompt and never a storm (spec 2.2)."""

from __future__ import annotations

import asyncio
import time

from memlens.lsp.refresh import Refresher


async def reached(counted: list[float], count: int) -> None:
    deadline = time.monotonic() + 5
    while len(counted) < count:
        assert time.monotonic() < deadline
        await asyncio.sleep(0)


async def test_the_first_call_passes_at_once_and_a_burst_is_one_more() -> None:
    sent: list[float] = []
    refresh = Refresher(lambda: sent.append(time.monotonic()))
    refresh()
    assert len(sent) == 1
    for _ in range(100):
        refresh()
    await reached(sent, 2)
    refresh()
    await reached(sent, 3)
    assert len(sent) == 3


async def test_after_stop_nothing_is_sent() -> None:
    sent: list[float] = []
    refresh = Refresher(lambda: sent.append(0))
    refresh()
    refresh()
    refresh.stop()
    refresh()
    await asyncio.sleep(0)
    assert sent == [0]
