"""From a path to the targets that match it, without looking at every target (spec 5.2).

A pattern is filed under the one key that any path it matches must ask for: the path itself, a directory above it, a
segment's name, a segment's suffix, or, for what remains, the directory in front of its first wildcard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from memlens.anchors.applicability import EffectiveTarget
from memlens.anchors.globs import expand_braces, glob_matches, has_magic, literal_directory
from memlens.anchors.model import Rule
from memlens.anchors.paths import parents, pattern_or_none
from memlens.anchors.postings import Postings


class _Kind(IntEnum):
    PATH = 0
    """A literal path: the file, or everything below the directory."""
    BELOW = 1
    """A literal directory: only what is below it."""
    NAME = 2
    """``**/name``: a segment of exactly that name."""
    SUFFIX = 3
    """``*.ext``: a segment that ends so."""
    GLOB = 4
    """Any other glob, by the directory in front of its first wildcard; the only kind that needs matching."""


_Key = tuple[_Kind, str]


@dataclass(frozen=True, slots=True)
class _Filed:
    pattern: str
    target: EffectiveTarget


@dataclass(frozen=True, slots=True)
class PathIndex:
    """An immutable index of path and glob targets."""

    postings: Postings[_Key, _Filed]

    @classmethod
    def of(cls, targets: Iterable[EffectiveTarget]) -> PathIndex:
        """Index the targets; those that could leave the repository are left out."""
        return cls(Postings.of(_pairs(targets)))

    def matching(self, path: str) -> list[EffectiveTarget]:
        """Return the targets that match the file at ``path``, each once, in no particular order."""
        if not self.postings:
            return []
        found: dict[EffectiveTarget, None] = {}
        known: dict[str, bool] = {}
        for key in _keys_to_ask(path):
            for filed in self.postings.get(key):
                if key[0] is not _Kind.GLOB or _matches(filed.pattern, path, known):
                    found[filed.target] = None
        return list(found)

    def replaced(self, removed: Iterable[EffectiveTarget], added: Iterable[EffectiveTarget]) -> PathIndex:
        """Return an index without the ``removed`` targets and with the ``added`` ones."""
        return PathIndex(self.postings.replaced(_pairs(removed), _pairs(added)))


def _matches(glob: str, path: str, known: dict[str, bool]) -> bool:
    # Many entries share one glob: match it once a path.
    if glob not in known:
        known[glob] = glob_matches(glob, path)
    return known[glob]


def _keys_to_ask(path: str) -> Iterator[_Key]:
    above = parents(path)
    yield (_Kind.PATH, path)
    yield (_Kind.GLOB, "")
    for directory in above:
        yield (_Kind.PATH, directory)
        yield (_Kind.BELOW, directory)
        yield (_Kind.GLOB, directory + "/")
    for segment in path.split("/"):
        yield (_Kind.NAME, segment)
        dot = segment.find(".")
        while dot >= 0:
            yield (_Kind.SUFFIX, segment[dot:])
            dot = segment.find(".", dot + 1)


def _pairs(targets: Iterable[EffectiveTarget]) -> Iterator[tuple[_Key, _Filed]]:
    for target in targets:
        pattern = pattern_or_none(target.target.value)
        if pattern is None:
            continue
        for key, single in _keys(pattern, literal=target.target.rule is Rule.PATH):
            yield key, _Filed(single, target)


def _keys(pattern: str, *, literal: bool) -> Iterator[tuple[_Key, str]]:
    # A stated `app/[id]/page.tsx` may be a file of that very name as well as a glob.
    if literal or "[" in pattern or not has_magic(pattern):
        yield _literal_key(pattern), pattern
    if literal or not has_magic(pattern):
        return
    for single in expand_braces(pattern):
        yield (_glob_key(single) if has_magic(single) else _literal_key(single)), single


def _literal_key(pattern: str) -> _Key:
    return (_Kind.BELOW, pattern[:-1]) if pattern.endswith("/") else (_Kind.PATH, pattern)


def _glob_key(glob: str) -> _Key:
    name = glob.removeprefix("**/")
    if "/" in name:
        return (_Kind.GLOB, literal_directory(glob))
    if not has_magic(name):
        return (_Kind.NAME, name)
    if name.startswith("*.") and not has_magic(name[1:]):
        return (_Kind.SUFFIX, name[1:])
    return (_Kind.GLOB, "")
