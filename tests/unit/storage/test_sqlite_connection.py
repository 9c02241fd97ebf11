"""How a SQLite database is opened (spec 1.10)."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from memlens.memory.ports import EmbeddingProfile
from memlens.storage.sqlite.backend import SQLiteMemoryBackend
from memlens.storage.sqlite.connection import IN_MEMORY

PROFILE = EmbeddingProfile("test", "no-model", 4, "l2", "unit")


def connected(path: Path) -> apsw.Connection:
    return SQLiteMemoryBackend(path, PROFILE).connect()._connection


def test_commits_are_synced_to_a_write_ahead_log(tmp_path: Path) -> None:
    connection = connected(tmp_path / "memory.db")
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2


def test_a_row_cannot_refer_to_one_that_is_not_there(tmp_path: Path) -> None:
    connection = connected(tmp_path / "memory.db")
    with pytest.raises(apsw.ConstraintError):
        connection.execute("INSERT INTO artifact_heads VALUES ('mem_art_x', 1)")


def test_the_inside_of_the_full_text_index_cannot_be_written(tmp_path: Path) -> None:
    connection = connected(tmp_path / "memory.db")
    with pytest.raises(apsw.SQLError, match="may not be modified"):
        connection.execute("DELETE FROM memory_entry_search_fts_content")


def test_a_database_in_memory_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert connected(IN_MEMORY).execute("SELECT count(*) FROM artifact_revisions").get == 0
    assert list(tmp_path.iterdir()) == []
