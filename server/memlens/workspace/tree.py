"""The files of a repository: their names, and the text of one, never outside the root."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from memlens.workspace.files import read_regular, real_path
from memlens.workspace.git import run_git
from memlens.workspace.ignore import IgnoreChain, IgnoreRules

MAX_FILES = 200_000
"""Names that a listing holds at most."""

_MAX_ENTRIES = 100_000
_MAX_LISTING_BYTES = 64 * 1024 * 1024
_LISTING_TIMEOUT = 20.0
_BINARY_PROBE = 8 * 1024
_GITLINK = b"160000"
_TRACKED_SECONDS = 30.0
_MAX_TRACKED = 10_000


class RepositoryFiles:
    """The files below one root. Holds no open files; safe to use from several threads."""

    def __init__(self, root: Path, *, exclude: Iterable[str] = (), common_dir: Path | None = None) -> None:
        """Read nothing yet.

        Args:
            root: The top of the repository; symbolic links in it are resolved.
            exclude: Patterns of the setting ``exclude``, in the syntax of ``.gitignore``.
            common_dir: The repository's git directory (``RepositoryIdentity.common_dir``).
        """
        self.root = real_path(root)
        self._rules = IgnoreRules(self.root, exclude=exclude, common_dir=common_dir)
        self._tracked: dict[str, tuple[float, bool]] = {}

    def listing(self) -> list[str]:
        """Return the files that are tracked, or untracked and not ignored, relative to the root with ``/``.

        Sorted; at most :data:`MAX_FILES`. Left out are files that ``exclude`` names, deleted ones, submodules and
        other repositories inside, and names that are no valid Unicode. Blocks for as long as git or a walk of the
        tree takes: not for the event loop.
        """
        listed = self._listed_by_git()
        paths = self._walk() if listed is None else (p for p in listed if not self._rules.is_excluded(p))
        return sorted(_first(path for path in paths if _is_unicode(path)))

    def is_ignored(self, path: str) -> bool:
        """Whether a file gets nothing because it is ignored, excluded, or git's own. Lists nothing.

        Cheap, but for a file that an ignore rule matches: git is asked whether it tracks it all the same.

        Args:
            path: Relative to the root with ``/``. It need not exist.
        """
        if not self._rules.is_ignored(path):
            return False
        return _is_gits_own(path) or self._rules.is_excluded(path) or not self._is_tracked(path)

    def _is_tracked(self, path: str) -> bool:
        """Whether git tracks the file: then no ignore rule applies to it. The answer holds for half a minute."""
        now = time.monotonic()
        asked, tracked = self._tracked.get(path, (-math.inf, False))
        if now - asked > _TRACKED_SECONDS:
            tracked = run_git(self.root, "ls-files", "--error-unmatch", "--", f":(literal){path}") is not None
            if len(self._tracked) >= _MAX_TRACKED:
                self._tracked.clear()
            self._tracked[path] = (now, tracked)
        return tracked

    def relative(self, path: Path) -> str | None:
        """Return a path relative to the root with ``/``, or None when it is outside, or is the root.

        Symbolic links are resolved, so that every spelling of a file has one answer; case is kept.

        Args:
            path: Absolute, or relative to the root. It need not exist.
        """
        try:
            relative = real_path(self.root / path).relative_to(self.root).as_posix()
        except (OSError, ValueError):
            return None
        return relative if relative != "." and _is_unicode(relative) else None

    def read_text(self, path: str, max_size: int) -> str | None:
        """Return the text of a file of the repository, or None when it has none to show.

        UTF-8, without its byte order mark; invalid bytes become U+FFFD; line ends are kept. None for what is
        binary (a NUL in the first 8 KiB), larger than ``max_size`` bytes, missing, unreadable, not a regular file,
        outside the root once links are followed, or git's own (its configuration may hold passwords).

        Args:
            path: Relative to the root with ``/``.
            max_size: Largest size in bytes that is read.
        """
        inside = self.relative(Path(path))
        if inside is None or _is_gits_own(inside):
            return None
        try:
            content = read_regular(self.root / inside, max_size, follow_symlinks=False)
        except OSError:
            return None
        return None if b"\0" in content[:_BINARY_PROBE] else content.decode("utf-8-sig", "replace")

    def _listed_by_git(self) -> Iterable[str] | None:
        # --work-tree: the repository's own core.worktree could have git list another part of the disk.
        output = run_git(
            self.root,
            "--work-tree=.",
            "ls-files", "-z", "-t", "--stage", "--cached", "--deleted", "--others", "--exclude-standard",
            timeout=_LISTING_TIMEOUT,
            max_output=_MAX_LISTING_BYTES,
        )  # fmt: skip
        return None if output is None else _parse_listing(output)

    def _walk(self) -> Iterator[str]:
        """Yield files as git would list them, without git: not into links, nor into other repositories."""
        pending: list[tuple[tuple[str, ...], IgnoreChain]] = [((), self._rules.top())]
        entries = 0
        while pending:
            directory, chain = pending.pop()
            for entry in _scan(self.root.joinpath(*directory)):
                entries += 1
                if entries > _MAX_ENTRIES:
                    return
                path = (*directory, entry.name)
                kind = _kind(entry)
                if self._rules.is_ignored_below(chain, path, kind == "directory"):
                    continue
                if kind == "file":
                    yield "/".join(path)
                elif kind == "directory" and not os.path.lexists(Path(entry.path, ".git")):
                    pending.append((path, self._rules.enter(chain, path)))


def _parse_listing(output: bytes) -> set[str]:
    """Read records ``tag SP path`` (untracked) or ``tag SP mode SP hash SP stage TAB path`` (tracked)."""
    present: set[str] = set()
    absent: set[str] = set()
    for record in output.split(b"\0"):
        tag, _, rest = record.partition(b" ")
        if tag == b"?":
            present.add(os.fsdecode(rest))
            continue
        details, _, name = rest.partition(b"\t")
        # R: deleted from disk. S: left out of a sparse checkout. A gitlink is a submodule.
        gone = tag in (b"R", b"S") or details.startswith(_GITLINK)
        (absent if gone else present).add(os.fsdecode(name))
    return {path for path in present - absent if _stays_inside(path)}


def _stays_inside(path: str) -> bool:
    """Whether a file inside is named; other repositories inside end in ``/``, and an index may hold anything."""
    return bool(path) and not path.endswith("/") and not path.startswith("/") and ".." not in path.split("/")


def _scan(directory: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        return []  # unreadable, or gone meanwhile


def _kind(entry: os.DirEntry[str]) -> Literal["file", "directory", "other"]:
    """What an entry is in a listing; a link counts as a file, as in git, whatever it leads to."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return "directory"
        return "file" if entry.is_symlink() or entry.is_file(follow_symlinks=False) else "other"
    except OSError:
        return "other"


def _first(paths: Iterable[str]) -> Iterator[str]:
    for count, path in enumerate(paths):
        if count == MAX_FILES:
            return
        yield path


def _is_gits_own(path: str) -> bool:
    return any(name.lower() == ".git" for name in path.split("/"))


def _is_unicode(path: str) -> bool:
    """Whether a name can be stored and sent: bytes that are no UTF-8 reach us as lone surrogates."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
