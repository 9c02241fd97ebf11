"""Plain values of ``memlens.queries`` as the JSON of the protocol.

Written as JSON at once: fifty hints built as lsprotocol's types, then unstructured, take longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memlens.core.refs import EntryCitation
from memlens.lsp.documents import Document
from memlens.lsp.positions import PositionEncoding, from_column, line_length
from memlens.queries.code_lens import Lens
from memlens.queries.inlay_hint import Hint

JsonObject = dict[str, Any]


def lens_json(lens: Lens, uri: str) -> JsonObject:
    """Return the ``CodeLens`` at the start of its line."""
    place = {"line": lens.line, "character": 0}
    return {"range": {"start": place, "end": place}, "command": _expand(lens.title, lens.citations, uri)}


def hint_json(hint: Hint, document: Document, encoding: PositionEncoding) -> JsonObject:
    """Return the ``InlayHint`` at the end of its line in ``document`` as it is now."""
    line = document.line(hint.line)
    command = _expand("Show details", hint.citations, document.uri)
    return {
        "position": {"line": hint.line, "character": from_column(line, line_length(line), encoding)},
        "label": [{"value": hint.label, "tooltip": hint.tooltip, "command": command}],
        "paddingLeft": True,
    }


def hover_json(text: str, *, markdown: bool) -> JsonObject:
    """Return the ``Hover`` that shows ``text``."""
    return {"contents": {"kind": "markdown" if markdown else "plaintext", "value": text}}


def _expand(title: str, citations: Sequence[EntryCitation], uri: str) -> JsonObject:
    argument = {"citations": [citation.as_json() for citation in citations], "uri": uri}
    return {"title": title, "command": "memlens.expand", "arguments": [argument]}
