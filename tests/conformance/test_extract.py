"""remember(mode="extract"): the bounded window, several providers, untrusted output (spec 1.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.store import Store, forged, ops
from memlens.core.clock import utc_now
from memlens.core.errors import (
    CapabilityNotSupportedError,
    EvidenceError,
    ForeignEntryError,
    InactiveEntryError,
    InvalidInputError,
    InvalidKindError,
    RevisionConflictError,
    StaleEntryError,
    UnknownEntryError,
)
from memlens.core.sources import Source, make_source
from memlens.memory.candidates import CandidateProvider, CandidateProviders
from memlens.memory.models import Memory, MemoryEntryInput, MemoryEntryVersion
from memlens.memory.window import WINDOW_ENTRIES
from memlens.sessions.working_note import WorkingNotes

Propose = Callable[[Sequence[Source], Sequence[MemoryEntryVersion]], Sequence[MemoryEntryInput]]


class Pipeline:
    """Proposes what a function makes of the evidence and the window; keeps the window."""

    def __init__(self, propose: Propose = lambda sources, shown: ()) -> None:
        self.propose = propose
        self.shown: list[MemoryEntryVersion] = []

    async def extract(
        self, sources: Sequence[Source], artifacts: Sequence[Any], current_entries: Sequence[MemoryEntryVersion]
    ) -> Sequence[MemoryEntryInput]:
        self.shown = list(current_entries)
        return self.propose(sources, current_entries)


async def stored(store: Store, kind: str, uri: str, **content: Any) -> Source:
    source = make_source(kind, uri, content, utc_now())
    await store.backend.store_sources([source])
    return source


async def window(store: Store, memory: Memory, *sources: Source, **options: Any) -> list[str]:
    pipeline = Pipeline()
    assert await store.with_pipeline(pipeline).remember(memory, sources=sources, mode="extract", **options) == memory
    return [entry.text for entry in pipeline.shown]


async def large(store: Store, *special: MemoryEntryInput, sources: Sequence[Source] = ()) -> Memory:
    """Return a Memory with more entries than a window holds."""
    filler = [MemoryEntryInput("fact", f"filler number {number}") for number in range(WINDOW_ENTRIES + 20)]
    memory = await store.service.remember(None, sources=sources, entries=[*filler, *special])
    assert memory is not None
    return memory


async def test_a_small_memory_is_shown_whole(store: Store) -> None:
    memory = await store.add(None, *(f"entry {number}" for number in range(WINDOW_ENTRIES)), "forgotten")
    memory = await store.service.forget(memory, [await store.entry(memory, "forgotten")])

    shown = await window(store, memory, await store.note("nothing in common"))

    assert sorted(shown) == await store.texts(memory)
    assert len(shown) == WINDOW_ENTRIES


async def test_of_a_large_memory_entries_on_the_same_evidence_and_at_the_same_uri_come_first(store: Store) -> None:
    old = await stored(store, "DocumentSource", "repo:///Makefile", path="Makefile", text_sha256="0" * 64)
    new = await stored(store, "DocumentSource", "repo:///Makefile", path="Makefile", text_sha256="1" * 64)
    memory = await large(
        store,
        MemoryEntryInput("fact", "older state of the file", sources=(old,)),
        MemoryEntryInput("fact", "this very evidence", sources=(new,)),
        sources=[old, new],
    )

    assert await window(store, memory, new) == ["this very evidence", "older state of the file"]


async def test_of_a_large_memory_entries_on_the_same_artifact_are_shown(store: Store) -> None:
    upstream = await store.add(None, "upstream")
    entry = MemoryEntryInput("fact", "follows upstream", artifacts=(upstream.ref,))
    filler = [MemoryEntryInput("fact", f"filler {number}") for number in range(WINDOW_ENTRIES + 1)]
    memory = await store.service.remember(None, artifacts=[upstream.ref], entries=[entry, *filler])
    assert memory is not None
    upstream = await store.add(upstream, "moved on")
    pipeline = Pipeline()

    await store.with_pipeline(pipeline).remember(memory, artifacts=[upstream.ref])

    assert [e.text for e in pipeline.shown] == ["follows upstream"]


async def test_of_a_large_memory_search_finds_what_the_evidence_speaks_of(store: Store) -> None:
    """Line by line: in a long report no single line would weigh enough."""
    memory = await large(
        store,
        MemoryEntryInput("preference", "Documentation changes run make docs-test."),
        MemoryEntryInput("constraint", "发布前必须备份数据库"),
        MemoryEntryInput("fact", "walnuts are brown"),
    )
    report = "\n".join(
        [*(f"unrelated {word} lorem ipsum" for word in ["dolor", "sit", "amet"]), "ran docs-test", "备份数据库失败"]
    )
    source = await stored(store, "TaskOutcomeSource", "task:1", report=report, git_head="deadbeef" * 5)

    shown = await window(store, memory, source)

    assert sorted(shown) == ["Documentation changes run make docs-test.", "发布前必须备份数据库"]


async def test_the_window_is_bounded_and_the_same_every_time(store: Store) -> None:
    source = await stored(store, "DocumentSource", "repo:///AGENTS.md", path="AGENTS.md", text="walnut almond")
    related = [MemoryEntryInput("fact", f"related {n}", sources=(source,)) for n in range(WINDOW_ENTRIES + 30)]
    memory = await large(store, *related, MemoryEntryInput("fact", "walnut"), sources=[source])

    shown = await window(store, memory, source)

    assert len(shown) == len(set(shown)) == WINDOW_ENTRIES
    assert "walnut" in shown, "what search finds is not crowded out"
    assert sum(text.startswith("related") for text in shown) == WINDOW_ENTRIES - 1
    await store.reopen()
    assert await window(store, memory, source) == shown


async def test_inactive_entries_are_in_no_window(store: Store) -> None:
    source = await stored(store, "UserNoteSource", "note:1", text="walnut")
    memory = await large(store, MemoryEntryInput("fact", "walnut", sources=(source,)), sources=[source])
    memory = await store.service.forget(memory, [await store.entry(memory, "walnut")])

    assert await window(store, memory, source) == []


async def test_a_head_that_moves_while_the_window_is_chosen_is_a_conflict(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, note = await large(store), await store.note("filler")
    related = store.backend.entries_citing

    async def and_meanwhile(*arguments: Any) -> tuple[str, ...]:
        await store.add(memory, "another writer was faster")
        return await related(*arguments)

    monkeypatch.setattr(store.backend, "entries_citing", and_meanwhile)
    with pytest.raises(RevisionConflictError):
        await store.with_pipeline(Pipeline()).remember(memory, sources=[note])


async def test_a_candidate_may_revise_what_it_was_shown_and_evidence_unites(store: Store) -> None:
    memory, note = await store.add(None, "run make test"), await store.note("docs need only docs-test")
    service = store.with_pipeline(
        Pipeline(lambda sources, shown: [MemoryEntryInput("fact", "run make docs-test", shown[0], tuple(sources))])
    )

    revised = await service.remember(memory, sources=[note])

    assert revised is not None
    (entry,) = await store.service.entries(revised)
    assert (entry.version, entry.text, entry.sources) == (2, "run make docs-test", (note.ref,))
    assert ops(revised.content.changes) == [("revise", None)], "no reason was given, and none is invented"


async def test_a_candidate_that_revises_what_is_not_current_and_active_is_refused(store: Store) -> None:
    memory, note = await store.add(None, "text", "other"), await store.note()
    stale = await store.entry(memory, "text")
    memory = await store.revise(memory, stale, "newer")
    current, gone = await store.entry(memory, "newer"), await store.entry(memory, "other")
    memory = await store.service.forget(memory, [gone])
    foreign = await store.entry(await store.add(None, "foreign"), "foreign")
    refused = [
        (stale, StaleEntryError),
        (gone, InactiveEntryError),
        (foreign, ForeignEntryError),
        (forged(current, entry_id="mem_ent_invented"), UnknownEntryError),
        (forged(current, entry_content_hash="0" * 64), StaleEntryError),
    ]

    for entry, error in refused:
        candidate = MemoryEntryInput("fact", "proposed", entry)
        with pytest.raises(error):
            await store.with_pipeline(Pipeline(lambda *_, c=candidate: [c])).remember(memory, sources=[note])
    assert await store.service.head(memory.ref.artifact_id) == memory


async def test_a_candidate_that_cites_what_the_operation_did_not_bring_is_refused(store: Store) -> None:
    memory, note, other = await store.add(None, "text"), await store.note(), await store.note("elsewhere")
    entry = await store.entry(memory, "text")

    for candidate in (
        MemoryEntryInput("fact", "new", sources=(other,)),
        MemoryEntryInput("fact", "new", entry, sources=(other,)),
        MemoryEntryInput("fact", "new", forged(entry, sources=(other.ref,)), sources=(other,)),
        MemoryEntryInput("fact", "new", artifacts=(memory.ref,)),
    ):
        with pytest.raises(EvidenceError):
            await store.with_pipeline(Pipeline(lambda *_, c=candidate: [c])).remember(memory, sources=[note])


@pytest.mark.parametrize(
    ("output", "error"),
    [
        (None, InvalidInputError),
        ("text", InvalidInputError),
        ([None], InvalidInputError),
        ([{"kind": "fact", "text": "x"}], InvalidInputError),
        ([MemoryEntryInput("fact", "x", entry="mem_ent_1")], InvalidInputError),  # type: ignore[arg-type]
        ([MemoryEntryInput("fact", "x", sources=("src_1",))], InvalidInputError),  # type: ignore[arg-type]
        ([MemoryEntryInput("fact", 5)], InvalidInputError),  # type: ignore[arg-type]
        ([MemoryEntryInput(None, "x")], InvalidKindError),  # type: ignore[arg-type]
        ([MemoryEntryInput("fact", "x", reason=7)], InvalidInputError),  # type: ignore[arg-type]
    ],
)
async def test_output_that_is_no_candidate_is_a_typed_error(store: Store, output: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        await store.with_pipeline(Pipeline(lambda *_: output)).remember(None, sources=[await store.note()])
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]


async def test_a_source_that_was_altered_on_its_way_is_shown_to_no_provider(store: Store) -> None:
    pipeline = Pipeline(lambda sources, shown: [MemoryEntryInput("fact", sources[0].content["text"])])
    altered = replace(await store.note("said"), content={"text": "never said"})

    with pytest.raises(EvidenceError, match="hash"):
        await store.with_pipeline(pipeline).remember(None, sources=[altered])


async def test_without_any_model_a_report_becomes_a_working_note_and_nothing_else(store: Store) -> None:
    providers = CandidateProviders(fallback=CandidateProvider("working_note", WorkingNotes()))
    service = store.with_pipeline(providers)
    report = "We decided to use uv. Never edit site/. The parser still fails on empty files."
    outcome = await stored(store, "TaskOutcomeSource", "task:1", report=report, changed_paths=["src/parser.py"])

    memory = await service.remember(None, sources=[outcome], mode="extract")

    assert memory is not None
    (entry,) = await store.service.entries(memory)
    assert entry.kind == "working_note"
    assert report in entry.text
    assert entry.sources == (outcome.ref,)
    assert await service.remember(memory, sources=[outcome], mode="extract") == memory


async def test_with_nothing_useful_to_keep_there_is_no_memory(store: Store) -> None:
    service = store.with_pipeline(CandidateProviders(fallback=CandidateProvider("working_note", WorkingNotes())))
    turn = await stored(store, "AgentTurnSource", "turn:1", report="Done.", changed_paths=["a.py"], git_head="a" * 40)

    assert await service.remember(None, sources=[turn], mode="extract") is None
    assert store.rows("SELECT count(*) FROM artifact_heads") == [(0,)]
    memory = await store.add(None, "text")
    assert await service.remember(memory, sources=[turn], mode="extract") == memory


async def test_an_explicitly_asked_provider_that_is_not_configured_is_a_capability_error(store: Store) -> None:
    providers = CandidateProviders(fallback=CandidateProvider("working_note", WorkingNotes()))

    with pytest.raises(CapabilityNotSupportedError, match="No candidate provider model"):
        store.with_pipeline(providers.asked("model"))
