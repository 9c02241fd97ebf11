"""``textDocument/didOpen``, ``didChange`` and ``didClose``: the text as the client has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memlens.lsp.documents import Change
from memlens.lsp.text import TextPosition

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


def text_document_did_open(ls: MemLensServer, params: types.DidOpenTextDocumentParams) -> None:
    """Take a document in and begin to compute what applies to it."""
    item = params.text_document
    ls.anchors.prepare(ls.documents.open(item.uri, item.version, item.text))


def text_document_did_change(ls: MemLensServer, params: types.DidChangeTextDocumentParams) -> None:
    """Apply edits in the order they come."""
    identifier = params.text_document
    changes = [_change(change) for change in params.content_changes]
    document = ls.documents.change(identifier.uri, identifier.version, changes)
    if document is not None:
        ls.anchors.edited(document)


def text_document_did_close(ls: MemLensServer, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document."""
    document = ls.documents.close(params.text_document.uri)
    if document is not None:
        ls.anchors.closed(document)


def _change(change: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(change, types.TextDocumentContentChangePartial):
        return Change(change.text, _position(change.range.start), _position(change.range.end))
    return Change(change.text)


def _position(position: types.Position) -> TextPosition:
    return TextPosition(position.line, position.character)
