"""Targets that match nothing any more: files are deleted and renamed, and memory is not told (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterator

from memlens.anchors.applicability import effective_targets
from memlens.anchors.globs import has_magic
from memlens.anchors.model import AnchorEntry, Rule, Target, TargetKind
from memlens.anchors.paths import pattern_or_none
from memlens.anchors.tree import FileTree


def orphaned_targets(entry: AnchorEntry, tree: FileTree) -> Iterator[Target]:
    """Yield the paths and globs in force for ``entry`` that match no file of ``tree``."""
    for effective in effective_targets(entry, TargetKind.PATH):
        if not _matches(effective.target, tree):
            yield effective.target


def _matches(target: Target, tree: FileTree) -> bool:
    pattern = pattern_or_none(target.value)
    if pattern is None:
        return False
    if tree.is_dir(pattern.rstrip("/")) or tree.is_file(pattern):
        return True
    return target.rule is not Rule.PATH and has_magic(pattern) and bool(tree.matches(pattern))
