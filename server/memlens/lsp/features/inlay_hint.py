"""``textDocument/inlayHint``. Hints come complete: there is nothing to resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memlens.lsp.convert import JsonObject, hint_json
from memlens.lsp.features.surfaces import surface_of
from memlens.queries.inlay_hint import inlay_hints

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer


async def text_document_inlay_hint(ls: MemLensServer, params: types.InlayHintParams) -> list[JsonObject] | None:
    """Answer the hints on the lines of the range."""
    surface = await surface_of(ls, params.text_document.uri)
    if surface is None or not surface.settings.inlay_hint.enabled:
        return None
    hints = inlay_hints(surface.view, params.range.start.line, _last_line(params.range))
    encoding = ls.client.position_encoding
    return [hint_json(hint, surface.document, encoding) for hint in hints]


def _last_line(wanted: types.Range) -> int:
    """Return the last line that the range reaches into: an end at column 0 is the end of the line before."""
    ends_before = wanted.end.character == 0 and wanted.end.line > wanted.start.line
    return wanted.end.line - ends_before
