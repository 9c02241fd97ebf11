"""Offline verification names what is damaged, by code and place; projections never mean that memory was lost."""

from __future__ import annotations

import zlib

import apsw
import pytest

from conformance.store import SQLiteStore
from memlens.core.errors import MemLensError
from memlens.memory.models import Memory, MemoryEntryInput
from memlens.storage import revisions
from memlens.storage.verification import Problem

ZEROS = "0" * 64


@pytest.fixture
async def memory(store: SQLiteStore, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """Seven Revisions, a snapshot at the third and the sixth, entries with evidence, one of them forgotten."""
    monkeypatch.setattr(revisions, "MAX_CHAIN_LENGTH", 3)
    note, upstream = await store.note("said so"), await store.add(None, "upstream")
    memory = await store.service.remember(
        None,
        sources=[note],
        artifacts=[upstream.ref],
        entries=[
            MemoryEntryInput("fact", "walnut", sources=(note,), artifacts=(upstream.ref,)),
            MemoryEntryInput("fact", "almond"),
        ],
    )
    assert memory is not None
    memory = await store.revise(memory, await store.entry(memory, "walnut"), "walnut tree")
    for text in ("pistachio", "cashew", "hazelnut", "pecan"):
        memory = await store.add(memory, text)
    return await store.service.forget(memory, [await store.entry(memory, "cashew")])


async def problems(store: SQLiteStore) -> list[Problem]:
    await store.reopen()
    return (await store.verify()).problems


async def codes(store: SQLiteStore) -> set[str]:
    return {problem.code for problem in await problems(store)}


async def test_a_sound_database_has_no_problems_and_everything_was_looked_at(
    store: SQLiteStore, memory: Memory
) -> None:
    report = await store.verify()
    assert (report.problems, report.revisions, report.entry_versions) == ([], 8, 8)


async def test_verification_is_right_on_a_connection_that_searched_before_another_one_wrote(
    store: SQLiteStore, memory: Memory
) -> None:
    """SQLite's own check of a full-text index trusts what the connection cached of it."""
    for _ in range(4):
        await store.hits("walnut", memory)
    memory = await store.service.forget(memory, [await store.entry(memory, "walnut")])

    assert [await store.verify() for _ in range(4)] == [await store.verify()] * 4
    assert (await store.verify()).ok


@pytest.mark.parametrize(
    "alteration",
    [
        "UPDATE memory_entry_versions SET text = 'rm -rf /' WHERE text = 'almond'",
        "UPDATE memory_entry_versions SET kind = 'constraint' WHERE text = 'almond'",
        """UPDATE memory_entry_versions SET artifact_refs = '[{"artifact_id":"x","revision":1}]'
        WHERE text = 'almond'""",
        f"UPDATE memory_entry_versions SET entry_content_hash = '{ZEROS}' WHERE text = 'almond'",
    ],
)
async def test_an_altered_body_is_named_with_its_entry_and_version(
    store: SQLiteStore, memory: Memory, alteration: str
) -> None:
    almond = await store.entry(memory, "almond")
    assert store.tamper(alteration) == 1

    found = await problems(store)

    assert {problem.code for problem in found} <= {"altered_body", "missing_artifact", "projection_mismatch"}
    places = {(problem.artifact_id, problem.entry_id, problem.entry_version_id) for problem in found}
    assert (memory.ref.artifact_id, almond.entry_id, almond.entry_version_id) in places
    assert await store.hits("almond rm", memory) == []


@pytest.mark.parametrize("refs", ["damaged", "{}", "[1]", '[{"source_id":1,"content_hash":2}]', "[[]]"])
async def test_references_that_cannot_be_read_are_an_altered_body(
    store: SQLiteStore, memory: Memory, refs: str
) -> None:
    store.tamper("UPDATE memory_entry_versions SET source_refs = ? WHERE text = 'almond'", refs)
    assert "altered_body" in await codes(store)


async def test_a_body_swapped_for_another_sound_one_is_noticed(store: SQLiteStore, memory: Memory) -> None:
    columns = "kind, text, source_refs, artifact_refs, entry_content_hash"
    store.tamper(
        f"UPDATE memory_entry_versions SET ({columns}) = (SELECT {columns} FROM memory_entry_versions WHERE "
        "text = 'pecan') WHERE text = 'almond'"
    )
    assert "altered_body" in await codes(store)
    assert await store.hits("almond", memory) == []


async def test_a_missing_version_is_named_at_the_revision_that_introduced_it(
    store: SQLiteStore, memory: Memory
) -> None:
    pecan = await store.entry(memory, "pecan")
    store.tamper("DELETE FROM memory_entry_versions WHERE text = 'pecan'")

    found = await problems(store)

    (missing,) = [problem for problem in found if problem.code == "missing_version"]
    assert (missing.revision, missing.entry_id) == (6, pecan.entry_id)


@pytest.mark.parametrize("column", ["version", "previous_version_id"])
async def test_a_version_that_does_not_follow_its_predecessor_is_named(
    store: SQLiteStore, memory: Memory, column: str
) -> None:
    store.tamper(f"UPDATE memory_entry_versions SET {column} = 7 WHERE text = 'walnut tree'")
    assert "broken_version_chain" in await codes(store)


async def test_a_content_hash_that_does_not_fit_is_named_with_its_revision(store: SQLiteStore, memory: Memory) -> None:
    store.tamper(
        "UPDATE artifact_revisions SET content_hash = ? WHERE revision = 4 AND artifact_id = ?",
        ZEROS, memory.ref.artifact_id,
    )  # fmt: skip
    found = await problems(store)
    assert [(problem.code, problem.revision) for problem in found] == [("manifest_hash_mismatch", 4)]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"changes":[],"hashes":[]}',
        b'{"changes":[{}],"hashes":{}}',
        b'{"changes":[{"entry_id":[],"from_entry_version_id":null,"op":"add","reason":null,"to_entry_version_id":"v"}],"hashes":{}}',
        b'{"changes":[{"entry_id":"new","from_entry_version_id":"v","op":"revise","reason":null,"to_entry_version_id":"w"}],"hashes":{"new":"h"}}',
        zlib.compress(b"not json"),
        b"\x78\x01damaged",
    ],
)
async def test_a_damaged_delta_is_named_with_its_revision(store: SQLiteStore, memory: Memory, damage: bytes) -> None:
    store.tamper(
        "UPDATE artifact_revisions SET content = ? WHERE revision = 2 AND artifact_id = ?",
        damage, memory.ref.artifact_id,
    )  # fmt: skip
    found = await problems(store)
    assert ("damaged_delta", 2) in {(problem.code, problem.revision) for problem in found}
    assert await store.service.head(memory.ref.artifact_id) == memory, "later Revisions stand on a later snapshot"


async def test_a_delta_that_says_another_reason_breaks_the_hash(store: SQLiteStore, memory: Memory) -> None:
    store.tamper(
        "UPDATE artifact_revisions SET content = CAST(replace(CAST(content AS TEXT), '\"reason\":null', "
        '\'"reason":"x"\') AS BLOB) WHERE revision = 2 AND artifact_id = ?',
        memory.ref.artifact_id,
    )
    assert "manifest_hash_mismatch" in await codes(store)


@pytest.mark.parametrize(
    "damage",
    [None, b"", b"{}", b'{"entries":[{"entry_id":1}],"format":"flat-v1"}', b'{"entries":[],"format":"flat-v1"}'],
)
async def test_a_damaged_or_missing_snapshot_is_named_with_its_revision(
    store: SQLiteStore, memory: Memory, damage: bytes | None
) -> None:
    store.tamper(
        "UPDATE artifact_revisions SET snapshot = ? WHERE revision = 3 AND artifact_id = ?",
        damage, memory.ref.artifact_id,
    )  # fmt: skip
    found = await problems(store)
    assert {(problem.code, problem.revision) for problem in found} == {("damaged_snapshot", 3)}


async def test_a_missing_revision_is_named(store: SQLiteStore, memory: Memory) -> None:
    store.tamper("DELETE FROM artifact_revisions WHERE revision = 4 AND artifact_id = ?", memory.ref.artifact_id)
    found = await problems(store)
    assert ("missing_revision", 4) in {(problem.code, problem.revision) for problem in found}


@pytest.mark.parametrize("lineage", ["", "[]", '{"sources":[]}', '{"artifacts":[],"sources":[{"source_id":1}]}'])
async def test_a_damaged_lineage_is_named_with_its_revision(store: SQLiteStore, memory: Memory, lineage: str) -> None:
    store.tamper("UPDATE artifact_revisions SET lineage = ? WHERE revision = 4", lineage)
    found = await problems(store)
    assert [(problem.code, problem.revision) for problem in found] == [("damaged_lineage", 4)]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("""UPDATE sources SET content = '{"text":"never said"}'""", "altered_source"),
        ("UPDATE sources SET content = 'damaged'", "altered_source"),
        ("UPDATE sources SET uri = 'note:other'", "altered_source"),
        ("UPDATE sources SET source_type = 'DocumentSource'", "altered_source"),
        (f"UPDATE sources SET content_hash = '{ZEROS}'", "altered_source"),
        ("DELETE FROM sources", "missing_source"),
    ],
)
async def test_an_altered_or_missing_source_is_named(
    store: SQLiteStore, memory: Memory, damage: str, code: str
) -> None:
    assert store.tamper(damage) == 1
    found = await problems(store)
    assert {problem.code for problem in found} == {code}
    assert found[0].message.startswith(("Source src_", "The content of Source src_"))


async def test_a_source_that_only_a_revisions_lineage_cites_is_missed_too(store: SQLiteStore) -> None:
    note = await store.note("operation evidence only")
    await store.service.remember(None, sources=[note], entries=[MemoryEntryInput("fact", "walnut")])
    store.tamper("DELETE FROM sources")

    assert await codes(store) == {"missing_source"}


async def test_a_cited_artifact_that_has_gone_is_named(store: SQLiteStore, memory: Memory) -> None:
    store.tamper(
        "UPDATE artifact_revisions SET artifact_id = 'mem_art_other' WHERE artifact_id <> ?", memory.ref.artifact_id
    )
    assert "missing_artifact" in await codes(store)


async def test_a_head_that_is_not_at_the_last_revision_is_named(store: SQLiteStore, memory: Memory) -> None:
    store.tamper("UPDATE artifact_heads SET revision = 5 WHERE artifact_id = ?", memory.ref.artifact_id)
    assert "head_mismatch" in await codes(store)


async def test_a_memory_whose_revisions_are_all_gone_is_noticed(store: SQLiteStore, memory: Memory) -> None:
    store.tamper("DELETE FROM artifact_revisions")
    assert await codes(store) == {"database_damage"}


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM memory_entry_heads WHERE searchable_text = 'almond'",
        "UPDATE memory_entry_heads SET searchable_text = 'walnut' WHERE searchable_text = 'almond'",
        f"UPDATE memory_entry_heads SET entry_content_hash = '{ZEROS}' WHERE searchable_text = 'almond'",
        """UPDATE memory_entry_heads SET entry_version_id = (SELECT entry_version_id FROM memory_entry_versions
        WHERE text = 'pecan') WHERE searchable_text = 'almond'""",
    ],
)
async def test_a_missing_or_stale_projection_is_named_with_its_entry_and_memory_is_intact(
    store: SQLiteStore, memory: Memory, damage: str
) -> None:
    almond = await store.entry(memory, "almond")
    assert store.tamper(damage) == 1

    found = await problems(store)

    assert ("projection_mismatch", almond.entry_id) in {(problem.code, problem.entry_id) for problem in found}
    assert {p.code for p in found} <= {"projection_mismatch", "index_mismatch", "database_damage"}
    assert await store.texts(memory) == ["almond", "hazelnut", "pecan", "pistachio", "walnut tree"]


async def test_a_projection_of_a_forgotten_entry_is_named(store: SQLiteStore, memory: Memory) -> None:
    cashew = await store.entry(memory, "cashew")
    store.tamper(
        "INSERT INTO memory_entry_heads (memory_artifact_id, head_revision, entry_id, entry_version_id, "
        "entry_content_hash, searchable_text) VALUES (?, 7, ?, ?, ?, 'cashew')",
        memory.ref.artifact_id, cashew.entry_id, cashew.entry_version_id, cashew.entry_content_hash,
    )  # fmt: skip
    assert await codes(store) == {"projection_mismatch", "index_mismatch"}


@pytest.mark.parametrize(
    "damage",
    [
        """DELETE FROM memory_entry_search_fts WHERE rowid = (SELECT projection_id FROM memory_entry_heads
        WHERE searchable_text = 'almond')""",
        "UPDATE memory_entry_search_fts SET searchable_text = 'walnut' WHERE searchable_text = 'almond'",
    ],
)
async def test_a_missing_or_different_index_row_is_named_with_its_entry(
    store: SQLiteStore, memory: Memory, damage: str
) -> None:
    """Case S4 (a): rows that differ from index rows are reported."""
    almond = await store.entry(memory, "almond")
    assert store.tamper(damage) == 1

    found = await problems(store)

    assert [(problem.code, problem.entry_id) for problem in found] == [("index_mismatch", almond.entry_id)]


async def test_index_rows_that_belong_to_no_entry_are_counted(store: SQLiteStore, memory: Memory) -> None:
    store.tamper("INSERT INTO memory_entry_search_fts (rowid, searchable_text) VALUES (999, 'walnut')")
    found = await problems(store)
    assert [problem.code for problem in found] == ["database_damage"]
    assert "1 rows of the full-text index" in found[0].message


async def test_an_index_damaged_inside_is_noticed(store: SQLiteStore, memory: Memory) -> None:
    store.tamper("DELETE FROM memory_entry_search_fts_content WHERE c0 = 'almond'")
    assert {"database_damage", "index_mismatch"} <= await codes(store)


async def test_every_single_byte_of_a_delta_counts(store: SQLiteStore, memory: Memory) -> None:
    """Whatever byte of a stored Revision is flipped: a typed error, and never another manifest."""
    (content,) = store.rows(
        "SELECT content FROM artifact_revisions WHERE revision = 7 AND artifact_id = ?", memory.ref.artifact_id
    )[0]
    connection = apsw.Connection(str(store.path))
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 0x11
        connection.execute("UPDATE artifact_revisions SET content = ? WHERE revision = 7", (bytes(damaged),))
        fresh = store.make_backend()
        with pytest.raises(MemLensError):
            await fresh.head(memory.ref.artifact_id)
        await fresh.close()
    connection.close()
