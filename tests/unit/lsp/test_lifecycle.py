"""Whether a process runs (spec 4, E4)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from memlens.lsp.lifecycle import process_is_alive, watch_process


def test_a_running_process_is_alive_and_an_ended_one_is_not() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert process_is_alive(process.pid)
    process.communicate(b"\n")
    assert not process_is_alive(process.pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="zombies are told by /proc")
def test_a_killed_process_that_nobody_reaped_is_not_alive() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    os.kill(process.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while process_is_alive(process.pid):
        assert time.monotonic() < deadline
    os.kill(process.pid, 0)
    process.wait()


@pytest.mark.parametrize("pid", [0, -1, 2**70])
def test_numbers_that_are_no_process(pid: int) -> None:
    assert process_is_alive(pid) is (pid == 2**70)


def test_the_end_of_a_process_is_noticed() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    gone = threading.Event()
    watch_process(process.pid, gone.set)
    assert not gone.is_set()
    process.communicate(b"\n")
    assert gone.wait(timeout=10)


def test_a_process_that_was_never_there_is_not_watched() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    before = threading.active_count()
    watch_process(process.pid, lambda: pytest.fail("nobody was there"))
    assert threading.active_count() == before
