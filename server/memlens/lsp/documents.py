"""The open documents, as the client has them (spec 4). The buffer wins over the disk while a document is open."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memlens.anchors.shift import LineEdit
from memlens.lsp.positions import PositionEncoding
from memlens.lsp.text import TextBuffer, TextPosition
from memlens.lsp.uris import document_key, file_path

HARD_SIZE_LIMIT = 50_000_000
"""Code points. A larger document is not kept at all."""

_MAX_EDITS = 10_000
"""Beyond that many edits that nobody asked for, computing anew is cheaper than following them."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Change:
    """One content change; without a range the text is the whole new document."""

    text: str
    start: TextPosition | None = None
    end: TextPosition | None = None


@dataclass(frozen=True, slots=True)
class DocumentSnapshot:
    """One immutable version of a document. ``sequence`` counts the line edits before it."""

    version: int
    sequence: int
    lines: tuple[str, ...]


class Document:
    """One open document. Used on the event loop only; snapshots go to other threads."""

    __slots__ = ("_buffer", "_edits", "_forgotten", "_snapshot", "key", "path", "uri", "version")

    def __init__(self, uri: str, version: int, text: str) -> None:
        self.uri = uri
        self.key = document_key(uri)
        self.path: Path | None = file_path(uri)
        self.version = version
        self._edits: list[LineEdit] = []
        self._forgotten = 0
        self._snapshot: DocumentSnapshot | None = None
        self._buffer = _buffer_for(text)

    @property
    def is_kept(self) -> bool:
        """Whether the text is held; False for a document beyond the hard limit."""
        return self._buffer is not None

    @property
    def size(self) -> int:
        """The length of the text in code points; of one that is not kept, more than any limit."""
        return self._buffer.size if self._buffer else HARD_SIZE_LIMIT + 1

    @property
    def line_count(self) -> int:
        """The number of lines."""
        return self._buffer.line_count if self._buffer else 1

    @property
    def sequence(self) -> int:
        """How many line edits the document has seen since it was opened."""
        return self._forgotten + len(self._edits)

    def line(self, index: int) -> str:
        """Return one line of the current text with its end; past the end, the empty string."""
        return self._buffer.line(index) if self._buffer else ""

    def edits_since(self, sequence: int) -> Sequence[LineEdit] | None:
        """Return the line edits after ``sequence``; None when they are no longer known."""
        return None if sequence < self._forgotten else self._edits[sequence - self._forgotten :]

    def forget_edits(self, sequence: int) -> None:
        """Drop the line edits up to ``sequence``: nobody will ask for them again."""
        count = max(0, sequence - self._forgotten)
        del self._edits[:count]
        self._forgotten += count

    def apply(self, version: int, changes: Sequence[Change], encoding: PositionEncoding) -> None:
        """Bring the document to ``version`` by the changes, each in terms of the text that the last one left."""
        for change in changes:
            self._apply_one(change, encoding)
        self.version = version
        self._snapshot = None
        if len(self._edits) > _MAX_EDITS:
            self.forget_edits(self.sequence)

    def snapshot(self) -> DocumentSnapshot:
        """Return the current version; made once a version, when somebody first asks."""
        if self._snapshot is None:
            lines = self._buffer.snapshot() if self._buffer else ("",)
            self._snapshot = DocumentSnapshot(self.version, self.sequence, lines)
        return self._snapshot

    def _apply_one(self, change: Change, encoding: PositionEncoding) -> None:
        if change.start is None or change.end is None:
            self._replace_all(change.text)
        elif self._buffer is not None:
            self._edits.append(self._buffer.replace(change.start, change.end, change.text, encoding))

    def _replace_all(self, text: str) -> None:
        replacement = _buffer_for(text)
        if self._buffer is not None and replacement is not None:
            self._edits.append(self._buffer.replace_all(text))
            return
        self._edits.append(LineEdit(0, self.line_count, replacement.line_count if replacement else 1))
        self._buffer = replacement


def _buffer_for(text: str) -> TextBuffer | None:
    return TextBuffer(text) if len(text) <= HARD_SIZE_LIMIT else None


class DocumentStore:
    """The open documents by key. Tolerates what clients get wrong, and says so once."""

    def __init__(self) -> None:
        self.encoding = PositionEncoding.UTF16
        self._documents: dict[str, Document] = {}
        self._warned: set[str] = set()

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))

    def get(self, uri: str) -> Document | None:
        """Return the open document, whichever way ``uri`` is spelled."""
        return self._documents.get(document_key(uri))

    def open(self, uri: str, version: int, text: str) -> Document:
        """Open a document; opened a second time, it takes the new text."""
        document = self.get(uri)
        if document is None:
            document = Document(uri, version, text)
            self._documents[document.key] = document
        else:
            self._warn_once("didOpen for a document that is open: its text was replaced.")
            document.uri = uri
            document.apply(version, [Change(text)], self.encoding)
        return document

    def change(self, uri: str, version: int, changes: Sequence[Change]) -> Document | None:
        """Apply changes. An unknown document becomes known with its first whole text; until then None."""
        document = self.get(uri)
        if document is None:
            self._warn_once("didChange for a document that is not open.")
            return self._open_from(uri, version, changes)
        document.apply(version, changes, self.encoding)
        return document

    def close(self, uri: str) -> Document | None:
        """Close a document and return it; None when it was not open."""
        document = self._documents.pop(document_key(uri), None)
        if document is None:
            self._warn_once("didClose for a document that is not open.")
        return document

    def _open_from(self, uri: str, version: int, changes: Sequence[Change]) -> Document | None:
        whole = [index for index, change in enumerate(changes) if change.start is None]
        if not whole:
            return None
        document = Document(uri, version, changes[whole[-1]].text)
        self._documents[document.key] = document
        document.apply(version, changes[whole[-1] + 1 :], self.encoding)
        return document

    def _warn_once(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            _log.warning("%s", message)
