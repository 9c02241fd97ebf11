"""``textDocument/codeLens``. Lenses come complete: there is nothing to resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memlens.lsp.convert import JsonObject, lens_json
from memlens.lsp.features.surfaces import surface_of
from memlens.queries.code_lens import code_lens

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def text_document_code_lens(ls: MemLensServer, params: types.CodeLensParams) -> list[JsonObject] | None:
    """Answer the lenses of a document."""
    surface = await surface_of(ls, params.text_document.uri)
    if surface is None:
        return None
    switches = surface.settings.code_lens
    lenses = code_lens(surface.view, file=switches.file, lines=switches.lines)
    return [lens_json(lens, surface.document.uri) for lens in lenses]
