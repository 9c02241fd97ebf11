"""``workspace/didChangeWorkspaceFolders``: one process serves all folders, each with its own memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


def workspace_did_change_workspace_folders(ls: MemLensServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Follow the client's folders."""
    ls.memory.remove_folders([folder.uri for folder in params.event.removed])
    ls.memory.add_folders([folder.uri for folder in params.event.added])
    ls.anchors.folders_changed()
    ls.refresh_surfaces()
