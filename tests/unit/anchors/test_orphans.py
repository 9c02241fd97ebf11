"""Which paths that an entry applies to match nothing any more (spec 2.1)."""

from __future__ import annotations

import pytest

from memlens.anchors.model import AnchorEntry, Applicability, Origin, Rule, Target, TargetKind
from memlens.anchors.orphans import orphaned_targets
from memlens.anchors.tree import ListedTree

TREE = ListedTree(["Makefile", "src/pay/api.py", "app/[id]/page.tsx", "docs/guide.md"])


def orphans(*values: str, rule: Rule = Rule.STATED, origin: Origin = Origin.CONFIRMED) -> list[str]:
    targets = tuple(Target(TargetKind.PATH, value, rule) for value in values)
    entry = AnchorEntry("e", "fact", "x", (Applicability(origin, targets),), ())
    return [target.value for target in orphaned_targets(entry, TREE)]


@pytest.mark.parametrize(
    "value",
    ["Makefile", "src/", "src", "src/pay/api.py", "*.py", "src/**", "**/api.py", "app/[id]/page.tsx", "{src,x}/**"],
)
def test_what_matches_a_file_is_no_orphan(value: str) -> None:
    assert orphans(value) == []


@pytest.mark.parametrize("value", ["makefile", "src/pay/api.rs", "lib/", "*.rs", "lib/**", "../x", "Makefile/"])
def test_what_matches_nothing_is_one(value: str) -> None:
    assert orphans(value) == [value]


def test_a_path_that_only_looks_like_a_glob_is_taken_at_its_word() -> None:
    assert orphans("app/[xy]/page.tsx", rule=Rule.PATH) == ["app/[xy]/page.tsx"]


def test_only_paths_that_are_in_force_count() -> None:
    gone = (Target(TargetKind.PATH, "gone.md", Rule.PATH),)
    there = (Target(TargetKind.PATH, "Makefile", Rule.STATED), Target(TargetKind.COMMAND, "make x", Rule.COMMAND))
    corrected = (Applicability(Origin.PROPOSED, gone), Applicability(Origin.CONFIRMED, there))
    assert list(orphaned_targets(AnchorEntry("e", "fact", "x", corrected, ()), TREE)) == []
    muted = (Applicability(Origin.MUTED, gone),)
    assert list(orphaned_targets(AnchorEntry("e", "fact", "x", muted, ()), TREE)) == []
