"""What the client can do, resolved once at ``initialize``, and what the server offers it (spec 3.2, invariant 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from memlens.lsp.positions import PositionEncoding


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
    command_links: bool = False
    """The client opens ``command:memlens.*`` links of a hover, and those alone: it sets
    ``capabilities.experimental.memlens.commandLinks``."""


def client_features(capabilities: types.ClientCapabilities) -> ClientFeatures:
    """Resolve the capabilities that ``initialize`` came with."""
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
    return ClientFeatures(
        position_encoding=_position_encoding(capabilities.general),
        hover=text.hover is not None,
        hover_markdown=_prefers_markdown(text.hover),
        code_lens=text.code_lens is not None,
        code_lens_refresh=bool(workspace.code_lens and workspace.code_lens.refresh_support),
        inlay_hint=text.inlay_hint is not None,
        inlay_hint_refresh=bool(workspace.inlay_hint and workspace.inlay_hint.refresh_support),
        command_links=_experimental(capabilities.experimental).get("commandLinks") is True,
    )


def server_capabilities(client: ClientFeatures, commands: Sequence[str]) -> types.ServerCapabilities:
    """Return what to offer: nothing that the client did not say it can use."""
    return types.ServerCapabilities(
        position_encoding=types.PositionEncodingKind(client.position_encoding.value),
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True, change=types.TextDocumentSyncKind.Incremental
        ),
        hover_provider=True if client.hover else None,
        code_lens_provider=types.CodeLensOptions() if client.code_lens else None,
        inlay_hint_provider=types.InlayHintOptions() if client.inlay_hint else None,
        execute_command_provider=types.ExecuteCommandOptions(commands=list(commands)),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True)
        ),
    )


def _position_encoding(general: types.GeneralClientCapabilities | None) -> PositionEncoding:
    """Return the first encoding the client offers that we know; UTF-16, which every client has, otherwise."""
    known = {encoding.value: encoding for encoding in PositionEncoding}
    offered = (general.position_encodings if general else None) or ()
    return next((known[str(kind)] for kind in _values(offered) if kind in known), PositionEncoding.UTF16)


def _values(kinds: Sequence[types.PositionEncodingKind | str]) -> list[str]:
    return [kind.value if isinstance(kind, types.PositionEncodingKind) else kind for kind in kinds]


def _prefers_markdown(hover: types.HoverClientCapabilities | None) -> bool:
    """Whether the client names Markdown first; plain text is what a client that says nothing gets."""
    formats = (hover.content_format if hover else None) or ()
    return bool(formats) and formats[0] == types.MarkupKind.Markdown


def _experimental(experimental: object) -> Mapping[str, Any]:
    section = experimental.get("memlens") if isinstance(experimental, Mapping) else None
    return section if isinstance(section, Mapping) else {}
