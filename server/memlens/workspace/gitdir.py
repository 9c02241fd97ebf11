"""Finding the repository that a directory belongs to, by reading git's files.

A ``.git`` file, a symbolic link or a ``commondir`` file can point at any other repository on the disk. Such a link
is followed, but only *proven* when the other side points back or lies in the folder itself: an unpacked archive must
not pass for a worktree of somebody's project.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memlens.workspace.files import is_directory, is_file, is_inside, read_regular, real_path
from memlens.workspace.gitconfig import first_value

_MAX_LINK = 8 * 1024
_MAX_CONFIG = 1024 * 1024


@dataclass(frozen=True, slots=True)
class GitLayout:
    """The repository around a directory.

    ``root`` is the top of the worktree, or a bare repository itself. ``common_dir`` is what all worktrees share,
    None when ``root`` has a ``.git`` file that leads nowhere. ``proven`` tells whether root and common directory
    belong together on the word of both.
    """

    root: Path
    common_dir: Path | None
    proven: bool
    config: str = ""


def find_layout(start: Path) -> GitLayout | None:
    """Return the repository that the real path ``start`` is in, or None; looks upwards as git does."""
    for directory in (start, *start.parents):
        link = directory / ".git"
        if _is_git_dir(link):
            return _layout(directory, real_path(link))
        if is_file(link):
            target = _link_target(link)
            return _layout(directory, target) if target else GitLayout(directory, None, proven=False)
        if directory.name != ".git" and _is_bare(directory):
            return _layout(directory, directory)
    return None


def _is_bare(directory: Path) -> bool:
    """Whether the directory holds what git needs to take it for a repository (``is_git_directory`` in git)."""
    has_head = os.path.lexists(directory / "HEAD")
    return has_head and all(is_directory(directory / name) for name in ("objects", "refs"))


def _is_git_dir(directory: Path) -> bool:
    return _is_bare(directory) or (is_file(directory / "HEAD") and is_file(directory / "commondir"))


def _link_target(link: Path) -> Path | None:
    """Return the git directory that a ``.git`` file names."""
    text = _read(link, _MAX_LINK)
    prefix = "gitdir:"
    if not text.startswith(prefix):
        return None
    target = _resolved(link.parent, text.removeprefix(prefix))
    return target if target is not None and _is_git_dir(target) else None


def _layout(root: Path, git_dir: Path) -> GitLayout:
    common = git_dir
    if pointer := _read(git_dir / "commondir", _MAX_LINK):
        common = _resolved(git_dir, pointer) or git_dir
    config = _read(common / "config", _MAX_CONFIG)
    return GitLayout(root, common, _is_proven(root, git_dir, common, config), config)


def _is_proven(root: Path, git_dir: Path, common: Path, config: str) -> bool:
    if is_inside(root, common):
        return True
    if git_dir == common:  # a submodule's directory names its worktree
        return _resolved(git_dir, first_value(config, "core", None, "worktree") or "") == root
    if git_dir.parent != common / "worktrees":
        return False
    back = _read(git_dir / "gitdir", _MAX_LINK)
    return _resolved(git_dir, back) == real_path(root / ".git")


def _resolved(base: Path, pointer: str) -> Path | None:
    """Return the real path that a pointer file's text names, counted from ``base``."""
    text = pointer.rstrip("\r\n").strip(" ")
    if not text:
        return None
    try:
        return real_path(base / text)
    except (OSError, ValueError):
        return None


def _read(path: Path, limit: int) -> str:
    """Return a small file's text, file names in it as the system encodes them; empty when it cannot be read."""
    try:
        return os.fsdecode(read_regular(path, limit))
    except OSError:
        return ""
