"""Which files of a repository are ignored: ``.gitignore`` files, ``.git/info/exclude``, and the setting ``exclude``.

Answers for one path without listing anything: it reads the ignore files on the way to it and keeps them until
their time or size changes. What differs from git: which files are tracked is not known here (see tree.py), the
person's global ``core.excludesFile`` is not read, and names are compared with their case.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memlens.core.patterns import IgnoreList, parse_ignore_list
from memlens.workspace.files import read_regular

_MAX_IGNORE_FILE = 128 * 1024
_MAX_CACHED = 10_000

_EMPTY = IgnoreList()

_Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class IgnoreChain:
    """The ignore files that hold in one directory, each with its depth below the root; nearest last."""

    lists: tuple[tuple[int, IgnoreList], ...]

    def is_ignored(self, path: Sequence[str], is_directory: bool) -> bool:
        """Whether the chain ignores this path, given that no directory above it is ignored."""
        for depth, patterns in reversed(self.lists):
            verdict = patterns.verdict(path[depth:], is_directory)
            if verdict is not None:
                return verdict
        return False


class IgnoreRules:
    """The ignore rules of one repository. Safe to use from several threads."""

    def __init__(self, root: Path, *, exclude: Iterable[str] = (), common_dir: Path | None = None) -> None:
        """Read nothing yet.

        Args:
            root: The real path of the repository's top.
            exclude: Patterns of the setting ``exclude``; ``!`` cancels an earlier one of them, never git's.
            common_dir: The git directory whose ``info/exclude`` holds, if there is one.
        """
        self._root = root
        self._exclude = parse_ignore_list(exclude)
        self._info_exclude = common_dir / "info" / "exclude" if common_dir else None
        self._cache: dict[Path, tuple[_Stamp, IgnoreList]] = {}

    def is_ignored(self, path: str, *, is_directory: bool = False) -> bool:
        """Whether a path, relative to the root with ``/``, is ignored. It need not exist."""
        parts = path.split("/")
        chain = self.top()
        for length in range(1, len(parts) + 1):
            prefix = parts[:length]
            if self.is_ignored_below(chain, prefix, is_directory or length < len(parts)):
                return True
            chain = self.enter(chain, prefix)
        return False

    def top(self) -> IgnoreChain:
        """The ignore files that hold at the root."""
        lists = [(0, self._load(self._info_exclude))] if self._info_exclude else []
        return self.enter(IgnoreChain(tuple(lists)), ())

    def enter(self, chain: IgnoreChain, directory: Sequence[str]) -> IgnoreChain:
        """The ignore files that hold in a directory: those above it and its own."""
        own = self._load(self._root.joinpath(*directory, ".gitignore"))
        return chain if own is _EMPTY else IgnoreChain((*chain.lists, (len(directory), own)))

    def is_ignored_below(self, chain: IgnoreChain, path: Sequence[str], is_directory: bool) -> bool:
        """Whether ``path`` itself is ignored by the chain of its directory, by ``exclude``, or as git's own."""
        return (
            path[-1].lower() == ".git"
            or self._exclude.verdict(path, is_directory) is True
            or chain.is_ignored(path, is_directory)
        )

    def is_excluded(self, path: str) -> bool:
        """Whether the setting ``exclude`` alone leaves out this file, or a directory above it."""
        parts = path.split("/")
        return any(
            self._exclude.verdict(parts[:length], length < len(parts)) is True for length in range(1, len(parts) + 1)
        )

    def _load(self, file: Path) -> IgnoreList:
        try:
            found = os.lstat(file)
        except (OSError, ValueError):
            return _EMPTY
        stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
        cached = self._cache.get(file)
        if cached is not None and cached[0] == stamp:
            return cached[1]
        patterns = _read(file)
        if len(self._cache) >= _MAX_CACHED:
            self._cache.clear()
        self._cache[file] = (stamp, patterns)
        return patterns


def _read(file: Path) -> IgnoreList:
    try:
        # Git does not follow a link in place of an ignore file either.
        content = read_regular(file, _MAX_IGNORE_FILE, follow_symlinks=False)
    except OSError:
        return _EMPTY
    lines = content.decode("utf-8-sig", "replace").split("\n")
    return parse_ignore_list(lines)
