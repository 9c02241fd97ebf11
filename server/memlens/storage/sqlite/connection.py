"""Opening a SQLite database: permissions, pragmas, read-only mode (spec 1.10, 2.6)."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import apsw

from memlens.core.errors import CorruptDatabaseError, StorageError

MINIMUM_SQLITE = (3, 38, 0)
BUSY_TIMEOUT_MS = 10_000
SMALLEST_DATABASE = 512
"""The least that SQLite ever writes, in bytes: one page of the smallest size."""

IN_MEMORY = Path(":memory:")
"""In place of a file: an empty database of each session's own, for reading where nothing was ever written."""


def open_connection(path: Path) -> apsw.Connection:
    """Open the database at ``path``, creating an empty file that only its owner may read when there is none.

    A file or directory without write permission is opened read-only. Raises StorageError, or an APSW error.
    """
    if tuple(map(int, apsw.sqlite_lib_version().split("."))) < MINIMUM_SQLITE:
        raise StorageError(f"SQLite {apsw.sqlite_lib_version()} is too old, 3.38 is needed: upgrade the package apsw.")
    writable = is_writable(path)
    if writable and path != IN_MEMORY:
        _create_private(path)
    connection = _connect(path, writable=writable)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def use_journal(connection: apsw.Connection, *, is_shared: bool) -> str:
    """Choose the journal, every commit synced to disk, and return its mode (case D1).

    A write-ahead log lets readers and one writer work side by side. Where the file system is shared with other
    machines, or has no shared memory, it is the rollback journal instead: there a log would damage the database, or
    not open. This writes to the file: call it only once the database is known to be ours.
    """
    try:
        mode = _switch(connection, "DELETE" if is_shared else "WAL")
    except apsw.BusyError:
        if not is_shared:
            raise
        mode = str(connection.pragma("journal_mode"))  # in use as it is: the next one who is alone switches
    # With a rollback journal, FULL may lose the last commit in a power failure; EXTRA does not.
    connection.execute(f"PRAGMA synchronous = {'FULL' if mode == 'wal' else 'EXTRA'}")
    return mode


def without_shared_memory(connection: apsw.Connection) -> None:
    """Let a database that was left in write-ahead mode be read where its log cannot be shared, holding it alone.

    :func:`leave_exclusive` ends that.
    """
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")


def leave_exclusive(connection: apsw.Connection) -> None:
    """Take the log into the database, and let others in again."""
    _switch(connection, "DELETE")
    connection.execute("PRAGMA locking_mode = NORMAL")
    connection.execute("SELECT count(*) FROM sqlite_schema")  # the lock is let go at the next access


def _switch(connection: apsw.Connection, mode: str) -> str:
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            return str(connection.execute(f"PRAGMA journal_mode = {mode}").get)
        except apsw.BusyError:
            # The switch needs the file alone for a moment, and SQLite's own time-out does not cover it: another
            # process may be opening the new database too.
            if time.monotonic() >= deadline:
                raise
            time.sleep(0.005)


def is_writable(path: Path) -> bool:
    """Whether the database may be written.

    Permission bits are asked, not only the system: the superuser could write a file that its owner made read-only.
    """
    return all(_may_be_written(item) for item in (path, path.parent))


def _may_be_written(item: Path) -> bool:
    try:
        mode = item.stat().st_mode
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return bool(mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)) and os.access(item, os.W_OK)


def _create_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        raise StorageError(
            f"The database {path} cannot be created ({error.strerror}): "
            "free the path, or choose another in the setting database.path."
        ) from error


def _connect(path: Path, *, writable: bool) -> apsw.Connection:
    if path.is_dir():
        raise CorruptDatabaseError(f"{path} is a directory, not a database: choose another file in database.path.")
    if path != IN_MEMORY and path.exists() and 0 < path.stat().st_size < SMALLEST_DATABASE:
        # SQLite takes so short a file for an empty database, and would write over what is left of this one.
        raise CorruptDatabaseError(f"{path} was cut short: move it away and restore it from a backup.")
    if writable:
        return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    # A WAL database in a directory without write permission has no place for its shared memory: it can be read
    # only as a file that nobody writes, which then is true.
    lonely = not is_writable(path.parent / "any") and not path.with_name(path.name + "-wal").exists()
    options = "mode=ro&immutable=1" if lonely else "mode=ro"
    return apsw.Connection(
        f"{path.absolute().as_uri()}?{options}", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )


def file_signature(path: Path, is_read_only: bool) -> tuple[int, ...]:
    """Return what tells the database file apart from another one that is put in its place, a backup say.

    For a connection that only reads, also from itself after any change: it may have been opened as a file that
    nobody writes, and then sees no change by itself.
    """
    if path == IN_MEMORY:
        return ()
    files = (path, path.with_name(path.name + "-wal")) if is_read_only else (path,)
    signature: list[int] = []
    for file in files:
        try:
            found = file.stat()
        except OSError:
            signature.append(-1)
            continue
        signature += [found.st_dev, found.st_ino]
        if is_read_only:
            signature += [found.st_mtime_ns, found.st_size]
    return tuple(signature)
