"""Plain values of ``memlens.queries`` as types of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from memlens.core.refs import EntryCitation
from memlens.lsp.documents import Document
from memlens.lsp.positions import PositionEncoding, from_column, line_length
from memlens.queries.citations import citation_json
from memlens.queries.code_lens import Lens
from memlens.queries.inlay_hint import Hint


def lens_of(lens: Lens, document: Document) -> types.CodeLens:
    """Return ``lens`` at the start of its line."""
    place = types.Position(lens.line, 0)
    return types.CodeLens(types.Range(place, place), command=_expand(lens.title, lens.citations, document.uri))


def hint_of(hint: Hint, document: Document, encoding: PositionEncoding) -> types.InlayHint:
    """Return ``hint`` at the end of its line in ``document`` as it is now."""
    line = document.line(hint.line)
    position = types.Position(hint.line, from_column(line, line_length(line), encoding))
    part = types.InlayHintLabelPart(
        hint.label, tooltip=hint.tooltip, command=_expand("Show details", hint.citations, document.uri)
    )
    return types.InlayHint(position, [part], padding_left=True)


def _expand(title: str, citations: Sequence[EntryCitation], uri: str) -> types.Command:
    argument: dict[str, Any] = {"citations": [citation_json(citation) for citation in citations], "uri": uri}
    return types.Command(title=title, command="memlens.expand", arguments=[argument])
