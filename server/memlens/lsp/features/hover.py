"""``textDocument/hover``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memlens.lsp.convert import JsonObject, hover_json
from memlens.lsp.features.surfaces import Surface, surface_of
from memlens.lsp.uris import root_uri
from memlens.queries.hover import HoverContent, hover
from memlens.queries.hover_text import HoverLinks, hover_markdown, hover_plain

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def text_document_hover(ls: MemLensServer, params: types.HoverParams) -> JsonObject | None:
    """Answer what bears on the line; None, never an empty text, when nothing does."""
    surface = await surface_of(ls, params.text_document.uri)
    if surface is None or not surface.settings.hover.enabled:
        return None
    content = hover(surface.view, params.position.line)
    return None if content is None else _written(ls, surface, content)


def _written(ls: MemLensServer, surface: Surface, content: HoverContent) -> JsonObject:
    if not ls.client.hover_markdown:
        return hover_json(hover_plain(content), markdown=False)
    return hover_json(hover_markdown(content, _links(ls, surface)), markdown=True)


def _links(ls: MemLensServer, surface: Surface) -> HoverLinks:
    uri = surface.document.uri
    root = root_uri(uri, surface.view.path) or surface.repository.root.as_uri() + "/"
    return HoverLinks(root, uri, commands=ls.client.command_links)
