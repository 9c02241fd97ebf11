"""One module for each method of the protocol: a thin handler over a pure query.

The modules are imported when they are first needed, or in the background once ``initialize`` is answered: until then
nobody needs them, and every import delays the answer.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

_HANDLERS: Mapping[str, tuple[str, str]] = {
    "textDocument/didOpen": ("text_sync", "text_document_did_open"),
    "textDocument/didChange": ("text_sync", "text_document_did_change"),
    "textDocument/didClose": ("text_sync", "text_document_did_close"),
    "textDocument/hover": ("hover", "text_document_hover"),
    "textDocument/codeLens": ("code_lens", "text_document_code_lens"),
    "textDocument/inlayHint": ("inlay_hint", "text_document_inlay_hint"),
    "memlens/textDocumentContent": ("text_document_content", "memlens_text_document_content"),
    "workspace/didChangeWorkspaceFolders": ("workspace_folders", "workspace_did_change_workspace_folders"),
    "workspace/executeCommand": ("execute_command", "workspace_execute_command"),
    "workspace/symbol": ("workspace_symbol", "workspace_symbol"),
    "workspace/textDocumentContent": ("text_document_content", "workspace_text_document_content"),
}


def handler(method: str) -> Callable[..., Any] | None:
    """Return the handler of ``method``, which takes the server and the params; None when there is none."""
    found = _HANDLERS.get(method)
    if found is None:
        return None
    module, name = found
    function: Callable[..., Any] = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    return function


def load_all() -> None:
    """Import every handler."""
    for method in _HANDLERS:
        handler(method)
