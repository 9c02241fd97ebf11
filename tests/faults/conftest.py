"""Faults are made on a database of the test's own; the processes that suffer them are in ``drivers/``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from conformance.store import SQLiteStore

TESTS = Path(__file__).parents[1]

StartDriver = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SQLiteStore]:
    """An empty database, open."""
    opened = SQLiteStore(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
def start_driver() -> StartDriver:
    """Start a module of ``faults.drivers`` as a process of its own."""

    def start(name: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", f"faults.drivers.{name}", *map(str, arguments)]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=TESTS,
            env={**os.environ, "PYTHONPATH": str(TESTS)},
        )

    return start
