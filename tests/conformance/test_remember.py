"""remember(): what is stored, what is no change, and what is refused (spec 1.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from conformance.store import Store, forged
from memlens.core.errors import (
    CapabilityNotSupportedError,
    DuplicateOfInactiveError,
    EvidenceError,
    InvalidInputError,
    InvalidKindError,
    InvalidTextError,
)
from memlens.core.ids import new_artifact_id
from memlens.memory.models import MemoryEntryInput, MemoryEntryVersion


class Pipeline:
    """A candidate pipeline that proposes what the test gives it, and keeps what it was shown."""

    def __init__(self, *proposals: MemoryEntryInput) -> None:
        self.proposals = proposals
        self.shown: Sequence[MemoryEntryVersion] = ()

    async def extract(
        self, sources: Sequence[Any], artifacts: Sequence[Any], current_entries: Sequence[MemoryEntryVersion]
    ) -> Sequence[MemoryEntryInput]:
        self.shown = current_entries
        return self.proposals


async def test_append_creates_a_memory_with_one_entry_an_input(store: Store) -> None:
    memory = await store.add(None, "first", "second", mode="append")

    assert memory.ref.revision == 1
    assert await store.texts(memory) == ["first", "second"]
    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_auto_appends_when_there_are_entries_and_extracts_when_there_is_only_evidence(store: Store) -> None:
    note = await store.note()
    service = store.with_pipeline(Pipeline(MemoryEntryInput("fact", "extracted", sources=(note,))))

    appended = await service.remember(None, sources=[note], entries=[MemoryEntryInput("fact", "explicit")])
    extracted = await service.remember(None, sources=[note])

    assert appended is not None
    assert extracted is not None
    assert await store.texts(appended) == ["explicit"]
    assert await store.texts(extracted) == ["extracted"]


@pytest.mark.parametrize(
    ("mode", "with_entries", "with_evidence"),
    [("auto", False, False), ("append", False, True), ("extract", False, False), ("extract", True, True)],
)
async def test_a_call_without_work_to_do_is_a_value_error(
    store: Store, mode: Any, with_entries: bool, with_evidence: bool
) -> None:
    sources = [await store.note()] if with_evidence else []
    entries = [MemoryEntryInput("fact", "text")] if with_entries else []

    with pytest.raises(ValueError, match=r"needs at least one|nothing to remember"):
        await store.service.remember(None, sources=sources, entries=entries, mode=mode)


async def test_an_unknown_mode_is_a_value_error(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="no mode"):
        await store.service.remember(None, entries=[MemoryEntryInput("fact", "t")], mode="merge")  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["auto", "extract"])
async def test_extracting_without_a_pipeline_is_a_capability_error_and_not_silence(store: Store, mode: Any) -> None:
    with pytest.raises(CapabilityNotSupportedError, match="pass the entries"):
        await store.service.remember(None, sources=[await store.note()], mode=mode)


async def test_a_pipeline_with_nothing_to_keep_creates_no_memory_and_no_revision(store: Store) -> None:
    service, note = store.with_pipeline(Pipeline()), await store.note()

    assert await service.remember(None, sources=[note]) is None
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]

    memory = await store.add(None, "text")
    assert await service.remember(memory, sources=[note]) == memory
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(1,)]


async def test_a_pipeline_sees_current_active_entries_only(store: Store) -> None:
    memory = await store.add(None, "kept", "dropped")
    memory = await store.service.forget(memory, [await store.entry(memory, "dropped")])
    pipeline = Pipeline()

    await store.with_pipeline(pipeline).remember(memory, sources=[await store.note()])

    assert [entry.text for entry in pipeline.shown] == ["kept"]


async def test_a_pipelines_output_is_untrusted(store: Store) -> None:
    note, other = await store.note(), await store.note("something else")
    cites_more = Pipeline(MemoryEntryInput("fact", "text", sources=(note, other)))
    holds_control = Pipeline(MemoryEntryInput("fact", "a\0b", sources=(note,)))

    with pytest.raises(EvidenceError):
        await store.with_pipeline(cites_more).remember(None, sources=[note])
    with pytest.raises(InvalidTextError):
        await store.with_pipeline(holds_control).remember(None, sources=[note])
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]


async def test_saying_the_same_again_is_no_change_and_returns_the_same_revision(store: Store) -> None:
    memory = await store.add(None, "Use tabs in tools/.", kind="preference")

    again = await store.add(memory, "  Use tabs in tools/.\r\n", kind="preference")

    assert again == memory
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(1,)]


async def test_the_same_text_of_another_kind_is_another_entry(store: Store) -> None:
    memory = await store.add(None, "text", kind="fact")
    memory = await store.add(memory, "text", kind="decision")

    assert len(memory.manifest) == 2


async def test_saying_the_same_with_new_evidence_revises_the_entry_and_makes_no_twin(store: Store) -> None:
    memory, note = await store.add(None, "text"), await store.note()

    updated = await store.service.remember(
        memory, sources=[note], entries=[MemoryEntryInput("fact", "text", sources=(note,))]
    )

    assert updated is not None
    (entry,) = await store.service.entries(updated)
    assert (entry.version, entry.sources) == (2, (note.ref,))
    assert [change.op for change in updated.content.changes] == ["revise"]


async def test_saying_what_an_inactive_entry_says_is_refused_and_names_it(store: Store) -> None:
    memory = await store.add(None, "text", "other")
    forgotten = await store.entry(memory, "text")
    memory = await store.service.forget(memory, [forgotten])

    with pytest.raises(DuplicateOfInactiveError, match=forgotten.entry_id) as refusal:
        await store.add(memory, "text")

    assert refusal.value.entry_id == forgotten.entry_id
    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_where_an_active_and_an_inactive_entry_say_it_the_active_one_counts(store: Store) -> None:
    memory = await store.add(None, "text", "to be the same")
    memory = await store.service.forget(memory, [await store.entry(memory, "text")])
    memory = await store.revise(memory, await store.entry(memory, "same"), "text")

    assert await store.add(memory, "text") == memory


async def test_equal_additions_of_a_batch_become_one_entry_with_the_evidence_of_all(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")
    memory = await store.service.remember(
        None,
        sources=[one, two],
        entries=[
            MemoryEntryInput("fact", "text", sources=(one,), reason="first"),
            MemoryEntryInput("fact", "text\n", sources=(two,), reason="second"),
        ],
    )

    assert memory is not None
    (entry,) = await store.service.entries(memory)
    assert set(entry.sources) == {one.ref, two.ref}
    assert [change.reason for change in memory.content.changes] == ["first"]


async def test_one_entry_is_changed_once_a_batch(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")
    twice = [MemoryEntryInput("fact", text, entry=entry) for text in ("one", "two")]

    with pytest.raises(InvalidInputError, match="changed twice"):
        await store.service.remember(memory, entries=twice)


async def test_a_batch_that_says_anew_what_it_revises_away_keeps_both_statements(store: Store) -> None:
    memory = await store.add(None, "old")
    batch = [MemoryEntryInput("fact", "new", entry=await store.entry(memory, "old")), MemoryEntryInput("fact", "old")]

    updated = await store.service.remember(memory, entries=batch)

    assert updated is not None
    assert await store.texts(updated) == ["new", "old"]


async def test_a_batch_that_adds_what_it_also_revises_to_makes_no_twin(store: Store) -> None:
    memory, note = await store.add(None, "old"), await store.note()
    batch = [
        MemoryEntryInput("fact", "new", sources=(note,)),
        MemoryEntryInput("fact", "new", entry=await store.entry(memory, "old")),
    ]

    updated = await store.service.remember(memory, sources=[note], entries=batch)

    assert updated is not None
    (entry,) = await store.service.entries(updated)
    assert (entry.text, entry.version, entry.sources) == ("new", 2, (note.ref,))


async def test_a_batch_is_one_revision_with_sorted_changes_and_a_sorted_manifest(store: Store) -> None:
    memory = await store.add(None, *(f"entry {number}" for number in range(40)))

    for ids in ([c.entry_id for c in memory.content.changes], [line.entry_id for line in memory.manifest]):
        assert ids == sorted(ids, key=str.encode)
        assert len(set(ids)) == 40
    assert memory.ref.revision == 1


async def test_one_bad_input_of_a_batch_leaves_nothing_of_it(store: Store) -> None:
    memory = await store.add(None, "text")

    with pytest.raises(InvalidTextError):
        await store.add(memory, "good", "   ")

    assert await store.service.head(memory.ref.artifact_id) == memory


@pytest.mark.parametrize("text", ["", " \n\t ", "nul \0", "bell \a", "lone \ud800", "x" * 8193, "中" * 2731])
async def test_a_text_that_cannot_be_kept_is_a_typed_error(store: Store, text: str) -> None:
    with pytest.raises(InvalidTextError):
        await store.add(None, text)


async def test_text_is_kept_in_normal_form(store: Store) -> None:
    memory = await store.add(None, "  cafe\u0301\r\nline\rend\t. \n")

    assert await store.texts(memory) == ["café\nline\nend\t."]


async def test_the_longest_text_is_kept_whole_and_found(store: Store) -> None:
    longest = "中文" * 1365 + "xy"
    assert len(longest.encode()) == 8192
    memory = await store.add(None, longest)
    await store.reopen()

    assert await store.hits("文中文", memory) == [longest]


@pytest.mark.parametrize("kind", ["", "ünknown", "x" * 65, "a\nb", "tab\t"])
async def test_a_kind_that_a_column_could_not_hold_is_refused(store: Store, kind: str) -> None:
    with pytest.raises(InvalidKindError):
        await store.add(None, "text", kind=kind)


async def test_a_kind_that_memlens_does_not_know_is_an_ordinary_entry(store: Store) -> None:
    memory = await store.add(None, "text of a custom kind", kind="team: runbook/v2")
    await store.reopen()

    (hit,) = (await store.service.search("custom kind", [memory])).hits
    assert hit.kind == "team: runbook/v2"


async def test_a_reason_is_normalised_and_nothing_is_invented_for_none(store: Store) -> None:
    entries = [MemoryEntryInput("fact", text, reason=reason) for text, reason in
               [("a", "  re\u0301vise\r\n"), ("b", None), ("c", " \n "), ("d", "\U0001f6a6" * 512)]]  # fmt: skip
    memory = await store.service.remember(None, entries=entries)

    assert memory is not None
    by_text = {
        entry.text: next(c.reason for c in memory.content.changes if c.entry_id == entry.entry_id)
        for entry in await store.service.entries(memory)
    }
    assert by_text == {"a": "révise", "b": None, "c": None, "d": "\U0001f6a6" * 512}


@pytest.mark.parametrize("reason", ["x" * 513, "nul \0", "\ud800"])
async def test_a_reason_that_is_too_long_or_cannot_be_stored_is_refused(store: Store, reason: str) -> None:
    with pytest.raises(InvalidTextError):
        await store.service.remember(None, entries=[MemoryEntryInput("fact", "text", reason=reason)])


async def test_a_reserved_identifier_becomes_the_memorys_own(store: Store) -> None:
    reserved = new_artifact_id()

    memory = await store.add(None, "text", artifact_id=reserved)

    assert memory.ref.artifact_id == reserved


@pytest.mark.parametrize("artifact_id", ["with space", "ünicode", "x" * 129, "line\nend"])
async def test_an_identifier_that_is_none_is_refused(store: Store, artifact_id: str) -> None:
    with pytest.raises(InvalidInputError, match="identifier"):
        await store.add(None, "text", artifact_id=artifact_id)


async def test_who_and_when_are_kept_outside_the_content_and_its_hash(store: Store) -> None:
    memory = await store.add(None, "text", actor="Ada <ada@example.org>")
    await store.reopen()
    stored = await store.service.head(memory.ref.artifact_id)

    assert stored is not None
    assert (stored.actor, stored.created_at) == ("Ada <ada@example.org>", memory.created_at)
    assert stored.created_at.endswith("Z")
    assert b"Ada" not in stored.content.canonical
    assert stored.created_at.encode() not in stored.content.canonical
    store.tamper("UPDATE artifact_revisions SET actor = 'Bob', created_at = '2000-01-01T00:00:00.000000Z'")
    assert (await store.verify()).ok


async def test_contradicting_and_repeating_never_loses_a_statement(store: Store) -> None:
    """Case M1: the history has two versions; repeating the current one twice is no change."""
    first = await store.add(None, "Use tabs in `tools/`.", kind="preference")
    entry = await store.entry(first, "tabs")
    second = await store.revise(first, entry, "Use spaces in `tools/`.")
    for _ in range(2):
        assert await store.add(second, "Use spaces in `tools/`.", kind="preference") == second
        assert await store.revise(second, await store.entry(second, "spaces"), "Use spaces in `tools/`.") == second

    assert await store.service.entries(first, [entry.entry_id]) == (entry,)
    assert await store.texts(second) == ["Use spaces in `tools/`."]
    assert store.rows("SELECT count(*) FROM memory_entry_versions") == [(2,)]


async def test_a_forged_copy_of_an_entry_changes_nothing_but_what_was_asked(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")

    updated = await store.revise(memory, forged(entry, text="never said", version=99, kind="lie"), "new", reason=None)

    (revised,) = await store.service.entries(updated)
    assert (revised.text, revised.version, revised.previous_version_id) == ("new", 2, entry.entry_version_id)
