"""The RFC's acceptance list: the lines about candidates and about work without a model (others: test_acceptance.py).

Covered in part only: the hooks that make Sources of what agents do, and the deterministic adapters, are to come. An
event is here what it will be then: a stored Source from which a caller extracts.
"""

from __future__ import annotations

from typing import Any

import pytest

from conformance.store import Store, forged, ops
from memlens.core.errors import (
    CapabilityNotSupportedError,
    EvidenceError,
    MemLensError,
    RevisionConflictError,
    StaleEntryError,
)
from memlens.core.sources import Source, make_source
from memlens.memory.candidates import CandidateProvider, CandidateProviders
from memlens.memory.models import MemoryEntryInput
from memlens.sessions.outcome import Outcome
from memlens.sessions.working_note import WorkingNotes

WITHOUT_A_MODEL = CandidateProviders(fallback=CandidateProvider("working_note", WorkingNotes()))


async def report(store: Store, words: str, source_type: str = "TaskOutcomeSource") -> Source:
    """Store what an agent reported."""
    source = make_source(source_type, "task:1", Outcome(words).as_content(), "2026-01-01T00:00:00Z")
    await store.backend.store_sources([source])
    return source


async def test_a_task_event_triggers_candidates_explicitly_and_a_source_alone_creates_no_memory(store: Store) -> None:
    """Runtime 能从 provider task event 显式触发候选生成；Source 写入本身不会旁路该流程自动创建 Memory"""
    await store.note("Remember: always run make check!")
    event = await report(store, "The parser handles empty files now; nested arrays still fail.")
    assert store.rows("SELECT count(*) FROM artifact_revisions") == [(0,)]
    assert store.rows("SELECT count(*) FROM memory_entry_versions") == [(0,)]

    memory = await store.with_pipeline(WITHOUT_A_MODEL).remember(None, sources=[event], mode="extract")

    assert memory is not None
    assert memory.lineage.sources == (event.ref,)
    assert [entry.sources for entry in await store.service.entries(memory)] == [(event.ref,)]


async def test_without_any_model_everything_but_vectors_works(store: Store) -> None:
    """无 LLM 或 embedding model 时，显式输入(、确定性 adapter) 和有价值的 task outcome 可以生成候选，

    全文搜索、organize、forget、reactivate、changes、expand 和 citation 校验仍可工作
    """
    assert not (await store.backend.capabilities()).vector
    memory = await store.add(None, "walnut", "twin")
    memory = await store.revise(memory, await store.entry(memory, "twin"), "walnut")
    memory = await store.service.organize(memory)
    assert await store.texts(memory) == ["walnut"]
    (hit,) = (await store.service.search("walnut", [memory])).hits
    (entry,) = await store.service.expand([hit])
    memory = await store.service.reactivate(await store.service.forget(memory, [entry]), [entry])

    event = await report(store, "Walnut trees are pruned in August, said the outcome.")
    noted = await store.with_pipeline(WITHOUT_A_MODEL).remember(memory, sources=[event])

    assert noted is not None
    assert len(await store.hits("walnut", noted)) == 2
    assert len(await store.service.changes(noted, since_revision=0)) == 6
    assert await store.service.expand([hit.citation]) == (entry,)


async def test_without_a_semantic_provider_a_report_is_a_working_note_and_no_fact_decision_or_constraint(
    store: Store,
) -> None:
    """无语义 provider 时只允许机械生成 working_note，不把最终报告推断成 fact、decision 或 constraint"""
    said = "We decided to use uv. Constraint: never edit site/. Fact: the build takes nine minutes."
    memory = await store.with_pipeline(WITHOUT_A_MODEL).remember(None, sources=[await report(store, said)])

    assert memory is not None
    (entry,) = await store.service.entries(memory)
    assert entry.kind == "working_note"
    assert said in entry.text

    nothing = await report(store, "Done.")
    assert await store.with_pipeline(WITHOUT_A_MODEL).remember(None, sources=[nothing]) is None


async def test_organize_deduplicates_exactly_then_normalises_refs_and_decides_nothing_by_meaning(store: Store) -> None:
    """organize() v1 依次执行精确去重和规范化；没有变化时返回原 Revision；不做语义近重复合并、矛盾裁决或质量晋级"""
    memory = await store.add(None, "Use tabs.", "Use tabs!", "Use spaces.", "use tabs.", "other")
    assert await store.service.organize(memory) == memory

    memory = await store.revise(memory, await store.entry(memory, "other"), "Use tabs.")
    organized = await store.service.organize(memory)

    assert ops(organized.content.changes) == [("deactivate", "dedupe")]
    assert await store.texts(organized) == ["Use spaces.", "Use tabs!", "Use tabs.", "use tabs."]


async def test_an_explicitly_asked_provider_that_is_not_configured_is_a_capability_error_an_optional_one_is_skipped(
    store: Store,
) -> None:
    """显式要求某个未配置的 candidate provider 时抛出 CapabilityNotSupportedError；

    默认 pipeline 中某个可选 provider 不可用时可以继续尝试其他 provider 或确定性 working-note fallback
    """

    class Away:
        async def extract(self, *_: Any) -> tuple[()]:
            raise CapabilityNotSupportedError("The model is away: start it.")

    note = CandidateProvider("working_note", WorkingNotes())
    providers = CandidateProviders([CandidateProvider("model", Away())], note)
    event = await report(store, "The parser handles empty files now; nested arrays still fail.")

    memory = await store.with_pipeline(providers).remember(None, sources=[event])
    assert memory is not None
    with pytest.raises(CapabilityNotSupportedError, match="No candidate provider adapters"):
        providers.asked("adapters")
    with pytest.raises(CapabilityNotSupportedError, match="start it"):
        await store.with_pipeline(providers.asked("model")).remember(None, sources=[event])


async def test_every_candidates_output_is_checked_for_evidence_membership_hash_and_head(store: Store) -> None:
    """所有候选来源的输出都必须通过 evidence、manifest membership、canonical hash 和 head CAS 校验"""
    memory, note, other = await store.add(None, "walnut"), await store.note(), await store.note("not this")
    entry = await store.entry(memory, "walnut")
    proposals = {
        "evidence": (MemoryEntryInput("fact", "x", sources=(other,)), EvidenceError),
        "membership": (MemoryEntryInput("fact", "x", entry=forged(entry, entry_id="mem_ent_none")), MemLensError),
        "hash": (MemoryEntryInput("fact", "x", entry=forged(entry, entry_content_hash="0" * 64)), StaleEntryError),
    }

    class Proposing:
        def __init__(self, proposal: MemoryEntryInput) -> None:
            self.proposal = proposal

        async def extract(self, *_: Any) -> list[MemoryEntryInput]:
            return [self.proposal]

    for proposal, error in proposals.values():
        with pytest.raises(error):
            await store.with_pipeline(Proposing(proposal)).remember(memory, sources=[note])

    class Slow:
        async def extract(self, *_: Any) -> list[MemoryEntryInput]:
            await store.add(memory, "another writer was faster")
            return [MemoryEntryInput("fact", "too late", sources=(note,))]

    with pytest.raises(RevisionConflictError):
        await store.with_pipeline(Slow()).remember(memory, sources=[note])
