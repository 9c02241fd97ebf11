"""Evidence as an editor names it: a selection, files, lines, a note. Open documents count as they are, unsaved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memlens.core.errors import EvidenceError
from memlens.lsp.commands.arguments import EvidenceArgument, EvidencedArguments, RangeArgument
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.uris import file_path
from memlens.runtime.api import EvidenceInput

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort
    from memlens.lsp.server import MemLensServer


async def evidence_of(
    ls: MemLensServer, repository: RepositoryPort, arguments: EvidencedArguments
) -> tuple[EvidenceInput, ...]:
    """Return the evidence of a write: the selection, what is named, the note.

    Raises:
        InvalidArguments: there is a range without a document.
        EvidenceError: the document is not a file of the repository.
    """
    named = [_named(ls, repository, evidence) for evidence in arguments.evidence]
    if arguments.note is not None:
        named.append(EvidenceInput(note=arguments.note))
    if arguments.range is None:
        return tuple(named)
    if arguments.uri is None:
        raise InvalidArguments("A range needs `uri`: the document that it is a range of.")
    return (await _selected(ls, repository, arguments.uri, arguments.range), *named)


async def _selected(ls: MemLensServer, repository: RepositoryPort, uri: str, selection: RangeArgument) -> EvidenceInput:
    path = file_path(uri)
    relative = await ls.memory.in_background(lambda: None if path is None else repository.relative(path))
    if relative is None:
        raise EvidenceError("The selection is not in a file of the repository: save the document there first.")
    first, last = _lines(selection)
    document = ls.documents.get(uri)
    if document is None or not document.is_kept:
        return EvidenceInput(path=relative, start_line=first, end_line=last)
    lines = document.snapshot().lines
    end = min(last, len(lines))
    return EvidenceInput(path=relative, start_line=min(first, end), end_line=end, text="".join(lines))


def _lines(selection: RangeArgument) -> tuple[int, int]:
    """Return the first and last line, from 1, that hold selected text: an end at column 0 adds no line."""
    first, last = sorted((selection.start, selection.end), key=lambda place: (place.line, place.character))
    ends_before = last.character == 0 and last.line > first.line
    return first.line + 1, last.line + 1 - ends_before


def _named(ls: MemLensServer, repository: RepositoryPort, evidence: str | EvidenceArgument) -> EvidenceInput:
    named = EvidenceArgument(path=evidence) if isinstance(evidence, str) else evidence
    return EvidenceInput(
        path=named.path,
        start_line=named.start_line,
        end_line=named.end_line,
        text=_open_text(ls, repository, named.path),
    )


def _open_text(ls: MemLensServer, repository: RepositoryPort, path: str) -> str | None:
    """Return the text of a file that is open in the editor; None leaves reading, and judging the path, to others."""
    document = ls.documents.get((repository.root / path).as_uri()) if "\0" not in path else None
    return "".join(document.snapshot().lines) if document is not None and document.is_kept else None
