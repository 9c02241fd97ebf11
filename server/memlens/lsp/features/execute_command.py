"""``workspace/executeCommand``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


_LONG = {"memlens.verify": "MemLens: checking the database"}
"""What may take longer than a person waits without a word, and what to say meanwhile."""


async def workspace_execute_command(ls: MemLensServer, params: types.ExecuteCommandParams) -> Any:
    """Run a command and answer its result; report that a long one runs, where the client gave a token for that."""
    title, token = _LONG.get(params.command), params.work_done_token
    work = ls.commands.execute(ls, params.command, params.arguments or [])
    if title is None or token is None:
        return await work
    ls.progress(types.ProgressParams(token, types.WorkDoneProgressBegin(title, cancellable=False)))
    try:
        return await work
    finally:
        ls.progress(types.ProgressParams(token, types.WorkDoneProgressEnd()))
