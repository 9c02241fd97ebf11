"""Where MemLens keeps its own files (spec 2.5)."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memlens.core.errors import HomeError

_WAY_OUT = "Make it writable, or set MEMLENS_HOME to a directory that is."

_CAUSES = {
    errno.EACCES: "you have no permission to write there",
    errno.EPERM: "you have no permission to write there",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "no space is left on the device",
    errno.EDQUOT: "your disk quota is used up",
    errno.EEXIST: "a file of that name is in the way",
    errno.ENOTDIR: "a file is in the way, where a directory is needed",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "symbolic links form a loop",
}


@dataclass(frozen=True, slots=True)
class Home:
    """The directories of MemLens' own files. All absolute; none need exist before :meth:`prepare`."""

    data: Path
    config: Path
    state: Path
    cache: Path

    @property
    def database(self) -> Path:
        """The database that is used unless settings name another."""
        return self.data / "memlens.db"

    @property
    def user_settings(self) -> Path:
        """The person's own settings file, TOML; it need not exist."""
        return self.config / "settings.toml"

    def prepare(self) -> None:
        """Create what is missing, readable by this user alone, and check that it can be written.

        Called before the first write only: commands that read must work without. The configuration directory may
        be read-only (some people keep theirs under management), since nothing but the person writes there.

        Raises:
            HomeError: A directory cannot be created or written; the message names cause and way out.
        """
        _create(self.config)
        for directory in (self.data, self.state, self.cache):
            _create(directory)
            _check_writable(directory)

    def problems(self) -> list[str]:
        """Say of each directory that cannot be used why, with the way out. Creates nothing that stays."""
        found = []
        for directory in (self.data, self.state, self.cache):
            nearest = next(path for path in (directory, *directory.parents) if os.path.lexists(path))
            try:
                _check_writable(nearest)
            except HomeError as error:
                found.append(str(error))
        return found


def locate_home(environ: Mapping[str, str]) -> Home:
    """Return where MemLens' files belong, without creating or reading anything.

    Args:
        environ: The environment. ``MEMLENS_HOME`` moves everything below that directory; a relative one counts
            from the current directory, ``~`` is the user's home. Otherwise the system's conventions hold
            (``XDG_*`` on Linux, ``Library`` on macOS, ``AppData`` on Windows).

    Raises:
        HomeError: There is no home directory to put them in.
    """
    override = environ.get("MEMLENS_HOME", "")
    home = _below(override) if override else _by_convention()
    if not home.data.is_absolute():
        raise HomeError("Cannot tell where your home directory is. Set HOME, or set MEMLENS_HOME.")
    return home


def _below(override: str) -> Home:
    try:
        top = Path(override).expanduser().absolute()
        os.fspath(top).encode()
        top.exists()
    except (OSError, RuntimeError, UnicodeEncodeError) as error:
        raise HomeError(f"Cannot use MEMLENS_HOME={override!r}: {error}. Set it to an absolute path.") from error
    return Home(data=top / "data", config=top / "config", state=top / "state", cache=top / "cache")


def _by_convention() -> Home:
    # Imported here because it is slow to load and not needed when MEMLENS_HOME is set.
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("memlens", appauthor=False)
    return Home(
        data=dirs.user_data_path,
        config=dirs.user_config_path,
        state=dirs.user_state_path,
        cache=dirs.user_cache_path,
    )


def _create(directory: Path) -> None:
    """Create ``directory`` and its missing parents, each with mode 0700 (``mkdir`` alone applies it to the last)."""
    try:
        for path in [*reversed(directory.parents), directory]:
            if not path.is_dir():
                path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _home_error("create", directory, error) from error


def _check_writable(directory: Path) -> None:
    """Write a nameless file: permission bits alone tell neither a full disk nor Windows' access lists."""
    try:
        with tempfile.TemporaryFile(dir=directory) as probe:
            probe.write(b"memlens")
    except OSError as error:
        raise _home_error("write to", directory, error) from error


def _home_error(action: str, directory: Path, error: OSError) -> HomeError:
    cause = _CAUSES.get(error.errno or 0, error.strerror or str(error))
    return HomeError(f"Cannot {action} {directory}, where MemLens keeps its files: {cause}. {_WAY_OUT}")
