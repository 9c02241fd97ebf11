"""From what a caller points at to Sources, and from Sources to places in files (spec 2.1, 2.3)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from memlens.anchors.model import EvidencePlace
from memlens.anchors.paths import pattern_or_none
from memlens.core.canonical import sha256_hex
from memlens.core.clock import utc_now
from memlens.core.errors import EvidenceError
from memlens.core.lines import split_lines, without_line_end
from memlens.core.sources import Source, make_source, source_from_json
from memlens.core.text import normalise_text
from memlens.queries.model import EvidenceCard
from memlens.runtime.api import EvidenceInput
from memlens.workspace.tree import RepositoryFiles

MAX_EXCERPT_BYTES = 8192
MAX_EVIDENCE_FILE = 16_000_000
MAX_LABEL = 200
MAX_LINE = 100_000_000

_FILE_URI = "repo:///"
_LINES = re.compile(r"#L(?P<start>[0-9]{1,7})(?:-L?(?P<end>[0-9]{1,7}))?\Z")


def make_evidence(given: EvidenceInput, files: RepositoryFiles, repository: str | None = None) -> Source:
    """Return the Source that ``given`` stands for. Reads a file, unless the caller passed its text.

    ``repository`` is the key of the repository that a file belongs to, for evidence of a memory that several share.

    Raises EvidenceError when the path leads out of the repository, the file is not there or no text, or the lines
    do not exist.
    """
    if given.source is not None:
        return _checked_document(source_from_json(given.source, utc_now()))
    if given.note is not None:
        return note_source(given.note)
    if given.path is None:
        raise EvidenceError("Evidence is a path of the repository, a note, or a Source object.")
    path = inside(given.path, files)
    text = given.text if given.text is not None else files.read_text(path, MAX_EVIDENCE_FILE)
    if text is None:
        raise EvidenceError(f"{given.path} cannot be evidence: it is no readable text file of this repository.")
    return document_source(path, text, given.start_line, given.end_line, repository)


def _checked_document(source: Source) -> Source:
    """Return an imported Source; a DocumentSource only with the content that :func:`document_source` writes."""
    if source.source_type != "DocumentSource":
        return source
    path, excerpt = source.content.get("path"), source.content.get("excerpt")
    if not isinstance(path, str) or pattern_or_none(path) != path:
        raise EvidenceError("A DocumentSource's path is relative to the repository root and stays inside it.")
    if excerpt is not None and not _is_excerpt(excerpt):
        raise EvidenceError("A DocumentSource's excerpt has text, start_line and end_line, lines counted from 1.")
    return source


def _is_excerpt(value: object) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
        return False
    first, last = value.get("start_line"), value.get("end_line")
    return type(first) is int and type(last) is int and 1 <= first <= last < MAX_LINE


def evidence_input(words: str) -> EvidenceInput:
    """Return the evidence that a person names: ``PATH``, ``PATH#L10`` or ``PATH#L10-L20`` (lines from 1)."""
    found = _LINES.search(words)
    if found is None:
        return EvidenceInput(path=words)
    start = int(found["start"])
    return EvidenceInput(path=words[: found.start()], start_line=start, end_line=int(found["end"] or start))


def inside(path: str, files: RepositoryFiles) -> str:
    """Return ``path`` relative to the repository root. Raises EvidenceError when it leads out of it."""
    relative = files.relative(files.root / path) if path and "\0" not in path else None
    if relative is None:
        raise EvidenceError(f"{path!r} is not inside the repository {files.root}.")
    return relative


def document_source(
    path: str, text: str, start_line: int | None = None, end_line: int | None = None, repository: str | None = None
) -> Source:
    """Return the DocumentSource of a file, or of the 1-based lines ``start_line`` to ``end_line`` of it.

    The hash is of the text with LF line ends, so that a checkout with other line ends is the same document.
    """
    lines = split_lines(text.encode("utf-8", "replace").decode())
    plain = "\n".join(map(without_line_end, lines))
    content: dict[str, Any] = {
        "excerpt": None if start_line is None else _excerpt(path, lines, start_line, end_line or start_line),
        "path": path,
        "text_sha256": hashlib.sha256(plain.encode()).hexdigest(),
        **({"repository": repository} if repository else {}),
    }
    return make_source("DocumentSource", _FILE_URI + quote(path), content, utc_now())


def _excerpt(path: str, lines: list[str], start_line: int, end_line: int) -> dict[str, Any]:
    count = len(lines) - (lines[-1] == "")
    if not 1 <= start_line <= end_line <= count:
        raise EvidenceError(f"{path} has {count} lines, so lines {start_line} to {end_line} cannot be cited.")
    text = "\n".join(without_line_end(line) for line in lines[start_line - 1 : end_line])
    if not text.strip():
        raise EvidenceError(f"Lines {start_line} to {end_line} of {path} are blank: they support nothing.")
    if len(text.encode()) > MAX_EXCERPT_BYTES:
        raise EvidenceError(
            f"Lines {start_line} to {end_line} of {path} are more than {MAX_EXCERPT_BYTES:,} bytes: cite fewer."
        )
    return {"end_line": end_line, "start_line": start_line, "text": text}


def note_source(words: str) -> Source:
    """Return the UserNoteSource of words that a person said. Raises InvalidTextError."""
    text = normalise_text(words, "note")
    return make_source("UserNoteSource", f"note:{sha256_hex(text.encode())[:16]}", {"text": text}, utc_now())


def evidence_place(source: Source, repository: str) -> EvidencePlace | None:
    """Return where in the repository with this key a Source came from, or None when it is no file of it."""
    path = source.content.get("path")
    if source.source_type != "DocumentSource" or not isinstance(path, str):
        return None
    if source.content.get("repository", repository) != repository:
        return None
    excerpt = _stored_excerpt(source)
    if excerpt is None:
        return EvidencePlace(source.source_id, path)
    return EvidencePlace(source.source_id, path, excerpt["text"], excerpt["start_line"])


def evidence_card(source: Source) -> EvidenceCard:
    """Return what is shown of a Source."""
    path = source.content.get("path")
    if source.source_type != "DocumentSource" or not isinstance(path, str):
        words = source.content.get("text") if source.source_type == "UserNoteSource" else None
        label = f"note: {words}" if isinstance(words, str) else source.uri
        return EvidenceCard(source.source_id, source.source_type, label[:MAX_LABEL])
    excerpt = _stored_excerpt(source) or {}
    return EvidenceCard(
        source.source_id, source.source_type, path, path, excerpt.get("start_line"), excerpt.get("end_line")
    )


def _stored_excerpt(source: Source) -> Mapping[str, Any] | None:
    """Return the excerpt of a DocumentSource. Sources are imported too: only the shape that we write is trusted."""
    excerpt: Mapping[str, Any] | None = source.content.get("excerpt")
    return excerpt if _is_excerpt(excerpt) else None
