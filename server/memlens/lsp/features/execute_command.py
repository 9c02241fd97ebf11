"""``workspace/executeCommand``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def workspace_execute_command(ls: MemLensServer, params: types.ExecuteCommandParams) -> Any:
    """Run a command and answer its result."""
    return await ls.commands.execute(ls, params.command, params.arguments or [])
