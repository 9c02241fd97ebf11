"""The RFC's worked example, "Coding Agent 场景示例", told through the service."""

from __future__ import annotations

from conformance.store import Store, ops
from memlens.core.clock import utc_now
from memlens.core.refs import EntryCitation
from memlens.core.sources import Source, make_source
from memlens.memory.models import Memory, MemoryEntryInput

BUILD = "powercontext 使用 uv 管理依赖并使用 Hatchling 构建。"
CHECKS = "验证约定：常规代码变更运行 make test；评审前运行 make check。"
CHECKS_REVISED = "验证约定：常规代码变更运行 make test；仅文档变更优先运行 make docs-test；评审前运行 make check。"
SITE = "site/ 是生成输出，不作为源材料修改。"
QUESTION = "修改文档前需要知道哪些构建和验证约定？"


async def evidence(store: Store, source_type: str, uri: str, text: str) -> Source:
    """Persist a piece of evidence, as the runtime does before it calls remember()."""
    source = make_source(source_type, uri, {"text": text}, utc_now())
    await store.backend.store_sources([source])
    return source


async def first_task(store: Store) -> Memory:
    """The turn stops; three candidates pass admission: Revision 1."""
    outcome = await evidence(store, "TaskOutcomeSource", "task:001", "确认仓库开发和验证约定")
    agents_md = await evidence(store, "DocumentSource", "AGENTS.md", "uv; make test; site/ is generated")
    pyproject = await evidence(store, "DocumentSource", "pyproject.toml", 'build-backend = "hatchling.build"')
    makefile = await evidence(store, "DocumentSource", "Makefile", "test: ...\ncheck: ...")
    candidates = (
        MemoryEntryInput("fact", BUILD, sources=(agents_md, pyproject)),
        MemoryEntryInput("preference", CHECKS, sources=(agents_md, makefile)),
        MemoryEntryInput("constraint", SITE, sources=(agents_md,)),
    )
    memory = await store.service.remember(
        memory=None, sources=(outcome, agents_md, pyproject, makefile), entries=candidates, mode="append"
    )
    assert memory is not None
    return memory


async def user_corrects(store: Store, memory: Memory) -> Memory:
    """The user says: for documentation, run make docs-test first. The entry is revised: Revision 2."""
    note = await evidence(store, "UserNoteSource", "note:1", "改文档时不用跑完整 make test，优先跑 make docs-test。")
    checks = await store.entry(memory, "验证约定")
    correction = MemoryEntryInput("preference", CHECKS_REVISED, entry=checks, sources=(note,), reason="user_corrected")
    updated = await store.service.remember(memory, sources=(note,), entries=(correction,))
    assert updated is not None
    return updated


async def user_drops_site(store: Store, memory: Memory) -> Memory:
    """The user says: do not remember the one about site/ any longer. Revision 3."""
    site = await store.entry(memory, "site/")
    return await store.service.forget(memory, entries=(site,), reason="user_requested")


async def test_a_finished_task_leaves_three_entries_each_with_the_evidence_that_supports_it(store: Store) -> None:
    memory = await first_task(store)

    assert memory.ref.revision == 1
    assert len(memory.lineage.sources) == 4
    assert [line.state for line in memory.manifest] == ["active"] * 3
    build, checks, site = [await store.entry(memory, text) for text in (BUILD, CHECKS, SITE)]
    assert [len(entry.sources) for entry in (build, checks, site)] == [2, 2, 1]
    assert {entry.version for entry in (build, checks, site)} == {1}
    assert {entry.previous_version_id for entry in (build, checks, site)} == {None}


async def test_the_users_note_revises_the_entry_and_its_evidence_is_united(store: Store) -> None:
    first = await first_task(store)
    before = await store.entry(first, "验证约定")
    second = await user_corrects(store, first)
    after = await store.entry(second, "验证约定")

    assert (second.ref.revision, after.text, after.version) == (2, CHECKS_REVISED, 2)
    assert (after.entry_id, after.previous_version_id) == (before.entry_id, before.entry_version_id)
    assert set(before.sources) < set(after.sources)
    assert set(after.sources) - set(before.sources) == set(second.lineage.sources)
    assert ops(second.content.changes) == [("revise", "user_corrected")]
    unchanged = set(first.manifest) & set(second.manifest)
    assert len(unchanged) == 2


async def test_forgetting_makes_the_entry_inactive_and_keeps_its_body(store: Store) -> None:
    second = await user_corrects(store, await first_task(store))
    third = await user_drops_site(store, second)

    site = await store.entry(third, "site/")
    assert third.ref.revision == 3
    assert [line.entry_id for line in third.manifest if not line.is_active] == [site.entry_id]
    assert site.text == SITE
    assert ops(third.content.changes) == [("deactivate", "user_requested")]


async def test_the_question_recalls_build_and_checks_and_not_what_was_forgotten(store: Store) -> None:
    memory = await user_drops_site(store, await user_corrects(store, await first_task(store)))

    result = await store.service.search(QUESTION, memories=(memory,), limit=8, mode="fts")

    assert {hit.text for hit in result.hits} == {BUILD, CHECKS_REVISED}
    assert {hit.matched_by for hit in result.hits} == {("fts",)}
    assert result.mode == "fts"


async def test_the_citation_of_revision_2_verifies_however_the_memory_goes_on(store: Store) -> None:
    second = await user_corrects(store, await first_task(store))
    checks = await store.entry(second, "验证约定")
    citation = EntryCitation(second.ref, checks.entry_id, checks.entry_version_id)

    third = await user_drops_site(store, second)
    fourth = await store.revise(third, checks, "验证约定：一律运行 make check。")
    await store.service.forget(fourth, [await store.entry(fourth, "验证约定")])
    await store.reopen()

    assert await store.service.expand([citation]) == (checks,)


async def test_reactivation_brings_the_same_version_back_and_it_is_found_again(store: Store) -> None:
    second = await user_corrects(store, await first_task(store))
    third = await user_drops_site(store, second)
    site = await store.entry(third, "site/")
    assert await store.hits("site 生成输出", third) == []

    fourth = await store.service.reactivate(third, entries=(site,), reason="user_restored")

    assert fourth.manifest == second.manifest
    assert ops(fourth.content.changes) == [("reactivate", "user_restored")]
    assert await store.hits("site 生成输出", fourth) == [SITE]
    assert [row[0] for row in store.rows("SELECT count(*) FROM memory_entry_versions")] == [4]
