"""changes(): what happened, without bodies; expand(): exactly what a citation names (spec 1.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.store import Store, elsewhere, ops
from memlens.core.errors import ArtifactNotFoundError, InvalidCitationError, InvalidInputError
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.memory.models import Memory, MemoryEntryVersion


async def four_revisions(store: Store) -> Memory:
    """Add two entries, revise one, forget it, bring it back."""
    memory = await store.add(None, "walnut", "almond", actor="Ada")
    memory = await store.revise(memory, await store.entry(memory, "walnut"), "walnut tree", reason="precise")
    walnut = await store.entry(memory, "walnut")
    memory = await store.service.forget(memory, [walnut], "season")
    return await store.service.reactivate(memory, [walnut], actor="Bob")


def cite(memory: Memory, entry: MemoryEntryVersion) -> EntryCitation:
    return EntryCitation(memory.ref, entry.entry_id, entry.entry_version_id)


@pytest.mark.parametrize(
    ("since", "revisions"), [(None, [4]), (0, [1, 2, 3, 4]), (1, [2, 3, 4]), (3, [4]), (4, [])]
)  # fmt: skip
async def test_since_is_exclusive_and_without_it_only_the_targets_own_changes_come(
    store: Store, since: int | None, revisions: list[int]
) -> None:
    memory = await four_revisions(store)
    found = await store.service.changes(memory, since_revision=since)
    assert [each.memory_ref for each in found] == [elsewhere(memory.ref, number) for number in revisions]


async def test_changes_tell_operation_entry_versions_and_reason_by_revision(store: Store) -> None:
    memory = await four_revisions(store)
    walnut = await store.entry(memory, "walnut")

    history = await store.service.changes(memory, since_revision=0)

    assert [ops(each.changes) for each in history] == [
        [("add", None), ("add", None)],
        [("revise", "precise")],
        [("deactivate", "season")],
        [("reactivate", None)],
    ]
    assert [each.actor for each in history] == ["Ada", "", "", "Bob"]
    assert history[1].changes[0].from_entry_version_id == walnut.previous_version_id
    assert history[1].changes[0].to_entry_version_id == walnut.entry_version_id


async def test_changes_may_be_asked_for_an_old_revision(store: Store) -> None:
    memory = await four_revisions(store)
    found = await store.service.changes(elsewhere(memory.ref, 2), since_revision=1)
    assert [ops(each.changes) for each in found] == [[("revise", "precise")]]


async def test_changes_read_no_bodies(store: Store) -> None:
    memory = await four_revisions(store)
    expected = await store.service.changes(memory, since_revision=0)
    store.tamper("DELETE FROM memory_entry_heads")
    store.tamper("DELETE FROM memory_entry_versions")
    await store.reopen()

    assert await store.service.changes(memory, since_revision=0) == expected


@pytest.mark.parametrize("since", [-1, 5, 10**12])
async def test_a_negative_or_later_revision_to_start_after_is_a_value_error(store: Store, since: int) -> None:
    memory = await four_revisions(store)
    with pytest.raises(InvalidInputError) as refusal:
        await store.service.changes(memory, since_revision=since)
    assert isinstance(refusal.value, ValueError)


@pytest.mark.parametrize("since", [None, 0, 3])
async def test_changes_of_a_revision_or_memory_that_does_not_exist_are_not_found(
    store: Store, since: int | None
) -> None:
    memory = await four_revisions(store)
    for ref in (elsewhere(memory.ref, 5), ArtifactRef("mem_art_nowhere", 4)):
        with pytest.raises(ArtifactNotFoundError):
            await store.service.changes(ref, since_revision=since)


async def test_revision_zero_has_no_changes(store: Store) -> None:
    memory = await four_revisions(store)
    with pytest.raises((ArtifactNotFoundError, InvalidInputError)):
        await store.service.changes(elsewhere(memory.ref, 0))


async def test_hits_and_citations_expand_to_exactly_what_they_name_in_their_order(store: Store) -> None:
    memory = await store.add(None, "walnut one", "walnut two")
    hits = (await store.service.search("walnut", [memory])).hits
    citations = [hit.citation for hit in reversed(hits)]

    assert [entry.text for entry in await store.service.expand(hits)] == [hit.text for hit in hits]
    assert [entry.text for entry in await store.service.expand(citations)] == [hit.text for hit in reversed(hits)]
    assert await store.service.expand([]) == ()


async def test_a_citation_of_an_old_version_and_of_a_forgotten_entry_still_verifies(store: Store) -> None:
    first = await store.add(None, "walnut")
    old = await store.entry(first, "walnut")
    second = await store.revise(first, old, "walnut tree")
    new = await store.entry(second, "walnut")
    third = await store.service.forget(second, [new])

    assert await store.service.expand([cite(first, old), cite(second, new), cite(third, new)]) == (old, new, new)


async def test_a_citation_is_never_stitched_across_revisions(store: Store) -> None:
    first = await store.add(None, "walnut")
    old = await store.entry(first, "walnut")
    second = await store.revise(first, old, "walnut tree")
    third = await store.revise(second, await store.entry(second, "walnut"), "walnut wood")
    new = await store.entry(third, "walnut")

    for wrong in (cite(third, old), cite(first, new), cite(second, new), cite(second, old)):
        with pytest.raises(InvalidCitationError, match="points at version"):
            await store.service.expand([wrong])


async def test_a_citation_is_never_stitched_across_memories_or_entries(store: Store) -> None:
    here = await store.add(None, "walnut", "almond")
    there = await store.add(None, "pistachio")
    walnut, almond = await store.entry(here, "walnut"), await store.entry(here, "almond")
    pistachio = await store.entry(there, "pistachio")

    for wrong in (
        cite(here, pistachio),
        cite(there, walnut),
        replace(cite(here, walnut), entry_version_id=almond.entry_version_id),
        replace(cite(here, walnut), entry_version_id=pistachio.entry_version_id),
        replace(cite(here, walnut), entry_version_id="mem_ver_none"),
        replace(cite(here, walnut), entry_id="mem_ent_none"),
        replace(cite(here, walnut), memory_ref=elsewhere(here.ref, 2)),
        replace(cite(here, walnut), memory_ref=ArtifactRef("mem_art_nowhere", 1)),
    ):
        with pytest.raises(InvalidCitationError):
            await store.service.expand([cite(here, walnut), wrong])


@pytest.mark.parametrize(
    "alteration",
    [
        "UPDATE memory_entry_versions SET text = 'never said'",
        "UPDATE memory_entry_versions SET kind = 'constraint'",
        "UPDATE memory_entry_versions SET entry_content_hash = '" + "0" * 64 + "'",
        """UPDATE memory_entry_versions SET source_refs = '[{"content_hash":"0","source_id":"src_0"}]'""",
        "UPDATE memory_entry_versions SET entry_id = 'mem_ent_other'",
        "UPDATE memory_entry_versions SET source_refs = 'damaged'",
        "DELETE FROM memory_entry_versions",
    ],
)
async def test_an_altered_or_missing_body_is_an_invalid_citation(store: Store, alteration: str) -> None:
    memory = await store.add(None, "walnut")
    citation = cite(memory, await store.entry(memory, "walnut"))
    store.tamper(alteration)

    with pytest.raises(InvalidCitationError, match="missing or was altered"):
        await store.service.expand([citation])


async def test_only_the_full_layer_exists(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="no layer"):
        await store.service.expand([], layer="summary")  # type: ignore[arg-type]
