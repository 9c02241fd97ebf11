"""What the client can do, resolved once at ``initialize``, and what the server offers it (spec 3.2, invariant 3).

Both are read and written as plain JSON: building lsprotocol's types for the two largest structures of the protocol
would take a tenth of the start-up time, and would refuse clients for mistakes in parts that nobody reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memlens.lsp.positions import PositionEncoding

SCHEME = "memlens"
"""Of the URIs of virtual documents."""

_SYNC_INCREMENTAL = 2


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """Flat facts about the client. Nothing else in the server reads its capabilities."""

    position_encoding: PositionEncoding = PositionEncoding.UTF16
    hover: bool = False
    hover_markdown: bool = False
    code_lens: bool = False
    code_lens_refresh: bool = False
    inlay_hint: bool = False
    inlay_hint_refresh: bool = False
    text_document_content: bool = False
    workspace_symbol: bool = False
    command_links: bool = False
    """The client opens ``command:memlens.*`` links of a hover, and those alone: it sets
    ``capabilities.experimental.memlens.commandLinks``."""


def client_features(capabilities: Mapping[str, Any]) -> ClientFeatures:
    """Resolve the capabilities that ``initialize`` came with. A part of the wrong shape counts as absent."""
    formats = _at(capabilities, "textDocument", "hover", "contentFormat")
    return ClientFeatures(
        position_encoding=_position_encoding(_at(capabilities, "general", "positionEncodings")),
        hover=_at(capabilities, "textDocument", "hover") is not None,
        # The client's first choice; plain text is what a client that says nothing gets.
        hover_markdown=isinstance(formats, list) and formats[:1] == ["markdown"],
        code_lens=_at(capabilities, "textDocument", "codeLens") is not None,
        code_lens_refresh=_at(capabilities, "workspace", "codeLens", "refreshSupport") is True,
        inlay_hint=_at(capabilities, "textDocument", "inlayHint") is not None,
        inlay_hint_refresh=_at(capabilities, "workspace", "inlayHint", "refreshSupport") is True,
        text_document_content=_at(capabilities, "workspace", "textDocumentContent") is not None,
        workspace_symbol=_at(capabilities, "workspace", "symbol") is not None,
        command_links=_at(capabilities, "experimental", "memlens", "commandLinks") is True,
    )


def server_capabilities(client: ClientFeatures, commands: Sequence[str]) -> dict[str, Any]:
    """Return what to offer: nothing that the client did not say it can use."""
    workspace: dict[str, Any] = {"workspaceFolders": {"supported": True, "changeNotifications": True}}
    if client.text_document_content:
        workspace["textDocumentContent"] = {"schemes": [SCHEME]}
    offered: dict[str, Any] = {
        "positionEncoding": client.position_encoding.value,
        "textDocumentSync": {"openClose": True, "change": _SYNC_INCREMENTAL},
        "executeCommandProvider": {"commands": list(commands), "workDoneProgress": True},
        "workspace": workspace,
    }
    if client.hover:
        offered["hoverProvider"] = True
    if client.code_lens:
        offered["codeLensProvider"] = {"resolveProvider": False}
    if client.inlay_hint:
        offered["inlayHintProvider"] = {"resolveProvider": False}
    if client.workspace_symbol:
        offered["workspaceSymbolProvider"] = True
    return offered


def _position_encoding(offered: object) -> PositionEncoding:
    """Return the first encoding the client offers that we know; UTF-16, which every client has, otherwise."""
    known = {encoding.value: encoding for encoding in PositionEncoding}
    kinds = offered if isinstance(offered, list) else []
    return next((known[kind] for kind in kinds if isinstance(kind, str) and kind in known), PositionEncoding.UTF16)


def _at(value: object, *path: str) -> Any:
    """Return what is at ``path``, None when it is not there."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
