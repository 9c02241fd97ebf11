"""``workspace/textDocumentContent`` (LSP 3.18), and ``memlens/textDocumentContent`` for every other client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from memlens.lsp.errors import InvalidArguments
from memlens.lsp.virtual import document_text

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def workspace_text_document_content(
    ls: MemLensServer, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """Answer the text of a virtual document."""
    return types.TextDocumentContentResult(await document_text(ls, params.uri))


async def memlens_text_document_content(ls: MemLensServer, params: Any) -> dict[str, str]:
    """Answer the same to a client that does not know the request of LSP."""
    uri = params.get("uri") if isinstance(params, Mapping) else None
    if not isinstance(uri, str):
        raise InvalidArguments("The params of memlens/textDocumentContent are an object with a string `uri`.")
    return {"text": await document_text(ls, uri)}
