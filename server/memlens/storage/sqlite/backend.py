"""SQLiteMemoryBackend: one file, no set-up (spec 1.10)."""

from __future__ import annotations

import shutil
import threading
from functools import partial
from pathlib import Path

import apsw

from memlens.core.errors import (
    CorruptDatabaseError,
    DatabaseBusyError,
    DiskFullError,
    ReadOnlyDatabaseError,
    StorageError,
)
from memlens.memory.ports import EmbeddingProfile, MemoryCapabilities
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.sqlite.connection import (
    IN_MEMORY,
    file_signature,
    is_writable,
    leave_exclusive,
    open_connection,
    use_journal,
    without_shared_memory,
)
from memlens.storage.sqlite.filesystem import FileSystem, file_system_of
from memlens.storage.sqlite.schema import migrate, migrated_copy, migrations, schema_version
from memlens.storage.sqlite.session import SQLiteSession


class SQLiteMemoryBackend(DatabaseMemoryBackend):
    """Memories in one SQLite file, safe for any number of processes of this machine."""

    driver_errors = (apsw.Error, UnicodeDecodeError)  # the latter where damage hit a text

    def __init__(self, path: Path, profile: EmbeddingProfile) -> None:
        """Use the database at ``path``; ``profile`` becomes its embedding profile if it is created."""
        super().__init__()
        self.path = path
        self._profile = profile
        self._migration = threading.Lock()
        self._file_system: FileSystem | None = None if path == IN_MEMORY else file_system_of(path)
        self._journal: str | None = None

    def connect(self) -> SQLiteSession:
        """Open a session, bringing the schema up to date first. Raises StorageError."""
        try:
            connection = open_connection(self.path)
            try:
                with self._migration:
                    self._prepare(connection)
                if self._is_outdated(connection):
                    return self._reading_session(connection)
                return SQLiteSession(connection, partial(file_signature, self.path, connection.readonly("main")))
            except BaseException:
                connection.close()
                raise
        except apsw.Error as error:
            raise self.database_error(error) from error
        except OSError as error:
            raise StorageError(f"{self.path} cannot be opened ({error.strerror}): check the path.") from error

    def _prepare(self, connection: apsw.Connection) -> None:
        """Choose the journal and migrate. Nothing is written to a database before it is known to be ours."""
        writable = not connection.readonly("main")
        try:
            schema_version(connection, str(self.path))
        except apsw.CantOpenError:
            if not writable:
                raise
            without_shared_memory(connection)
            schema_version(connection, str(self.path))
            leave_exclusive(connection)
        if writable:
            self._journal = use_journal(connection, is_shared=self._is_shared)
        else:
            self._journal = str(connection.pragma("journal_mode"))
        if writable or not self._is_outdated(connection):
            migrate(connection, str(self.path), self._profile)

    @property
    def _is_shared(self) -> bool:
        return self._file_system is not None and self._file_system.is_shared

    def _is_outdated(self, connection: apsw.Connection) -> bool:
        return 0 < schema_version(connection, str(self.path)) < len(migrations())

    def _reading_session(self, connection: apsw.Connection) -> SQLiteSession:
        """Return a session on a migrated copy of a database that cannot be migrated where it is, for reading."""
        copy = migrated_copy(connection, str(self.path), self._profile)
        connection.close()
        session = SQLiteSession(copy, partial(file_signature, self.path, True))
        copy.execute("PRAGMA query_only = ON")
        return session

    async def capabilities(self) -> MemoryCapabilities:
        """Return full-text search only: there is no vector projection yet."""
        return MemoryCapabilities(fts=True, vector=False, hybrid=False, embedding_profile=None)

    def describe(self) -> dict[str, object]:
        """Return what status shows of the database; a path of None means that there is no file yet."""
        path = None if self.path == IN_MEMORY else str(self.path)
        return {
            "backend": "sqlite",
            "path": path,
            "read_only": not is_writable(self.path),
            "journal": self._journal if path else None,
            "file_system": self._file_system.kind if self._file_system else None,
            "note": self._note() if path else None,
        }

    def _note(self) -> str | None:
        if self._is_shared and self._journal == "wal":
            return (
                "The database is on a file system that other machines may share, and in write-ahead mode, which can "
                "damage it there: close every program that uses it, then run `memlens status`, which switches."
            )
        if self._journal == "wal" or self._journal is None:
            return None
        kind = f" ({self._file_system.kind})" if self._file_system else ""
        return (
            f"The file system of the database{kind} has no place for a write-ahead log: it has a rollback journal, "
            "so that commits take longer and readers wait for them. A local disk (setting database.path) is faster."
        )

    def database_error(self, error: Exception) -> StorageError:
        """Return the typed error that an APSW error stands for."""
        where = str(self.path)
        match error:
            case apsw.BusyError() | apsw.LockedError():
                return DatabaseBusyError(
                    f"Another process kept {where} locked for too long: try again, and look for a program that "
                    "holds it open (a backup, a stopped debugger)."
                )
            case apsw.ReadOnlyError():
                return ReadOnlyDatabaseError(
                    f"{where} cannot be written: give its owner write permission on the file and its directory, "
                    "or choose another in the setting database.path."
                )
            case apsw.CorruptError() | apsw.NotADBError() | UnicodeDecodeError():
                return CorruptDatabaseError(
                    f"{where} is damaged or no database ({error}); nothing was written to it: "
                    "`memlens doctor` says what can still be read; move it away and restore it from a backup."
                )
            case apsw.FullError() | apsw.IOError() if _no_space(error, self.path):
                return DiskFullError(
                    f"The disk that holds {where} is full; nothing was lost: free space, then try again."
                )
            case apsw.CantOpenError() | apsw.PermissionsError() | apsw.IOError():
                return StorageError(f"{where} cannot be opened or read ({error}): check the path and its permissions.")
            case _:
                return StorageError(f"{where}: {error}. Run `memlens verify` to check the database.")


def _no_space(error: Exception, path: Path) -> bool:
    """Whether the disk is full; a full disk also shows as an I/O error, when SQLite cannot grow its shared memory."""
    if isinstance(error, apsw.FullError):
        return True
    try:
        return shutil.disk_usage(path.parent).free < 1 << 16
    except OSError:
        return False
