"""Threads that hold connections: one that writes, a few that read (spec 3.2, invariant 4)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from memlens.storage.session import DatabaseSession

Result = TypeVar("Result")


class SessionThreads:
    """A pool of threads that each open one session on first use and keep it.

    A connection is used by the thread that opened it and no other, and closed when the pool is.
    """

    def __init__(self, name: str, threads: int, connect: Callable[[], DatabaseSession]) -> None:
        """Run on at most ``threads`` threads; ``connect`` opens a session."""
        self._connect = connect
        self._executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix=f"memlens-{name}")
        self._local = threading.local()
        self._opened: list[DatabaseSession] = []
        self._lock = threading.Lock()

    async def run(self, work: Callable[[DatabaseSession], Result]) -> Result:
        """Run ``work`` on one of the threads with its session."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._call, work)

    def close(self) -> None:
        """Wait for work under way, then close every session."""
        self._executor.shutdown(wait=True)
        with self._lock:
            for session in self._opened:
                session.close()
            self._opened.clear()

    def _call(self, work: Callable[[DatabaseSession], Result]) -> Result:
        session: DatabaseSession | None = getattr(self._local, "session", None)
        if session is not None and not session.is_current():
            # A backup was put in the file's place: what is written to the old one, nobody would ever see.
            with self._lock:
                self._opened.remove(session)
            session.close()
            session = None
        if session is None:
            session = self._connect()
            self._local.session = session
            with self._lock:
                self._opened.append(session)
        return work(session)
