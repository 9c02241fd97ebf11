"""The end of the process: with its client, within two seconds, whatever is busy (spec 4)."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

POLL_SECONDS = 0.3
GRACE_SECONDS = 1.4
"""How long a commit in flight may take to finish. The database rolls back what is cut off."""


def exit_within(seconds: float, code: int) -> None:
    """End the process after ``seconds`` at the latest, even when a worker or the event loop hangs."""

    def end() -> None:
        time.sleep(seconds)
        os._exit(code)

    threading.Thread(target=end, name="memlens-exit", daemon=True).start()


def watch_process(pid: int, gone: Callable[[], None]) -> None:
    """Call ``gone`` in a thread once the client's process ``pid`` has ended.

    A process that is not there to begin with is in another container and is not watched.
    """
    if not process_is_alive(pid):
        return

    def watch() -> None:
        while process_is_alive(pid):
            time.sleep(POLL_SECONDS)
        gone()

    threading.Thread(target=watch, name="memlens-client", daemon=True).start()


def process_is_alive(pid: int) -> bool:
    """Whether the process runs. One that has ended and waits to be reaped does not."""
    return pid > 0 and _is_alive(pid)


if sys.platform == "win32":

    def _is_alive(pid: int) -> bool:
        import ctypes

        synchronize, wait_timeout = 0x00100000, 0x00000102
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(synchronize, False, pid)
        if not handle:
            return False
        try:
            return bool(kernel.WaitForSingleObject(handle, 0) == wait_timeout)
        finally:
            kernel.CloseHandle(handle)

else:

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (PermissionError, OverflowError):
            return True
        return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return state[:1] in ([b"Z"], [b"X"])
