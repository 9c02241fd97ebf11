"""Typed errors. Every message names the cause and the way out (spec 2.6)."""

from __future__ import annotations


class MemLensError(Exception):
    """Base of every error that MemLens raises on purpose.

    ``code`` is stable and part of the machine interface (docs/errors.md).
    """

    code = "internal_error"


class InvalidInputError(MemLensError, ValueError):
    """An argument breaks a rule of the domain."""

    code = "invalid_input"


class InvalidTextError(InvalidInputError):
    """A memory text or reason is empty, too long, or holds characters that cannot be stored (spec 1.4)."""

    code = "invalid_text"


class InvalidKindError(InvalidInputError):
    """A kind is not 1 to 64 printable ASCII characters (spec 1.3)."""

    code = "invalid_kind"


class SecretFoundError(InvalidInputError):
    """What was to be kept holds what looks like a secret; nothing of it was stored."""

    code = "secret_found"


class EvidenceError(InvalidInputError):
    """Evidence is missing, altered, or lies outside what the operation may cite (spec 1.4)."""

    code = "invalid_evidence"


class EntryError(InvalidInputError):
    """An entry object cannot be used for the operation asked of it."""

    code = "invalid_entry"


class UnknownEntryError(EntryError):
    """No entry of the Memory has the given identifier."""

    code = "unknown_entry"


class InactiveEntryError(EntryError):
    """The entry is inactive: reactivate it first, then revise it on the new head."""

    code = "inactive_entry"


class ForeignEntryError(EntryError):
    """The entry belongs to another Memory."""

    code = "foreign_entry"


class StaleEntryError(EntryError):
    """The entry object is not the version that the head points at."""

    code = "stale_entry"


class UnknownVersionError(EntryError):
    """The entry has no such version in this Revision."""

    code = "unknown_version"


class DuplicateOfInactiveError(EntryError):
    """An addition equals an inactive entry; ``entry_id`` names it so that the caller can reactivate it."""

    code = "duplicate_of_inactive"

    def __init__(self, message: str, entry_id: str) -> None:
        super().__init__(message)
        self.entry_id = entry_id


class CannotUndoError(MemLensError):
    """There is no change of one's own at the head that could be undone (spec 2.2)."""

    code = "cannot_undo"


class RevisionConflictError(MemLensError):
    """The head moved on: read it again and redo the operation."""

    code = "revision_conflict"


class ArtifactNotFoundError(MemLensError):
    """The Artifact, or that Revision of it, does not exist."""

    code = "artifact_not_found"


class CapabilityNotSupportedError(MemLensError):
    """What was explicitly asked for is not available here; nothing was substituted for it."""

    code = "capability_not_supported"


class InvalidCitationError(MemLensError):
    """A citation does not name exactly one stored, unaltered entry version."""

    code = "invalid_citation"


class IntegrityError(MemLensError):
    """Stored bytes are not what their hash commits to."""

    code = "integrity_violation"


class UnconfirmedCloneError(MemLensError):
    """A folder claims a remote whose memory is another clone's, and nobody confirmed it (spec 2.4)."""

    code = "unconfirmed_clone"


class StorageError(MemLensError):
    """The database could not be used."""

    code = "storage_error"


class DatabaseBusyError(StorageError):
    """Another process held the database longer than the time allowed for waiting."""

    code = "database_busy"


class ReadOnlyDatabaseError(StorageError):
    """The database, or the directory it is in, cannot be written."""

    code = "read_only_database"


class CorruptDatabaseError(StorageError):
    """The database file is damaged."""

    code = "corrupt_database"


class ForeignDatabaseError(StorageError):
    """The file is not a MemLens database; it was left alone."""

    code = "foreign_database"


class NewerSchemaError(StorageError):
    """The database was written by a newer MemLens."""

    code = "newer_schema"


class DiskFullError(StorageError):
    """No space is left where the database is."""

    code = "disk_full"


class HomeError(MemLensError):
    """The directory that holds MemLens' files cannot be created or written."""

    code = "home_not_writable"


class SettingsError(InvalidInputError):
    """A settings file or value cannot be understood."""

    code = "invalid_settings"
