"""What proposing an applicability needs to know of a repository: which paths exist, never what is in them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Protocol

from memlens.anchors.globs import expand_braces, glob_matches, literal_directory
from memlens.anchors.paths import parents

MAX_MATCHES = 1000


class FileTree(Protocol):
    """The files of a repository. Paths are relative to its root, with ``/``."""

    def is_file(self, path: str) -> bool:
        """Return whether ``path`` is a file."""
        ...

    def is_dir(self, path: str) -> bool:
        """Return whether ``path``, without a trailing ``/``, is a directory that holds a file."""
        ...

    def named(self, basename: str) -> Sequence[str]:
        """Return the paths whose last segment is ``basename``; those of directories end with ``/``."""
        ...

    def matches(self, glob: str) -> Sequence[str]:
        """Return files that the glob matches, at most a bounded number of them."""
        ...


class ListedTree:
    """A tree made from a list of file paths; 50,000 of them cost well under a second, once."""

    __slots__ = ("_directories", "_files", "_named", "_sorted")

    def __init__(self, paths: Iterable[str]) -> None:
        self._files = frozenset(paths)
        self._sorted = sorted(self._files)
        self._directories: set[str] = set()
        self._named: dict[str, list[str]] = {}
        for path in self._sorted:
            self._named.setdefault(path.rpartition("/")[2], []).append(path)
            self._add_directories(path)

    def _add_directories(self, path: str) -> None:
        directory = path.rpartition("/")[0]
        if not directory or directory in self._directories:
            return
        for parent in (*parents(directory), directory):
            if parent not in self._directories:
                self._directories.add(parent)
                self._named.setdefault(parent.rpartition("/")[2], []).append(parent + "/")

    def is_file(self, path: str) -> bool:
        """Return whether ``path`` is one of the listed files."""
        return path in self._files

    def is_dir(self, path: str) -> bool:
        """Return whether a listed file is below ``path``."""
        return path in self._directories

    def named(self, basename: str) -> Sequence[str]:
        """Return the files and directories (with a trailing ``/``) of that name."""
        return tuple(self._named.get(basename, ()))

    def matches(self, glob: str) -> Sequence[str]:
        """Return at most :data:`MAX_MATCHES` listed files that the glob matches, in order of path."""
        found = (path for single in expand_braces(glob) for path in self._matching(single))
        return tuple(dict.fromkeys(islice(found, MAX_MATCHES)))

    def _matching(self, glob: str) -> Iterable[str]:
        directory = literal_directory(glob)
        for path in islice(self._sorted, bisect_left(self._sorted, directory), None):
            if not path.startswith(directory):
                return
            if glob_matches(glob, path):
                yield path
