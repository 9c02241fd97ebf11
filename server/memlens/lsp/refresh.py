"""Tells the client that what it shows is out of date (spec 2.2, refresh)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

WINDOW_SECONDS = 0.05


class Refresher:
    """Passes the first call on at once, and those that follow within a moment as one. Used on the event loop."""

    def __init__(self, send: Callable[[], None]) -> None:
        self._send = send
        self._window: asyncio.TimerHandle | None = None
        self._again = False

    def __call__(self) -> None:
        """Ask for a refresh."""
        if self._window is not None:
            self._again = True
            return
        self._window = asyncio.get_running_loop().call_later(WINDOW_SECONDS, self._over)
        self._send()

    def stop(self) -> None:
        """Send nothing any more."""
        if self._window is not None:
            self._window.cancel()
        self._send = _nothing

    def _over(self) -> None:
        self._window = None
        if self._again:
            self._again = False
            self()


def _nothing() -> None:
    pass
