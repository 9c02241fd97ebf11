"""``workspace/symbol``: searches the memory, for queries that begin with ``mem `` alone (spec 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lsprotocol import types

from memlens.anchors.evidence import ComparableText
from memlens.anchors.model import EvidencePlace
from memlens.core.lines import split_lines
from memlens.lsp.convert import JsonObject
from memlens.lsp.text import without_surrogates
from memlens.lsp.uris import file_path
from memlens.lsp.virtual import entry_uri
from memlens.queries.kinds import kind_label
from memlens.queries.visible import flatten

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort
    from memlens.lsp.server import MemLensServer

PREFIX = "mem "
MAX_SYMBOLS = 20
MAX_NAME = 200


async def workspace_symbol(ls: MemLensServer, params: types.WorkspaceSymbolParams) -> list[JsonObject]:
    """Answer the entries that match; nothing, at once, for everybody else's queries."""
    words = without_surrogates(params.query[len(PREFIX) :]).strip()
    if not params.query.startswith(PREFIX) or not words:
        return []
    found: dict[str, JsonObject] = {}
    for repository in await ls.memory.open_repositories():
        root = _root_uri(ls, repository)
        hits = (await repository.search(words, "auto", MAX_SYMBOLS))["hits"]
        for hit in hits:
            # One's own entries are found in every repository: once is enough.
            if hit["entry_id"] not in found:
                found[hit["entry_id"]] = await ls.memory.in_background(partial(_symbol, repository, root, hit))
    return list(found.values())


def _root_uri(ls: MemLensServer, repository: RepositoryPort) -> str:
    """Return the URI of the repository's root, as the client spells it where it is a workspace folder."""
    spelled = (uri.rstrip("/") for uri in ls.memory.folders if file_path(uri.rstrip("/")) == repository.root)
    return next(spelled, repository.root.as_uri())


def _symbol(repository: RepositoryPort, root: str, hit: Mapping[str, Any]) -> JsonObject:
    """Return the symbol of a hit. Reads files of evidence: not for the event loop.

    Its name begins with the prefix, because clients drop symbols whose names do not match what was typed.
    """
    uri, line = _location(repository, root, hit["entry_id"])
    place = {"line": line, "character": 0}
    return {
        "name": (PREFIX + flatten(hit["text"]))[:MAX_NAME],
        "kind": types.SymbolKind.String.value,
        "containerName": kind_label(hit["kind"]),
        "location": {"uri": uri, "range": {"start": place, "end": place}},
    }


def _location(repository: RepositoryPort, root: str, entry_id: str) -> tuple[str, int]:
    """Return the first evidence that is a file of the repository still, else the document about the entry."""
    entry = repository.snapshot().index.entries.get(entry_id)
    for place in entry.evidence if entry else ():
        text = repository.read_text(place.path)
        if text is not None:
            return f"{root}/{quote(place.path)}", _line(place, text)
    return entry_uri(entry_id, root), 0


def _line(place: EvidencePlace, text: str) -> int:
    if place.excerpt is None:
        return 0
    first = max(0, (place.start_line or 1) - 1)
    found = ComparableText(split_lines(text)).find(place.excerpt, first)
    return 0 if found is None else found[0]
