"""Applicability as it is stored, and as callers state it (spec 2.1, 2.5)."""

from __future__ import annotations

from typing import Any

import orjson

from memlens.anchors.model import Applicability, Origin, Rule, Target, TargetKind
from memlens.anchors.stated import stated_targets
from memlens.core.canonical import canonical_bytes
from memlens.core.clock import utc_now
from memlens.core.errors import InvalidInputError
from memlens.runtime.api import StatedApplicability
from memlens.storage.rows import ApplicabilityRow

MAX_TARGETS = 256

_KINDS = frozenset(map(str, TargetKind))
_ORIGINS = frozenset(map(str, Origin))
_RULES = frozenset(map(str, Rule))


def stated(given: StatedApplicability | None) -> Applicability | None:
    """Return what a caller stated, if anything. Raises InvalidInputError for an unknown origin or bad target."""
    if given is None:
        return None
    targets = stated_targets(
        paths=given.paths, kinds=given.kinds, symbols=given.symbols, commands=given.commands, keys=given.keys
    )
    if len(targets) > MAX_TARGETS:
        raise InvalidInputError(f"An entry applies to at most {MAX_TARGETS} targets: use globs or directories.")
    if given.origin not in _ORIGINS:
        raise InvalidInputError(f"{given.origin!r} is no origin of applicability: {', '.join(Origin)} are.")
    return Applicability(Origin(given.origin), targets)


def as_row(artifact_id: str, entry_id: str, applicability: Applicability, actor: str) -> ApplicabilityRow:
    """Return the row that keeps ``applicability``."""
    targets = [
        {"kind": str(each.kind), "mention": each.mention, "rule": str(each.rule), "value": each.value}
        for each in applicability.targets
    ]
    return ApplicabilityRow(
        artifact_id, entry_id, str(applicability.origin), canonical_bytes(targets).decode(), utc_now(), actor
    )


def from_row(row: ApplicabilityRow) -> Applicability:
    """Return the applicability that a row keeps."""
    return Applicability(Origin(row.origin), _targets(row.targets))


def _targets(stored: str) -> tuple[Target, ...]:
    """Read stored targets; one of a kind or rule that a newer MemLens wrote is kept out of the way, not an error."""
    return tuple(
        Target(TargetKind(item["kind"]), item["value"], Rule(item["rule"]), item["mention"])
        for item in orjson.loads(stored)
        if item["kind"] in _KINDS and item["rule"] in _RULES
    )


def as_json(applicability: Applicability) -> dict[str, Any]:
    """Return ``applicability`` as ``import`` reads it."""
    names = {
        TargetKind.PATH: "paths",
        TargetKind.FILE_KIND: "kinds",
        TargetKind.SYMBOL: "symbols",
        TargetKind.COMMAND: "commands",
        TargetKind.KEY: "keys",
    }
    found: dict[str, Any] = {}
    for target in applicability.targets:
        found.setdefault(names[target.kind], []).append(target.value)
    return {**found, "origin": str(applicability.origin)}
