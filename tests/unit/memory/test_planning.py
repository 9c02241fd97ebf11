"""From what a caller asks to the next Revision's content: pure computation on one exact base (spec 1.4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memlens.core.errors import DuplicateOfInactiveError, EvidenceError, InvalidInputError
from memlens.core.refs import ArtifactRef, SourceRef
from memlens.memory.analyzer import index_terms
from memlens.memory.manifest import Manifest
from memlens.memory.models import MemoryEntryVersion
from memlens.memory.planning import (
    Evidence,
    NormalInput,
    Plan,
    PlanBuilder,
    check_evidence,
    merge_additions,
    plan_additions,
)

ONE, TWO = SourceRef("src_1", "1" * 64), SourceRef("src_2", "2" * 64)
UPSTREAM = ArtifactRef("mem_art_up", 3)


def given(
    text: str, *sources: SourceRef, reason: str | None = None, entry: MemoryEntryVersion | None = None
) -> NormalInput:
    return NormalInput(("fact", text), Evidence(frozenset(sources)), reason, entry)


def planned(builder: PlanBuilder) -> Plan:
    plan = builder.build()
    assert plan is not None
    return plan


def base_of(*texts: str) -> tuple[Manifest, list[MemoryEntryVersion]]:
    """Return a first Revision's directory and its versions, in the order of ``texts``."""
    builder = PlanBuilder("mem_art_x", Manifest(), 1)
    for text in texts:
        builder.add(given(text, ONE))
    plan = planned(builder)
    versions = {version.text: version for version in plan.versions}
    return plan.content.manifest, [versions[text] for text in texts]


def test_without_a_change_there_is_no_plan() -> None:
    manifest, (walnut,) = base_of("walnut")
    builder = PlanBuilder("mem_art_x", manifest, 2)
    builder.revise(walnut, given("walnut", ONE))
    assert builder.build() is None


def test_an_addition_is_version_1_active_and_projected() -> None:
    builder = PlanBuilder("mem_art_x", Manifest(), 1)
    builder.add(given("中文 walnut", TWO, ONE, reason="why"))
    plan = planned(builder)

    (version,), (change,), (row,) = plan.versions, plan.content.changes, plan.projections.written
    assert (version.version, version.previous_version_id, version.created_in_revision) == (1, None, 1)
    assert version.sources == (ONE, TWO)
    assert version.is_intact
    assert (change.op, change.from_entry_version_id, change.to_entry_version_id, change.reason) == (
        ("add", None, version.entry_version_id, "why")
    )
    assert row.searchable_text == index_terms("中文 walnut")


def test_a_revision_follows_its_predecessor_and_keeps_its_evidence() -> None:
    manifest, (walnut,) = base_of("walnut")
    builder = PlanBuilder("mem_art_x", manifest, 2)
    builder.revise(walnut, given("walnut tree", TWO))
    plan = planned(builder)

    (version,), (change,) = plan.versions, plan.content.changes
    assert (version.version, version.previous_version_id, version.created_in_revision) == (
        2,
        walnut.entry_version_id,
        2,
    )
    assert version.sources == (ONE, TWO)
    assert (change.op, change.from_entry_version_id, change.to_entry_version_id) == (
        ("revise", walnut.entry_version_id, version.entry_version_id)
    )


def test_deactivating_removes_the_projection_and_reactivating_writes_it_again() -> None:
    manifest, (walnut,) = base_of("walnut")
    off = PlanBuilder("mem_art_x", manifest, 2)
    off.deactivate(walnut, "season")
    plan = planned(off)
    assert plan.projections.removed == (walnut.entry_id,)
    assert (plan.versions, plan.projections.written) == ((), ())

    on = PlanBuilder("mem_art_x", plan.content.manifest, 3)
    on.reactivate(walnut, None)
    plan = planned(on)
    assert plan.content.manifest == manifest
    assert [row.entry_version_id for row in plan.projections.written] == [walnut.entry_version_id]
    assert plan.versions == ()


def test_one_entry_is_changed_once() -> None:
    manifest, (walnut,) = base_of("walnut")
    builder = PlanBuilder("mem_art_x", manifest, 2)
    builder.deactivate(walnut, None)
    with pytest.raises(InvalidInputError, match="two operations"):
        builder.revise(walnut, given("walnut tree"))


def test_changes_are_sorted_by_entry() -> None:
    builder = PlanBuilder("mem_art_x", Manifest(), 1)
    for number in range(50):
        builder.add(given(f"text {number}"))
    ids = [change.entry_id for change in planned(builder).content.changes]
    assert ids == sorted(ids)


def test_equal_additions_keep_the_first_with_the_evidence_of_all() -> None:
    revisions, additions = merge_additions(
        [], [given("a", ONE, reason="first"), given("b"), given("a", TWO, reason="2nd")]
    )
    assert revisions == []
    assert additions == [given("a", ONE, TWO, reason="first"), given("b")]


def test_an_addition_that_says_what_a_revision_says_joins_it() -> None:
    _, (walnut,) = base_of("walnut")
    revising = given("new", entry=walnut)
    assert merge_additions([revising], [given("new", TWO)]) == (
        [replace(revising, evidence=Evidence(frozenset([TWO])))],
        [],
    )


def test_revisions_are_never_merged_with_each_other() -> None:
    _, (one, two) = base_of("one", "two")
    both = [given("same", entry=one), given("same", entry=two)]
    assert merge_additions(both, []) == (both, [])


def test_an_addition_that_an_entry_already_says_revises_it_or_is_nothing() -> None:
    manifest, (walnut,) = base_of("walnut")
    existing = {("fact", "walnut"): (walnut,)}

    nothing = PlanBuilder("mem_art_x", manifest, 2)
    plan_additions(nothing, [given("walnut", ONE)], existing)
    assert nothing.build() is None

    more = PlanBuilder("mem_art_x", manifest, 2)
    plan_additions(more, [given("walnut", TWO)], existing)
    assert [change.op for change in planned(more).content.changes] == ["revise"]


def test_an_addition_that_only_an_inactive_entry_says_is_refused() -> None:
    manifest, (walnut,) = base_of("walnut")
    off = PlanBuilder("mem_art_x", manifest, 2)
    off.deactivate(walnut, None)
    builder = PlanBuilder("mem_art_x", planned(off).content.manifest, 3)

    with pytest.raises(DuplicateOfInactiveError) as refusal:
        plan_additions(builder, [given("walnut")], {("fact", "walnut"): (walnut,)})
    assert refusal.value.entry_id == walnut.entry_id


def test_an_entry_that_the_batch_revises_away_no_longer_says_what_it_said() -> None:
    manifest, (walnut,) = base_of("walnut")
    builder = PlanBuilder("mem_art_x", manifest, 2)
    builder.revise(walnut, given("walnut tree"))
    plan_additions(builder, [given("walnut")], {("fact", "walnut"): (walnut,)})
    assert sorted(change.op for change in planned(builder).content.changes) == ["add", "revise"]


def test_evidence_outside_predecessor_and_operation_is_refused() -> None:
    _, (walnut,) = base_of("walnut")
    operation = Evidence(frozenset([TWO]), frozenset([UPSTREAM]))

    check_evidence([given("x", TWO), given("y", ONE, TWO, entry=walnut)], operation)
    for outside in (
        given("x", ONE),
        replace(given("y"), evidence=Evidence(artifacts=frozenset([ArtifactRef("m", 1)]))),
    ):
        with pytest.raises(EvidenceError):
            check_evidence([outside], operation)
