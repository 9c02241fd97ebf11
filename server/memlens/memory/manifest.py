"""The manifest: the directory of one Memory Revision, and the authority on every entry's state (spec 1.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

from memlens.core.canonical import canonical_bytes
from memlens.core.errors import IntegrityError

FORMAT = "flat-v1"

EntryState = Literal["active", "inactive"]


@dataclass(frozen=True)
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

    @cached_property
    def canonical(self) -> bytes:
        """The canonical bytes of this line of the directory; unchanged lines keep theirs from Revision to Revision."""
        return canonical_bytes(
            {
                "entry_content_hash": self.entry_content_hash,
                "entry_id": self.entry_id,
                "entry_version_id": self.entry_version_id,
                "state": self.state,
            }
        )


class Manifest:
    """An immutable directory of entries, ordered by the UTF-8 bytes of their identifiers.

    Identifiers are ASCII, so the order of ``str`` is the order of their bytes.
    """

    def __init__(self, entries: Iterable[ManifestEntry] = ()) -> None:
        """Build from ``entries`` in any order. Raises IntegrityError when an entry_id stands twice."""
        listed = list(entries)
        self._entries = {entry.entry_id: entry for entry in listed}
        if len(self._entries) != len(listed):
            raise IntegrityError("A manifest names one entry twice.")

    @cached_property
    def _order(self) -> list[str]:
        return sorted(self._entries)

    def get(self, entry_id: str) -> ManifestEntry | None:
        """Return the line of ``entry_id``, or None."""
        return self._entries.get(entry_id)

    @property
    def by_id(self) -> Mapping[str, ManifestEntry]:
        """All lines by entry_id."""
        return MappingProxyType(self._entries)

    def __iter__(self) -> Iterator[ManifestEntry]:
        return map(self._entries.__getitem__, self._order)

    def __len__(self) -> int:
        return len(self._order)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifest) and self._entries == other._entries

    def __hash__(self) -> int:
        return hash(tuple(self))

    def active(self) -> Iterator[ManifestEntry]:
        """Iterate over the active lines in order."""
        return (entry for entry in self if entry.is_active)

    def with_entries(self, changed: Iterable[ManifestEntry]) -> Manifest:
        """Return the directory with ``changed`` lines replaced or added; it shares all the others."""
        return Manifest({**self._entries, **{entry.entry_id: entry for entry in changed}}.values())

    @cached_property
    def canonical(self) -> bytes:
        """The canonical bytes of the manifest object."""
        lines = b",".join([self._entries[entry_id].canonical for entry_id in self._order])
        return b'{"entries":[' + lines + b'],"format":"' + FORMAT.encode() + b'"}'

    @classmethod
    def from_json(cls, value: Any) -> Manifest:
        """Build from a decoded manifest object. Raises IntegrityError when it is malformed."""
        try:
            if value["format"] != FORMAT:
                raise IntegrityError(f"Unknown manifest format {value['format']!r}: written by a newer MemLens?")
            return cls(map(_entry, value["entries"]))
        except (KeyError, TypeError) as error:
            raise IntegrityError("A stored manifest is malformed.") from error


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
