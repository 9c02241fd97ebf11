"""SQLiteMemoryBackend: one file, no set-up (spec 1.10)."""

from __future__ import annotations

import shutil
import threading
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
from memlens.storage.sqlite.connection import IN_MEMORY, is_writable, open_connection, use_write_ahead_log
from memlens.storage.sqlite.schema import migrate, schema_version
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

    def connect(self) -> SQLiteSession:
        """Open a session, bringing the schema up to date first. Raises StorageError."""
        try:
            connection = open_connection(self.path)
            try:
                with self._migration:
                    self._prepare(connection)
                return SQLiteSession(connection)
            except BaseException:
                connection.close()
                raise
        except apsw.Error as error:
            raise self.database_error(error) from error
        except OSError as error:
            raise StorageError(f"{self.path} cannot be opened ({error.strerror}): check the path.") from error

    def _prepare(self, connection: apsw.Connection) -> None:
        schema_version(connection, str(self.path))  # nothing is written to a database that is not ours
        if not connection.readonly("main"):
            use_write_ahead_log(connection)
        migrate(connection, str(self.path), self._profile)

    async def capabilities(self) -> MemoryCapabilities:
        """Return full-text search only: there is no vector projection yet."""
        return MemoryCapabilities(fts=True, vector=False, hybrid=False, embedding_profile=None)

    def describe(self) -> dict[str, object]:
        """Return what status shows of the database; a path of None means that there is no file yet."""
        path = None if self.path == IN_MEMORY else str(self.path)
        return {"backend": "sqlite", "path": path, "read_only": not is_writable(self.path)}

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
                    "move it away and restore it from a backup."
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
