"""Which targets of an entry count: what a person decided goes before what was proposed (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memlens.anchors.model import AnchorEntry, Origin, Rule, Target, TargetKind


@dataclass(frozen=True, slots=True)
class EffectiveTarget:
    """A target in force for an entry, with the origin that put it there."""

    entry_id: str
    target: Target
    origin: Origin

    @property
    def rule(self) -> Rule:
        """The rule to report: a person's word is reported as stated, whatever it was first read from."""
        return self.target.rule if self.origin is Origin.PROPOSED else Rule.STATED

    @property
    def label(self) -> str:
        """How the origin is named in a ``why``."""
        return "pinned" if self.origin is Origin.PINNED else "stated"


def effective_targets(entry: AnchorEntry, kind: TargetKind) -> Iterator[EffectiveTarget]:
    """Yield the targets of one kind in force: confirmed ones instead of proposed ones, and pinned ones beside."""
    confirmed = any(applies.origin is Origin.CONFIRMED for applies in entry.applicability)
    base = Origin.CONFIRMED if confirmed else Origin.PROPOSED
    return _targets(entry, kind, (base, Origin.PINNED))


def muted_targets(entry: AnchorEntry, kind: TargetKind) -> Iterator[EffectiveTarget]:
    """Yield the targets of one kind on which the entry is not to be shown."""
    return _targets(entry, kind, (Origin.MUTED,))


def _targets(entry: AnchorEntry, kind: TargetKind, origins: tuple[Origin, ...]) -> Iterator[EffectiveTarget]:
    for applies in entry.applicability:
        if applies.origin in origins:
            for target in applies.targets:
                if target.kind is kind:
                    yield EffectiveTarget(entry.entry_id, target, applies.origin)
