"""Opening the memory for an editor, behind the answer to ``initialize``."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from memlens.lsp.runtime_port import RuntimePort


async def open_for_editor(client: Mapping[str, Any]) -> RuntimePort:
    """Open the runtime that the editor's options ask for, and keep it current.

    The parts that it is made of are imported here, in a thread: a session is initialized before they are there.
    Raises HomeError, StorageError.
    """
    app = await asyncio.to_thread(_import_app)
    runtime: RuntimePort = await app.open_runtime(client=client, watch=True)
    return runtime


def _import_app() -> Any:
    from memlens import app

    return app
