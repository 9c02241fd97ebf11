"""What hover, lenses and hints have in common: the view of the document that a request names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memlens.core.errors import InvalidInputError, MemLensError
from memlens.lsp.documents import Document
from memlens.queries.model import FileView

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort, SurfaceSettings
    from memlens.lsp.server import MemLensServer


@dataclass(frozen=True, slots=True)
class Surface:
    """All that an answer about one document needs, taken on the event loop."""

    document: Document
    view: FileView
    repository: RepositoryPort
    settings: SurfaceSettings


async def surface_of(ls: MemLensServer, uri: str) -> Surface | None:
    """Return the surface of an open file; None for everything that nothing can be shown on.

    While the memory cannot be read this is None too, and the cause is told once: a person asked for none of these
    answers, so none of them may fail aloud.
    """
    document = await ls.find_document(uri)
    if document is None or document.path is None:
        return None
    try:
        located = await ls.anchors.view(document)
    except InvalidInputError:
        # The folder of the document cannot be looked at: no fault of the memory.
        return None
    except MemLensError as error:
        ls.tell_once(error)
        return None
    if located is None:
        return None
    return Surface(document, located.view, located.repository, located.repository.settings)
