"""One fixture runs every test over every backend: another one is another line in ``store.BACKENDS``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conformance.store import BACKENDS, Store


@pytest.fixture(params=sorted(BACKENDS))
def backend(request: pytest.FixtureRequest) -> type[Store]:
    """The kind of database under test."""
    return BACKENDS[request.param]


@pytest.fixture
async def store(backend: type[Store], tmp_path: Path) -> AsyncIterator[Store]:
    """An empty database, open."""
    opened = backend(tmp_path)
    yield opened
    await opened.close()
