"""A file with its anchors, as ``memlens show --json`` has it; what is open in the editor counts as it is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memlens.core.errors import InvalidInputError
from memlens.core.lines import split_lines
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.uris import file_path
from memlens.queries.model import FileView
from memlens.queries.show import show
from memlens.queries.view import view_file

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort
    from memlens.lsp.server import MemLensServer


async def shown_file(ls: MemLensServer, uri: str) -> Mapping[str, Any]:
    """Return the anchors of a file; none for one that nothing is shown on.

    Raises InvalidArguments for what is no file, InvalidInputError for a file outside of the repository.
    """
    path = Path(uri) if Path(uri).is_absolute() else file_path(uri)
    if path is None:
        raise InvalidArguments("`uri` must name a file on this machine.")
    repository = await ls.memory.for_command(uri, None)
    document = await ls.find_document(uri)
    located = await ls.anchors.view(document) if document is not None and document.path is not None else None
    if located is not None:
        return show(located.view)
    is_open = document is not None
    return show(await ls.memory.in_background(lambda: _view(repository, path, is_open=is_open)))


def _view(repository: RepositoryPort, path: Path, *, is_open: bool) -> FileView:
    """Return the view of a file on disk; an open one got its view from the editor's text if it is to have one."""
    relative = repository.relative(path)
    if relative is None:
        raise InvalidInputError(f"{path} is not inside the repository {repository.root}.")
    text = repository.read_text(relative) if not is_open and repository.is_shown(relative) else None
    if text is None:
        return FileView(relative, 0, (), {})
    return view_file(repository.snapshot(), relative, split_lines(text))
