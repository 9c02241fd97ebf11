"""An immutable multimap whose changed copy costs little: what the rules look entries up in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)


class Postings(Generic[K, V]):
    """Maps a key to the values filed under it, in the order of filing."""

    __slots__ = ("_filed",)

    def __init__(self, filed: Mapping[K, tuple[V, ...]]) -> None:
        self._filed = filed

    @classmethod
    def of(cls, pairs: Iterable[tuple[K, V]]) -> Postings[K, V]:
        """File every value under its key."""
        return cls({key: tuple(values) for key, values in _grouped(pairs).items()})

    def get(self, key: K) -> tuple[V, ...]:
        """Return the values filed under ``key``."""
        return self._filed.get(key, ())

    def among(self, keys: Iterable[K]) -> set[K]:
        """Return those of ``keys`` that something is filed under."""
        return self._filed.keys() & set(keys)

    def __bool__(self) -> bool:
        return bool(self._filed)

    def replaced(self, removed: Iterable[tuple[K, V]], added: Iterable[tuple[K, V]]) -> Postings[K, V]:
        """Return a copy without the ``removed`` pairs and with the ``added`` ones; only their keys are rebuilt."""
        filed = dict(self._filed)
        for key, values in _grouped(removed).items():
            gone = set(values)
            kept = tuple(value for value in filed.pop(key, ()) if value not in gone)
            if kept:
                filed[key] = kept
        for key, values in _grouped(added).items():
            filed[key] = (*filed.get(key, ()), *values)
        return Postings(filed)


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    grouped: defaultdict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        grouped[key].append(value)
    return grouped
