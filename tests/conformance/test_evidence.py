"""Evidence: Sources, what an entry may cite, and that all of it is resolved again in the transaction (spec 1.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.store import Store, elsewhere, forged
from memlens.core.clock import utc_now
from memlens.core.errors import EvidenceError
from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source, make_source
from memlens.memory.models import Lineage, Memory, MemoryEntryInput


async def remember(store: Store, memory: Memory | None, *entries: MemoryEntryInput, sources: list[Source]) -> Memory:
    updated = await store.service.remember(memory, sources=sources, entries=entries)
    assert updated is not None
    return updated


async def test_an_addition_cites_a_subset_of_the_operations_evidence(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")

    memory = await remember(store, None, MemoryEntryInput("fact", "text", sources=(one,)), sources=[one, two])

    (entry,) = await store.service.entries(memory)
    assert entry.sources == (one.ref,)
    assert memory.lineage == Lineage(tuple(sorted([one.ref, two.ref])))


async def test_evidence_that_is_no_part_of_the_operation_cannot_be_cited(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")
    with pytest.raises(EvidenceError, match="not part of this operation"):
        await remember(store, None, MemoryEntryInput("fact", "text", sources=(one, two)), sources=[one])


async def test_a_revision_keeps_its_predecessors_evidence_and_unites_the_candidates(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")
    first = await remember(store, None, MemoryEntryInput("fact", "text", sources=(one,)), sources=[one])
    entry = await store.entry(first, "text")

    second = await remember(
        store, first, MemoryEntryInput("fact", "new", entry=entry, sources=(two,)), sources=[two]
    )  # fmt: skip

    (revised,) = await store.service.entries(second)
    assert revised.sources == tuple(sorted([one.ref, two.ref]))
    assert second.lineage == Lineage((two.ref,)), "the Revision's lineage is this operation's evidence only"


async def test_a_revision_may_cite_its_predecessors_evidence_again(store: Store) -> None:
    one = await store.note("1")
    first = await remember(store, None, MemoryEntryInput("fact", "text", sources=(one,)), sources=[one])
    entry = await store.entry(first, "text")

    second = await remember(store, first, MemoryEntryInput("fact", "new", entry=entry, sources=(one,)), sources=[])

    (revised,) = await store.service.entries(second)
    assert revised.sources == (one.ref,)


async def test_what_an_entry_object_claims_as_evidence_vouches_for_nothing(store: Store) -> None:
    one, two = await store.note("1"), await store.note("2")
    first = await remember(store, None, MemoryEntryInput("fact", "text", sources=(one,)), sources=[one])
    claims_more = forged(await store.entry(first, "text"), sources=(one.ref, two.ref))

    with pytest.raises(EvidenceError):
        await remember(store, first, MemoryEntryInput("fact", "new", entry=claims_more, sources=(two,)), sources=[])
    second = await remember(store, first, MemoryEntryInput("fact", "new", entry=claims_more), sources=[])
    (revised,) = await store.service.entries(second)
    assert revised.sources == (one.ref,)


async def test_equal_text_and_no_new_evidence_is_no_change(store: Store) -> None:
    one = await store.note("1")
    first = await remember(store, None, MemoryEntryInput("fact", "text", sources=(one,)), sources=[one])
    entry = await store.entry(first, "text")

    assert (
        await remember(store, first, MemoryEntryInput("fact", "text", entry=entry, sources=(one,)), sources=[one])
        == first
    )


async def test_a_source_that_was_never_stored_cannot_be_cited(store: Store) -> None:
    unstored = make_source("UserNoteSource", "note:1", {"text": "hm"}, utc_now())

    with pytest.raises(EvidenceError, match="store it first"):
        await remember(store, None, MemoryEntryInput("fact", "text", sources=(unstored,)), sources=[unstored])
    with pytest.raises(EvidenceError, match="store it first"):
        await remember(store, None, MemoryEntryInput("fact", "uncited"), sources=[unstored])
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]


async def test_a_source_altered_in_the_database_cannot_be_cited(store: Store) -> None:
    note = await store.note("what was said")
    store.tamper("""UPDATE sources SET content = '{"text":"never said"}'""")

    with pytest.raises(EvidenceError):
        await remember(store, None, MemoryEntryInput("fact", "text", sources=(note,)), sources=[note])


async def test_a_reference_with_another_hash_than_the_stored_source_cannot_be_cited(store: Store) -> None:
    note = replace(await store.note(), content_hash="0" * 64)

    with pytest.raises(EvidenceError):
        await remember(store, None, MemoryEntryInput("fact", "text", sources=(note,)), sources=[note])


async def test_artifacts_are_cited_by_exact_revision_and_must_exist(store: Store) -> None:
    upstream = await store.add(None, "upstream decision")
    entry = MemoryEntryInput("fact", "text", artifacts=(upstream.ref,))
    memory = await store.service.remember(None, artifacts=[upstream.ref], entries=[entry])
    assert memory is not None
    assert (await store.entry(memory, "text")).artifacts == (upstream.ref,)
    assert memory.lineage == Lineage(artifacts=(upstream.ref,))

    for missing in (elsewhere(upstream.ref, 2), ArtifactRef("mem_art_nowhere", 1)):
        with pytest.raises(EvidenceError, match="no Revision"):
            await store.service.remember(
                None, artifacts=[missing], entries=[MemoryEntryInput("fact", "other", artifacts=(missing,))]
            )


async def test_references_are_sorted_and_without_duplicates(store: Store) -> None:
    notes = [await store.note(str(number)) for number in range(6)]
    given = MemoryEntryInput("fact", "text", sources=(*notes, *reversed(notes)))

    memory = await remember(store, None, given, sources=notes)

    (entry,) = await store.service.entries(memory)
    assert entry.sources == tuple(sorted({note.ref for note in notes}))


async def test_storing_a_source_twice_is_storing_it_once(store: Store) -> None:
    first = make_source("UserNoteSource", "note:1", {"text": "same", "n": 1}, "2026-01-01T00:00:00.000000Z")
    again = make_source("UserNoteSource", "note:1", {"n": 1, "text": "same"}, "2027-01-01T00:00:00.000000Z")
    await store.backend.store_sources([first, again])
    await store.backend.store_sources([again])

    assert first.ref == again.ref
    assert store.rows("SELECT source_id, created_at FROM sources") == [(first.source_id, first.created_at)]


async def test_sources_differ_by_type_uri_and_content(store: Store) -> None:
    variants = [
        make_source(kind, uri, {"text": text}, utc_now())
        for kind in ("UserNoteSource", "DocumentSource")
        for uri in ("a", "b")
        for text in ("1", "2")
    ]
    await store.backend.store_sources(variants)

    assert store.rows("SELECT count(*) FROM sources") == [(8,)]


async def test_a_source_that_is_not_what_its_hash_says_is_never_stored(store: Store) -> None:
    honest = make_source("UserNoteSource", "note:1", {"text": "said"}, utc_now())

    with pytest.raises(EvidenceError):
        await store.backend.store_sources([replace(honest, content={"text": "never said"})])
    await store.backend.store_sources([honest])

    memory = await remember(store, None, MemoryEntryInput("fact", "t", sources=(honest,)), sources=[honest])
    assert memory.lineage.sources == (honest.ref,)


async def test_storing_sources_creates_no_memory(store: Store) -> None:
    await store.note("something that could be remembered")

    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]
