"""Creating and migrating the SQLite schema: numbered, each step in one transaction (spec 1.10)."""

from __future__ import annotations

from functools import cache
from importlib import resources

import apsw

from memlens.core.canonical import canonical_bytes
from memlens.core.clock import utc_now
from memlens.core.errors import ForeignDatabaseError, NewerSchemaError
from memlens.memory.analyzer import ANALYZER_VERSION
from memlens.memory.ports import EmbeddingProfile

APPLICATION_ID = 0x4D4C4E53
"""``MLNS``: marks a database file as ours."""


@cache
def migrations() -> tuple[str, ...]:
    """Return the SQL of every migration; number 1 is the first."""
    folder = resources.files(__package__) / "migrations"
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return tuple((folder / name).read_text(encoding="utf-8") for name in names)


def schema_version(connection: apsw.Connection, path: str) -> int:
    """Return the version of the schema that the database has, 0 for an empty one.

    Raises ForeignDatabaseError for somebody else's database, NewerSchemaError for one of a newer MemLens.
    """
    # One statement sees one state: another process may be creating the schema at this moment.
    application_id, version, tables = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "
        "(SELECT count(*) FROM sqlite_schema)"
    ).get
    if application_id != APPLICATION_ID:
        if application_id or version or tables:
            raise ForeignDatabaseError(
                f"{path} is a database of another program and was left alone: "
                "choose another file in the setting database.path, or move this one away."
            )
        return 0
    if version > len(migrations()):
        raise NewerSchemaError(
            f"{path} was written by a newer MemLens (schema {version}, this one knows {len(migrations())}): "
            "upgrade MemLens."
        )
    return int(version)


def migrated_copy(connection: apsw.Connection, path: str, profile: EmbeddingProfile) -> apsw.Connection:
    """Return a copy in memory with the schema of today, to read a database that cannot be written."""
    copy = apsw.Connection(":memory:")
    with copy.backup("main", connection, "main") as backup:
        backup.step()
    migrate(copy, path, profile)
    return copy


def migrate(connection: apsw.Connection, path: str, profile: EmbeddingProfile) -> None:
    """Bring the schema up to date. Of several processes that start at once one does it, the others wait."""
    if schema_version(connection, path) == len(migrations()):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        _apply(connection, schema_version(connection, path), profile)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _apply(connection: apsw.Connection, version: int, profile: EmbeddingProfile) -> None:
    for number, script in enumerate(migrations()[version:], start=version + 1):
        # A script of several statements runs on only as its rows are fetched.
        for _ in connection.execute(script):
            pass
        connection.execute("INSERT INTO schema_version VALUES (?, ?)", (number, utc_now()))
    if version == 0:
        connection.execute(
            "INSERT INTO deployment (id, created_at, analyzer_version, embedding_profile) VALUES (1, ?, ?, ?)",
            (utc_now(), ANALYZER_VERSION, canonical_bytes(profile.as_json()).decode()),
        )
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", len(migrations()))
