"""Cases from public trackers (cases.md) that are about the Memory itself, by their identifiers."""

from __future__ import annotations

from typing import Any

from conformance.store import Store
from memlens.core.refs import EntryCitation
from memlens.memory.models import MemoryEntryInput


async def test_m1_a_correction_and_its_repetition_lose_no_statement(store: Store) -> None:
    """A contradicting, then an identical statement: two versions, v1 readable, the repetitions are no change."""
    tabs, spaces = "Use tabs in `tools/`", "Use spaces in `tools/`"
    note, again = await store.note("Spaces, please."), await store.note("Spaces, please.")
    first = await store.add(None, tabs, kind="preference")
    original = await store.entry(first, "tabs")

    class Corrects:
        """Proposes the statement as a correction of the only entry, as an accepted candidate would be."""

        async def extract(self, sources: Any, artifacts: Any, current: Any) -> list[MemoryEntryInput]:
            return [MemoryEntryInput("preference", spaces, current[0], tuple(sources))]

    service = store.with_pipeline(Corrects())
    second = await service.remember(first, sources=[note])
    assert second is not None
    assert await store.texts(second) == [spaces]

    for _ in range(2):
        assert await service.remember(second, sources=[again]) == second
        assert await store.add(second, spaces, kind="preference") == second
        assert await store.texts(second) == [spaces], "nothing is empty at any moment"
    assert await store.service.head(first.ref.artifact_id) == second

    history = await store.service.changes(second, since_revision=0)
    assert [[change.op for change in each.changes] for each in history] == [["add"], ["revise"]]
    assert store.rows("SELECT count(*) FROM memory_entry_versions") == [(2,)]
    (corrected,) = await store.service.entries(second)
    versions = [(first.ref, original), (second.ref, corrected)]
    citations = [EntryCitation(ref, version.entry_id, version.entry_version_id) for ref, version in versions]
    assert await store.service.expand(citations) == (original, corrected)
    assert (original.text, corrected.text, corrected.version) == (tabs, spaces, 2)
