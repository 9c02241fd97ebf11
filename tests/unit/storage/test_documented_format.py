"""docs/storage-format.md: its tables are those of the schema, and its example really reads a Revision."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import apsw
import pytest

from memlens.memory.models import Memory, MemoryEntryInput
from memlens.memory.ports import EmbeddingProfile
from memlens.memory.service import MemoryService
from memlens.storage import revisions
from memlens.storage.sqlite import schema
from memlens.storage.sqlite.backend import SQLiteMemoryBackend

TEXT = (Path(__file__).parents[3] / "docs" / "storage-format.md").read_text(encoding="utf-8")
PROFILE = EmbeddingProfile("test", "no-model", 4, "l2", "unit")


async def history(service: MemoryService) -> list[Memory]:
    """Make a few dozen Revisions of every kind, with reasons that need care in JSON."""
    made = [await service.remember(None, entries=[MemoryEntryInput("fact", f"entry {n}") for n in range(30)])]
    for number in range(20):
        head = made[-1]
        assert head is not None
        entry = (await service.entries(head))[-1]
        given = MemoryEntryInput("fact", f"{entry.text} 🚦{number}", entry=entry, reason='"quoted"\\ \n\t\u2028 é 理由')
        revised = await service.remember(head, entries=[given])
        assert revised is not None
        forgotten = await service.forget(revised, [(await service.entries(revised))[0]])
        made += [revised, forgotten]
    return [memory for memory in made if memory is not None]


@pytest.mark.parametrize("chain", [4, 1000])
async def test_the_example_reads_every_revision_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: int
) -> None:
    monkeypatch.setattr(revisions, "MAX_CHAIN_LENGTH", chain)
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    names: dict[str, Any] = {}
    exec(example, names)
    backend = SQLiteMemoryBackend(tmp_path / "memory.db", PROFILE)

    for memory in await history(MemoryService(backend)):
        read = names["read_revision"](backend.path, memory.ref.artifact_id, memory.ref.revision)
        assert read == (memory.content.canonical, True)
    await backend.close()


def test_every_table_of_the_schema_is_documented_and_no_other(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    schema.migrate(connection, "memory.db", PROFILE)
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    internal = {name for name in tables if name.startswith("memory_entry_search_fts_")}

    assert set(re.findall(r"^\| `(\w+)` \|", TEXT, flags=re.MULTILINE)) == tables - internal


def test_the_documented_numbers_are_the_codes() -> None:
    assert f"after at most {revisions.MAX_CHAIN_LENGTH:,} deltas" in TEXT
    assert f"above {revisions._COMPRESS_ABOVE:,} bytes" in TEXT
    assert f"0x{schema.APPLICATION_ID:08X}" in TEXT
