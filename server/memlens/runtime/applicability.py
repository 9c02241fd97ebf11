"""Applicability as it is stored, and as callers state it (spec 2.1, 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from memlens.anchors.model import Applicability, Origin, Rule, Target, TargetKind
from memlens.anchors.proposal import propose
from memlens.anchors.stated import stated_targets
from memlens.anchors.tree import FileTree
from memlens.core.canonical import canonical_bytes
from memlens.core.errors import InvalidInputError
from memlens.memory.models import EntryApplicability, MemoryEntryVersion
from memlens.memory.planning import Statement
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
    if not targets:
        raise InvalidInputError("An applicability names at least one path, kind of file, symbol, command or key.")
    if len(targets) > MAX_TARGETS:
        raise InvalidInputError(f"An entry applies to at most {MAX_TARGETS} targets: use globs or directories.")
    if given.origin not in _ORIGINS:
        raise InvalidInputError(f"{given.origin!r} is no origin of applicability: {', '.join(Origin)} are.")
    return Applicability(Origin(given.origin), targets)


@dataclass(frozen=True, slots=True)
class Applying:
    """What the entries of one operation apply to: what callers stated, and what their texts propose.

    ``tree`` is None for a personal memory: what its entries propose depends on the repository they are read in.
    """

    tree: FileTree | None
    stated: Mapping[Statement, Sequence[Applicability]]

    def __call__(self, version: MemoryEntryVersion) -> Iterator[EntryApplicability]:
        """Yield what is to be committed with a new version."""
        if self.tree is not None:
            yield stored(version.entry_id, propose(version.text, self.tree))
        yield from self.only_stated(version)

    def shown(self, version: MemoryEntryVersion) -> tuple[str, ...] | None:
        """Return what the version applies to, as it is written; None where that depends on who reads it."""
        found = self.stated.get((version.kind, version.text), ())
        shown = [each for each in found if each.origin in (Origin.CONFIRMED, Origin.PINNED)]
        if not shown:
            if self.tree is None:
                return None
            shown = [propose(version.text, self.tree)]
        return tuple(target.value for each in shown for target in each.targets)

    def only_stated(self, version: MemoryEntryVersion) -> Iterator[EntryApplicability]:
        """Yield what a caller stated of an entry that says what it said before."""
        for found in self.stated.get((version.kind, version.text), ()):
            yield stored(version.entry_id, found)


def stated_by(
    given: Iterable[tuple[Statement, Applicability | None]],
) -> dict[Statement, tuple[Applicability, ...]]:
    """Return what was stated of each statement, one of each origin; said twice, both count."""
    found: dict[Statement, dict[Origin, Applicability]] = {}
    for statement, applicability in given:
        if applicability is not None:
            origins = found.setdefault(statement, {})
            before = origins.get(applicability.origin)
            targets = (*(before.targets if before else ()), *applicability.targets)
            origins[applicability.origin] = Applicability(applicability.origin, tuple(dict.fromkeys(targets)))
    return {statement: tuple(origins.values()) for statement, origins in found.items()}


def stored(entry_id: str, applicability: Applicability) -> EntryApplicability:
    """Return ``applicability`` as it is kept."""
    targets = [
        {"kind": str(each.kind), "mention": each.mention, "rule": str(each.rule), "value": each.value}
        for each in applicability.targets
    ]
    return EntryApplicability(entry_id, str(applicability.origin), canonical_bytes(targets).decode())


def from_row(row: ApplicabilityRow) -> Applicability | None:
    """Return the applicability that a row keeps, or None when the row is damaged: then it is proposed anew."""
    try:
        return Applicability(Origin(row.origin), _targets(row.targets))
    except (orjson.JSONDecodeError, ValueError, TypeError, KeyError):
        return None


def _targets(stored: str) -> tuple[Target, ...]:
    """Read stored targets; one of a kind or rule that a newer MemLens wrote is kept out of the way, not an error."""
    return tuple(
        Target(TargetKind(item["kind"]), _string(item["value"]), Rule(item["rule"]), _string(item["mention"]))
        for item in orjson.loads(stored)
        if item["kind"] in _KINDS and item["rule"] in _RULES
    )


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("A stored target is no string.")
    return value


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
