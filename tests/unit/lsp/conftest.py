"""Server processes for the tests of the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .wire_client import WireClient


@pytest.fixture
def connect() -> Iterator[Callable[..., WireClient]]:
    """Starts servers; at the end none of them may have said anything that nobody expected."""
    clients: list[WireClient] = []

    def start(**options: Any) -> WireClient:
        clients.append(WireClient(**options))
        return clients[-1]

    yield start
    try:
        for client in clients:
            client.check_nothing_unexpected()
    finally:
        for client in clients:
            client.kill()


@pytest.fixture
def client(connect: Callable[..., WireClient]) -> WireClient:
    """A server that is not initialized yet."""
    return connect()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """One session for tests that leave nothing behind: entry ``e1`` on every file."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / ".git").mkdir()
    client = WireClient()
    client.initialize(folder, initializationOptions=fake(entry("e1"), entry("e2")))
    client.folder = folder
    yield client
    try:
        client.check_nothing_unexpected()
    finally:
        client.kill()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a repository in it."""
    folder = tmp_path / "w"
    (folder / ".git").mkdir(parents=True)
    return folder


def fake(*entries: dict[str, Any], **options: Any) -> dict[str, Any]:
    """``initializationOptions`` for the fake runtime."""
    return {"fake": {"entries": list(entries), **options}}


def entry(entry_id: str, word: str | None = None, **more: Any) -> dict[str, Any]:
    """An entry that is anchored on the lines that hold ``word``, without it on the file."""
    return {"id": entry_id, "kind": "constraint", "text": f"Rule {entry_id}.", "word": word, **more}
