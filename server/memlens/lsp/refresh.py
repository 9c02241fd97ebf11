"""Tells the client that what it shows is out of date (spec 2.2, refresh)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future

WINDOW_SECONDS = 0.05
PATIENCE_SECONDS = 5.0


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


class RefreshRequest:
    """A request that asks the client for a refresh, of which one at a time is under way.

    A client that does not answer is asked again after a while; its answers do not pile up until then.
    """

    def __init__(self, send: Callable[[], Future[None]]) -> None:
        """``send`` sends the request and returns its answer to come."""
        self._send = send
        self._asked_at: float | None = None
        self._again = False

    def __call__(self) -> None:
        """Ask, now or when the client has answered."""
        now = asyncio.get_running_loop().time()
        if self._asked_at is not None and now - self._asked_at < PATIENCE_SECONDS:
            self._again = True
            return
        self._asked_at, self._again = now, False
        self._send().add_done_callback(self._answered)

    def _answered(self, _answer: Future[None]) -> None:
        self._asked_at = None
        if self._again:
            self()


def _nothing() -> None:
    pass
