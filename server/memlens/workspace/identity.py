"""Which repository a directory is, so that a memory is found again and never mixed with another's (spec 2.4).

Git's files are read directly, always, instead of asking git. One implementation behaves the same with and without
git installed, under any ``GIT_*`` variables a hook exports, and where git refuses a directory of another owner; it
takes a fraction of a millisecond while the editor waits for us to start; and nothing that the directory's
configuration says can run or hang. The price: ``include``, ``insteadOf``, ``config.worktree`` and the variable
``GIT_DIR`` have no influence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memlens.core.errors import InvalidInputError
from memlens.workspace.files import is_file, real_path
from memlens.workspace.gitconfig import first_value
from memlens.workspace.gitdir import find_layout
from memlens.workspace.remote import normalize_remote, path_key

Basis = Literal["remote", "git-dir", "folder"]


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """The name of a repository and how it was found.

    ``key`` names it in the runtime manifest: ``repo:<remote>``, ``repo:git-dir:<path>`` or ``repo:folder:<path>``;
    the latter two hold on one machine only. ``root`` is the real path of the worktree's top, the bare repository or
    the folder. ``remote`` is the normalised remote, without credentials. ``common_dir`` is the git directory that
    all worktrees share; None without git, and None when the folder merely points at a git directory that does not
    point back, in which case a ``remote`` is no more than a claim.
    """

    key: str
    basis: Basis
    root: Path
    remote: str | None = None
    common_dir: Path | None = None

    @property
    def is_proven(self) -> bool:
        """Whether what names the repository is the folder's own, and not just what its files claim."""
        return self.basis != "remote" or self.common_dir is not None

    @property
    def place(self) -> str:
        """What tells this clone from every other on this machine: its git directory, else its folder."""
        return path_key(self.common_dir or self.root)

    @property
    def local_keys(self) -> tuple[str, ...]:
        """The keys that only this place can have, most exact first: what it is, or was, known by without a remote."""
        folder = f"repo:folder:{path_key(self.root)}"
        return (folder,) if self.common_dir is None else (f"repo:git-dir:{path_key(self.common_dir)}", folder)


def identify(directory: Path) -> RepositoryIdentity:
    """Return the identity of the repository that ``directory`` is in.

    Args:
        directory: A directory, or a file in it; it need not exist. Symbolic links are resolved.

    Raises:
        InvalidInputError: The path cannot name a directory: it holds a NUL, or it is relative and the current
            directory was deleted.
    """
    start = _start(directory)
    layout = find_layout(start)
    if layout is None:
        return _folder(start)
    root = layout.root
    common_dir = layout.common_dir if layout.proven else None
    address = first_value(layout.config, "remote", "origin", "url")
    if address and (remote := normalize_remote(address, root)):
        return RepositoryIdentity(f"repo:{remote}", "remote", root, remote, common_dir)
    if common_dir is None:
        return _folder(root)
    return RepositoryIdentity(f"repo:git-dir:{path_key(common_dir)}", "git-dir", root, None, common_dir)


def _folder(root: Path) -> RepositoryIdentity:
    return RepositoryIdentity(f"repo:folder:{path_key(root)}", "folder", root)


def _start(directory: Path) -> Path:
    try:
        real = real_path(directory)
    except FileNotFoundError as error:
        message = "The current directory no longer exists. Change to one that does, or name one with -C."
        raise InvalidInputError(message) from error
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"Not a usable directory: {str(directory)!r} ({error}).") from error
    return real.parent if is_file(real) else real
