"""Revising: the chain of versions of one entry (spec 1.3, 1.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.store import Store, forged
from memlens.core.errors import (
    ForeignEntryError,
    InactiveEntryError,
    IntegrityError,
    StaleEntryError,
    UnknownEntryError,
)
from memlens.core.refs import ArtifactRef
from memlens.memory.manifest import ManifestEntry
from memlens.memory.models import (
    Memory,
    MemoryChange,
    MemoryContent,
    MemoryEntryVersion,
    entry_content,
    entry_content_hash,
)
from memlens.memory.ports import NewRevision, Projections


async def test_each_version_follows_the_one_that_the_base_points_at(store: Store) -> None:
    memory = await store.add(None, "text 1", "bystander")
    chain = [await store.entry(memory, "text")]
    for number in range(2, 6):
        memory = await store.revise(memory, chain[-1], f"text {number}")
        chain.append(await store.entry(memory, "text"))

    assert [entry.version for entry in chain] == [1, 2, 3, 4, 5]
    assert [entry.previous_version_id for entry in chain] == [None, *(e.entry_version_id for e in chain[:-1])]
    assert [entry.created_in_revision for entry in chain] == [1, 2, 3, 4, 5]
    assert len({entry.entry_id for entry in chain}) == 1
    assert (await store.verify()).ok


async def test_a_revision_may_change_the_kind_alone(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")

    updated = await store.revise(memory, forged(entry, kind="decision"), "text")

    assert [(e.kind, e.version) for e in await store.service.entries(updated)] == [("decision", 2)]


async def test_restoring_is_a_revision_back_and_history_stays(store: Store) -> None:
    first = await store.add(None, "first wording")
    entry = await store.entry(first, "first")
    second = await store.revise(first, entry, "second wording")

    third = await store.revise(second, await store.entry(second, "second"), entry.text)

    restored = await store.entry(third, "first")
    assert (restored.version, restored.entry_content_hash) == (3, entry.entry_content_hash)
    assert restored.entry_version_id != entry.entry_version_id


async def test_a_stale_entry_object_is_refused(store: Store) -> None:
    first = await store.add(None, "text")
    stale = await store.entry(first, "text")
    second = await store.revise(first, stale, "newer")

    with pytest.raises(StaleEntryError, match="newer version"):
        await store.revise(second, stale, "newest")


async def test_an_inactive_entry_must_be_reactivated_before_it_is_revised(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")
    memory = await store.service.forget(memory, [entry])
    with pytest.raises(InactiveEntryError, match="reactivate it first"):
        await store.revise(memory, entry, "new")

    memory = await store.service.reactivate(memory, [entry])
    assert await store.texts(await store.revise(memory, entry, "new")) == ["new"]


async def test_an_entry_of_another_memory_is_refused(store: Store) -> None:
    here, there = await store.add(None, "here"), await store.add(None, "there")
    foreign = await store.entry(there, "there")

    with pytest.raises(ForeignEntryError):
        await store.revise(here, foreign, "new")
    with pytest.raises(UnknownEntryError):
        await store.revise(here, forged(foreign, memory_artifact_id=here.ref.artifact_id), "new")


async def test_an_entry_object_with_another_hash_is_not_the_current_version(store: Store) -> None:
    memory = await store.add(None, "text")
    entry = await store.entry(memory, "text")

    with pytest.raises(StaleEntryError):
        await store.revise(memory, forged(entry, entry_content_hash="0" * 64), "new")


async def test_old_revisions_and_old_versions_read_as_they_were_written(store: Store) -> None:
    first = await store.add(None, "text", "other")
    entry = await store.entry(first, "text")
    second = await store.revise(first, entry, "newer")
    await store.service.forget(second, [await store.entry(second, "other")])
    await store.reopen()

    assert await store.backend.revision(first.ref) == first
    assert await store.texts(first) == ["other", "text"]
    assert await store.service.entries(first, [entry.entry_id]) == (entry,)
    assert await store.texts(second) == ["newer", "other"]


# What the unit of work refuses even from a service that has gone wrong.


def next_version(base: MemoryEntryVersion, **changes: object) -> MemoryEntryVersion:
    version = replace(
        base,
        entry_version_id="mem_ver_next",
        version=base.version + 1,
        previous_version_id=base.entry_version_id,
        created_in_revision=base.created_in_revision + 1,
    )
    version = replace(version, **changes)  # type: ignore[arg-type]
    content = entry_content(version.kind, version.text, version.sources, version.artifacts)
    return replace(version, entry_content_hash=changes.get("entry_content_hash") or entry_content_hash(content))  # type: ignore[arg-type]


async def commit(store: Store, base: Memory, version: MemoryEntryVersion, change: MemoryChange) -> Memory:
    line = ManifestEntry(version.entry_id, version.entry_version_id, version.entry_content_hash, "active")
    content = MemoryContent(base.manifest.with_entries([line]), (change,))
    revision = NewRevision(ArtifactRef(base.ref.artifact_id, base.ref.revision + 1), base.lineage, "test")
    async with store.backend.begin() as unit:
        return await unit.commit(revision, base, content, [version], Projections())


def revising(old: MemoryEntryVersion, new: MemoryEntryVersion) -> MemoryChange:
    return MemoryChange("revise", new.entry_id, old.entry_version_id, new.entry_version_id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": 3},
        {"version": 1},
        {"previous_version_id": None},
        {"created_in_revision": 7},
        {"memory_artifact_id": "mem_art_other"},
        {"entry_content_hash": "0" * 64},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
async def test_a_version_that_does_not_follow_the_base_is_never_committed(
    store: Store, wrong: dict[str, object]
) -> None:
    base = await store.add(None, "text")
    old = await store.entry(base, "text")
    new = next_version(old, text="new", **wrong)

    with pytest.raises(IntegrityError):
        await commit(store, base, new, revising(old, new))

    assert await store.service.head(base.ref.artifact_id) == base
    assert (await store.verify()).ok


async def test_a_version_cannot_follow_a_version_of_another_entry(store: Store) -> None:
    base = await store.add(None, "one", "two")
    one, two = await store.entry(base, "one"), await store.entry(base, "two")
    crossing = next_version(one, previous_version_id=two.entry_version_id)

    with pytest.raises(IntegrityError):
        await commit(store, base, crossing, revising(one, crossing))


async def test_a_version_cannot_branch_off_an_earlier_version(store: Store) -> None:
    first = await store.add(None, "one")
    one = await store.entry(first, "one")
    second = await store.revise(first, one, "two")
    branch = next_version(one, created_in_revision=3)

    with pytest.raises(IntegrityError):
        await commit(store, second, branch, revising(one, branch))


async def test_a_manifest_that_changes_more_than_it_says_is_never_committed(store: Store) -> None:
    base = await store.add(None, "one", "two")
    one, two = await store.entry(base, "one"), await store.entry(base, "two")
    new = next_version(one, text="new")
    hidden = ManifestEntry(two.entry_id, two.entry_version_id, two.entry_content_hash, "inactive")
    line = ManifestEntry(new.entry_id, new.entry_version_id, new.entry_content_hash, "active")
    content = MemoryContent(base.manifest.with_entries([line, hidden]), (revising(one, new),))

    with pytest.raises(IntegrityError):
        async with store.backend.begin() as unit:
            revision = NewRevision(ArtifactRef(base.ref.artifact_id, 2), base.lineage, "test")
            await unit.commit(revision, base, content, [new], Projections())

    assert await store.texts(base) == ["one", "two"]


@pytest.mark.parametrize("bodies", [0, 2])
async def test_a_commit_brings_exactly_the_bodies_that_its_changes_introduce(store: Store, bodies: int) -> None:
    base = await store.add(None, "one")
    one = await store.entry(base, "one")
    new = next_version(one, text="new")
    extra = replace(
        new, entry_id="mem_ent_extra", entry_version_id="mem_ver_extra", version=1, previous_version_id=None
    )
    line = ManifestEntry(new.entry_id, new.entry_version_id, new.entry_content_hash, "active")
    content = MemoryContent(base.manifest.with_entries([line]), (revising(one, new),))
    revision = NewRevision(ArtifactRef(base.ref.artifact_id, 2), base.lineage, "test")

    with pytest.raises(IntegrityError):
        async with store.backend.begin() as unit:
            await unit.commit(revision, base, content, [new, extra][:bodies], Projections())

    assert await store.service.head(base.ref.artifact_id) == base
    assert (await store.verify()).ok
