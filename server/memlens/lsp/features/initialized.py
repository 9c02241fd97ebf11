"""``initialized``: the client has our answer; what it will need soon is loaded behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


def initialized(ls: MemLensServer, _params: types.InitializedParams) -> None:
    """Load the commands, so that the first one does not wait for them."""
    ls.commands.preload()
