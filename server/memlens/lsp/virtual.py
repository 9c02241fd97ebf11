"""Read-only documents that are no files: their URIs, and the way from a URI to the text (spec 2.2).

A URI may come back from a client with its query encoded as a whole (``root%3Dfile%3A...``): decoded once, both
spellings are the same.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from memlens.core.errors import ArtifactNotFoundError, InvalidInputError
from memlens.core.refs import ArtifactRef
from memlens.lsp.capabilities import SCHEME
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.uris import file_path

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import DocumentsPort
    from memlens.lsp.server import MemLensServer

_URI = re.compile(rf"{SCHEME}:(?://)?/(?P<path>[^?#]+)\.md\?(?P<query>[^#]+)", re.IGNORECASE)
_ENTRY = re.compile(r"entry/(?P<entry>[\x21-\x2e\x30-\x7e]{1,128})")
_REVISION = re.compile(r"revision/(?P<artifact>[\x21-\x2e\x30-\x7e]{1,128})@(?P<revision>[1-9][0-9]{0,17})")
_ROOT = "root="

Read = Callable[["DocumentsPort"], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class VirtualDocument:
    """What a URI names: ``root`` is the URI of a folder in the repository, ``read`` writes the document down."""

    root: str
    read: Read


def entry_uri(entry_id: str, root: str) -> str:
    """Return the URI of the document about one entry; ``root`` is the URI of its repository's root."""
    return f"{SCHEME}:/entry/{quote(entry_id, safe='')}.md?{_ROOT}{quote(root, safe='')}"


def virtual_document(uri: str) -> VirtualDocument:
    """Return what ``uri`` names. Raises InvalidArguments when it is the URI of no document."""
    found = _URI.fullmatch(uri)
    read = _read(_decoded(found["path"])) if found else None
    query = _decoded(found["query"]) if found else ""
    root = query.removeprefix(_ROOT)
    if read is None or not query.startswith(_ROOT) or file_path(root) is None:
        raise InvalidArguments(
            "No document has this URI: memlens:/overview.md, /changes.md, /entry/ENTRY.md and "
            "/revision/ARTIFACT@REVISION.md do, each with ?root= and the encoded file URI of the repository."
        )
    return VirtualDocument(root, read)


async def document_text(ls: MemLensServer, uri: str) -> str:
    """Return the text of a document.

    Raises InvalidArguments for a URI that names nothing, also an entry or Revision that does not exist, and the
    MemLensError that keeps the memory from being read.
    """
    wanted = virtual_document(uri)
    try:
        repository = await ls.memory.for_command(None, wanted.root)
        return await wanted.read(repository.documents)
    except (InvalidInputError, ArtifactNotFoundError) as error:
        raise InvalidArguments(str(error)) from error


def _read(path: str) -> Read | None:
    if path == "overview":
        return lambda documents: documents.overview_markdown()
    if path == "changes":
        return lambda documents: documents.changes_markdown()
    if found := _ENTRY.fullmatch(path):
        entry_id = found["entry"]
        return lambda documents: documents.entry_markdown(entry_id)
    if found := _REVISION.fullmatch(path):
        ref = ArtifactRef(found["artifact"], int(found["revision"]))
        return lambda documents: documents.revision_markdown(ref)
    return None


def _decoded(text: str) -> str:
    """Decode once; bytes that are no UTF-8 become what no path or root of ours holds."""
    return unquote(text, errors="replace")
