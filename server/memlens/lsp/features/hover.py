"""``textDocument/hover``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memlens.lsp.features.surfaces import Surface, surface_of
from memlens.lsp.uris import root_uri
from memlens.queries.hover import HoverContent, hover
from memlens.queries.hover_text import HoverLinks, hover_markdown, hover_plain

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def text_document_hover(ls: MemLensServer, params: types.HoverParams) -> types.Hover | None:
    """Answer what bears on the line; None, never an empty text, when nothing does."""
    surface = await surface_of(ls, params.text_document.uri)
    if surface is None or not surface.settings.hover.enabled:
        return None
    content = hover(surface.view, params.position.line)
    return None if content is None else types.Hover(_markup(ls, surface, content))


def _markup(ls: MemLensServer, surface: Surface, content: HoverContent) -> types.MarkupContent:
    if not ls.client.hover_markdown:
        return types.MarkupContent(types.MarkupKind.PlainText, hover_plain(content))
    return types.MarkupContent(types.MarkupKind.Markdown, hover_markdown(content, _links(ls, surface)))


def _links(ls: MemLensServer, surface: Surface) -> HoverLinks:
    uri = surface.document.uri
    root = root_uri(uri, surface.view.path) or surface.repository.root.as_uri() + "/"
    return HoverLinks(root, uri, commands=ls.client.command_links)
