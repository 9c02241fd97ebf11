"""The database: whether it opens, what it is, and whether what is in it fits together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlens.core.errors import MemLensError
from memlens.runtime.doctor.finding import Finding
from memlens.runtime.doctor.surroundings import open_to_others
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.rebuilding import DatabaseHealth, ProjectionState, examine_database
from memlens.storage.rows import EngineFacts

BACKUP = "Move the file away and restore it from a backup; `memlens verify` names what is damaged."


async def examine(backend: DatabaseMemoryBackend) -> list[Finding]:
    """Check the database; one that cannot be opened is one problem, and nothing else is asked of it."""
    try:
        facts = await backend.read(lambda session: session.engine_facts())
        health = await backend.read(examine_database)
    except MemLensError as error:
        return [Finding("database", "problem", str(error), "See the message; nothing was written to it.")]
    described = backend.describe()
    return [_engine(facts), _file(described, facts), _integrity(health), _index(health)]


def _engine(facts: EngineFacts) -> Finding:
    if not facts.has_fts:
        return Finding(
            "engine", "problem", f"{facts.engine} has no FTS5: nothing can be searched.", "Reinstall the package apsw."
        )
    return Finding("engine", "ok", f"{facts.engine} with FTS5.")


def _file(described: Mapping[str, object], facts: EngineFacts) -> Finding:
    name = described["path"]
    if name is None:
        return Finding("database", "ok", "There is no database yet: the first entry creates it.")
    path = Path(str(name))
    said = f"{path}, {path.stat().st_size:,} bytes, schema {facts.schema_version}, journal {facts.journal}."
    if described["read_only"]:
        way_out = "Give yourself write permission on the file and its directory, unless that is what you want."
        return Finding("database", "warning", f"{said} It cannot be written; reading goes on.", way_out)
    if described["note"]:
        way_out = "Put the database on a local disk: the setting database.path, or MEMLENS_HOME."
        return Finding("database", "warning", f"{said} {described['note']}", way_out)
    if open_to_others(path):
        return Finding("database", "warning", f"{said} Other users may read it.", f"Run `chmod 600 {path}`.")
    return Finding("database", "ok", said)


def _integrity(health: DatabaseHealth) -> Finding:
    unreadable = [each.artifact_id for each in health.projections if not each.is_readable]
    damage = [*health.file_problems, *(f"the head of {each} is not what its hash says" for each in unreadable)]
    if damage:
        details = tuple({"message": each} for each in damage)
        return Finding("integrity", "problem", f"The database is damaged: {damage[0]}.", BACKUP, details)
    return Finding("integrity", "ok", "Every page of the database is sound. `memlens verify` checks every hash too.")


def _index(health: DatabaseHealth) -> Finding:
    if health.file_problems:
        return Finding("index", "warning", "The search index was not looked at, since the file is damaged.", BACKUP)
    wrong = [each for each in health.projections if not each.is_right]
    damage = [{"message": each} for each in health.index_problems]
    if health.stray_rows:
        damage.append({"message": f"{health.stray_rows} rows of the index belong to no entry"})
    if not wrong and not damage:
        rows = sum(each.indexed for each in health.projections)
        return Finding("index", "ok", f"The search index has the {rows:,} active entries of all memories.")
    details = (*damage, *map(_counts, wrong))
    way_out = "Run `memlens doctor --repair`: it builds the index anew from the entries. No memory is lost."
    return Finding("index", "problem", "The search index does not hold what is remembered.", way_out, details)


def _counts(state: ProjectionState) -> dict[str, Any]:
    return {
        "artifact_id": state.artifact_id,
        "active_entries": state.active,
        "projection_rows": state.projected,
        "index_rows": state.indexed,
    }
