"""A runtime on a real database and a real directory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memlens.app import open_runtime
from memlens.runtime.runtime import Runtime

OpenRuntime = Callable[..., "asynccontextmanager"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository's folder with a few files."""
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "Makefile").write_text("test:\n\tpytest\n")
    (root / "docs" / "guide.md").write_text("# Guide\n\nHello.\n")
    return root


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a person with an empty home."""
    return {"MEMLENS_HOME": str(tmp_path / "home"), "MEMLENS_ACTOR": "Ada"}


@pytest.fixture
async def runtime(environ: dict[str, str]) -> AsyncIterator[Runtime]:
    """A runtime as an editor has it."""
    opened = await open_runtime(environ=environ, watch=True)
    yield opened
    await opened.close()
