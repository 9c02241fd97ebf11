"""The manifest: the directory of one Memory Revision, and the authority on every entry's state (spec 1.3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, Literal

import orjson

from memlens.core.errors import IntegrityError

FORMAT = "flat-v1"

EntryState = Literal["active", "inactive"]

LINES_PER_CHUNK = 256
"""How finely a directory is cut: what one changed line costs to write down again."""
_entry_id = attrgetter("entry_id")


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """Which version an entry points at, the hash of that version's content, and whether the entry is active."""

    entry_id: str
    entry_version_id: str
    entry_content_hash: str
    state: EntryState

    @property
    def is_active(self) -> bool:
        """Whether the entry is recalled and shown."""
        return self.state == "active"

    def as_json(self) -> dict[str, str]:
        """Return the object that is hashed, its keys in canonical order."""
        return {
            "entry_content_hash": self.entry_content_hash,
            "entry_id": self.entry_id,
            "entry_version_id": self.entry_version_id,
            "state": self.state,
        }


class _Chunk:
    """Consecutive lines of a directory: shared, with their bytes, by every Revision that changed none of them."""

    def __init__(self, ordered: Sequence[ManifestEntry]) -> None:
        self.lines = {entry.entry_id: entry for entry in ordered}
        self.first = ordered[0].entry_id
        self.active = sum(entry.is_active for entry in ordered)

    @cached_property
    def canonical(self) -> bytes:
        """The canonical bytes of the lines: strings under keys in order, of which orjson makes what JCS demands."""
        return orjson.dumps([entry.as_json() for entry in self.lines.values()])[1:-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Chunk) and self.lines == other.lines

    def __hash__(self) -> int:
        return hash(self.first)


class Manifest:
    """An immutable directory of entries, ordered by the UTF-8 bytes of their identifiers.

    Identifiers are ASCII, so the order of ``str`` is the order of their bytes. It is kept in chunks, so that the next
    Revision's costs what changed, in time and in memory, and not what there is.
    """

    def __init__(self, entries: Iterable[ManifestEntry] = ()) -> None:
        """Build from ``entries`` in any order. Raises IntegrityError when an entry_id stands twice."""
        ordered = sorted(entries, key=_entry_id)
        if any(first.entry_id == second.entry_id for first, second in pairwise(ordered)):
            raise IntegrityError("A manifest names one entry twice.")
        self._chunks = _chunks(ordered)

    @cached_property
    def _firsts(self) -> list[str]:
        return [chunk.first for chunk in self._chunks]

    @cached_property
    def _length(self) -> int:
        return sum(len(chunk.lines) for chunk in self._chunks)

    @cached_property
    def active_count(self) -> int:
        """How many lines are active."""
        return sum(chunk.active for chunk in self._chunks)

    def get(self, entry_id: str) -> ManifestEntry | None:
        """Return the line of ``entry_id``, or None."""
        return self._chunks[self._position(entry_id)].lines.get(entry_id) if self._chunks else None

    def __getitem__(self, entry_id: str) -> ManifestEntry:
        """Return the line of ``entry_id``. Raises KeyError."""
        line = self.get(entry_id)
        if line is None:
            raise KeyError(entry_id)
        return line

    def _position(self, entry_id: str) -> int:
        """Return which chunk holds ``entry_id``, or would."""
        return max(bisect_right(self._firsts, entry_id) - 1, 0)

    def __iter__(self) -> Iterator[ManifestEntry]:
        return chain.from_iterable(chunk.lines.values() for chunk in self._chunks)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        # Equal directories that come from one base are cut alike and share chunks; others are compared line by line.
        return isinstance(other, Manifest) and (self._chunks == other._chunks or list(self) == list(other))

    def __hash__(self) -> int:
        return hash((self._length, *self._firsts[:1]))

    def active(self) -> Iterator[ManifestEntry]:
        """Iterate over the active lines in order."""
        return (entry for entry in self if entry.is_active)

    def with_entries(self, changed: Iterable[ManifestEntry]) -> Manifest:
        """Return the directory with ``changed`` lines replaced or added; it shares all other chunks."""
        if not self._chunks:
            return Manifest({entry.entry_id: entry for entry in changed}.values())
        touched: dict[int, dict[str, ManifestEntry]] = {}
        for entry in changed:
            touched.setdefault(self._position(entry.entry_id), {})[entry.entry_id] = entry
        chunks = list(self._chunks)
        for position in sorted(touched, reverse=True):
            lines = chunks[position].lines | touched[position]
            chunks[position : position + 1] = _chunks(sorted(lines.values(), key=_entry_id))
        after = Manifest()
        after._chunks = chunks
        return after

    @property
    def canonical_parts(self) -> Iterator[bytes]:
        """The canonical bytes of the manifest object, in pieces."""
        yield b'{"entries":['
        for number, chunk in enumerate(self._chunks):
            if number:
                yield b","
            yield chunk.canonical
        yield b'],"format":"' + FORMAT.encode() + b'"}'

    @property
    def canonical(self) -> bytes:
        """The canonical bytes of the manifest object."""
        return b"".join(self.canonical_parts)

    @classmethod
    def from_json(cls, value: Any) -> Manifest:
        """Build from a decoded manifest object. Raises IntegrityError when it is malformed."""
        try:
            if value["format"] != FORMAT:
                raise IntegrityError(f"Unknown manifest format {value['format']!r}: written by a newer MemLens?")
            return cls(map(_entry, value["entries"]))
        except (KeyError, TypeError) as error:
            raise IntegrityError("A stored manifest is malformed.") from error


def _chunks(ordered: Sequence[ManifestEntry]) -> list[_Chunk]:
    """Cut lines into chunks; a run that grew beyond twice the size splits."""
    if 0 < len(ordered) <= 2 * LINES_PER_CHUNK:
        return [_Chunk(ordered)]
    return [_Chunk(ordered[start : start + LINES_PER_CHUNK]) for start in range(0, len(ordered), LINES_PER_CHUNK)]


def _entry(line: Any) -> ManifestEntry:
    state: Any = check_string(line["state"])
    return ManifestEntry(
        check_string(line["entry_id"]),
        check_string(line["entry_version_id"]),
        check_string(line["entry_content_hash"]),
        state,
    )


def check_string(value: Any) -> str:
    """Return ``value``, a member of stored JSON that may be damaged. Raises TypeError unless it is a string."""
    if type(value) is not str:
        raise TypeError(f"a string was expected, not {type(value).__name__}")
    return value
