"""restore(): a revision back to what an earlier version says; evidence never shrinks (spec 1.4 [D], 2.2)."""

from __future__ import annotations

import pytest

from conformance.store import Store, forged, ops
from memlens.core.errors import (
    ForeignEntryError,
    InactiveEntryError,
    IntegrityError,
    InvalidTextError,
    RevisionConflictError,
    StaleEntryError,
    UnknownEntryError,
    UnknownVersionError,
)
from memlens.memory.models import Memory, MemoryEntryInput, MemoryEntryVersion


async def revised(store: Store, *texts: str) -> tuple[Memory, list[MemoryEntryVersion]]:
    """Return a Memory with one entry that said one text after the other, and its versions."""
    memory = await store.add(None, texts[0])
    versions = [await store.entry(memory, texts[0])]
    for text in texts[1:]:
        memory = await store.revise(memory, versions[-1], text)
        versions.append(await store.entry(memory, text))
    return memory, versions


async def test_restoring_makes_a_new_version_that_says_what_the_earlier_one_said(store: Store) -> None:
    memory, (one, _, three) = await revised(store, "one", "two", "three")

    restored = await store.service.restore(memory, three, 1, "it was right", actor="Ada")

    entry = await store.entry(restored, "one")
    assert (entry.version, entry.previous_version_id) == (4, three.entry_version_id)
    assert entry.entry_content_hash == one.entry_content_hash
    assert ops(restored.content.changes) == [("revise", "it was right")]
    assert restored.actor == "Ada"
    assert await store.hits("one", restored) == ["one"]
    assert await store.texts(memory) == ["three"], "history stays"
    assert (await store.verify()).ok


async def test_a_version_is_named_by_number_or_identifier(store: Store) -> None:
    memory, (_, two, three) = await revised(store, "one", "two", "three")

    by_number = await store.service.restore(memory, three, 2)
    entry = await store.entry(by_number, "two")
    by_id = await store.service.restore(by_number, entry, three.entry_version_id)

    assert entry.entry_content_hash == two.entry_content_hash
    assert await store.texts(by_id) == ["three"]


async def test_the_kind_is_restored_too(store: Store) -> None:
    memory = await store.add(None, "text", kind="decision")
    entry = await store.entry(memory, "text")
    memory = await store.revise(memory, forged(entry, kind="fact"), "text")

    memory = await store.service.restore(memory, await store.entry(memory, "text"), 1)

    assert [e.kind for e in await store.service.entries(memory)] == ["decision"]


async def test_evidence_is_kept_and_never_shrinks(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")
    memory = await store.service.remember(None, sources=[one], entries=[MemoryEntryInput("fact", "a", sources=(one,))])
    assert memory is not None
    entry = await store.entry(memory, "a")
    memory = await store.service.remember(
        memory, sources=[two], entries=[MemoryEntryInput("fact", "b", entry, sources=(two,))]
    )
    assert memory is not None

    restored = await store.service.restore(memory, await store.entry(memory, "b"), 1)

    (entry,) = await store.service.entries(restored)
    assert (entry.text, entry.sources) == ("a", tuple(sorted([one.ref, two.ref])))
    assert restored.lineage.sources == (), "the operation itself brought no evidence"


async def test_restoring_what_the_entry_says_is_no_change(store: Store) -> None:
    memory, (one, two) = await revised(store, "one", "two")
    memory = await store.revise(memory, two, "one")
    entry = await store.entry(memory, "one")

    for version in (1, 3, one.entry_version_id, entry.entry_version_id):
        assert await store.service.restore(memory, entry, version) == memory


async def test_inactive_stale_foreign_and_unknown_entries_are_refused_as_in_revise(store: Store) -> None:
    memory, (one, two) = await revised(store, "one", "two")
    other = await store.add(None, "other")
    refused = [
        (one, StaleEntryError),
        (await store.entry(other, "other"), ForeignEntryError),
        (forged(two, entry_id="mem_ent_none"), UnknownEntryError),
        (forged(two, entry_content_hash="0" * 64), StaleEntryError),
    ]
    for wrong, error in refused:
        with pytest.raises(error):
            await store.service.restore(memory, wrong, 1)

    forgotten = await store.service.forget(memory, [two])
    with pytest.raises(InactiveEntryError, match="reactivate it first"):
        await store.service.restore(forgotten, two, 1)
    with pytest.raises(RevisionConflictError):
        await store.service.restore(memory, two, 1)


async def test_a_version_that_is_none_of_this_entry_is_refused(store: Store) -> None:
    memory, (_, two) = await revised(store, "one", "two")
    memory = await store.add(memory, "bystander")
    bystander = await store.entry(memory, "bystander")

    for version in (0, -1, 3, "", "mem_ver_none", bystander.entry_version_id):
        with pytest.raises(UnknownVersionError, match="memlens history"):
            await store.service.restore(memory, two, version)
    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_a_reason_that_cannot_be_stored_is_refused(store: Store) -> None:
    memory, (_, two) = await revised(store, "one", "two")
    with pytest.raises(InvalidTextError):
        await store.service.restore(memory, two, 1, "x" * 513)


@pytest.mark.parametrize("with_hash", [False, True], ids=["body", "body and hash"])
async def test_an_altered_earlier_body_is_never_restored(store: Store, with_hash: bool) -> None:
    """Not even when its hash was altered with it: the Revision that introduced it commits to another one."""
    memory, (one, two) = await revised(store, "one", "two")
    fake = await store.entry(await store.add(None, "never said"), "never said")
    hash_ = fake.entry_content_hash if with_hash else one.entry_content_hash
    store.tamper("UPDATE memory_entry_versions SET text = 'never said', entry_content_hash = ? "
                 "WHERE entry_version_id = ?", hash_, one.entry_version_id)  # fmt: skip
    await store.reopen()

    with pytest.raises(IntegrityError, match="memlens verify"):
        await store.service.restore(memory, two, 1)


async def test_correcting_and_repeating_keeps_two_versions_readable_by_exact_citation(store: Store) -> None:
    """Case M1, over restore as well: repeating the current version changes nothing, and v1 stays readable."""
    memory, (one, two) = await revised(store, "Use tabs in `tools/`", "Use spaces in `tools/`")

    for _ in range(2):
        assert await store.add(memory, two.text) == memory
        assert await store.service.restore(memory, two, 2) == memory

    assert await store.service.entries(await store.backend.revision(type(memory.ref)(memory.ref.artifact_id, 1))) == (
        one,
    )
    assert await store.texts(memory) == [two.text]
