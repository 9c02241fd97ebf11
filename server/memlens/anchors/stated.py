"""Turns what somebody said an entry applies to into targets: ``applies`` of an import, ``apply``, ``pin``, ``mute``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memlens.anchors.model import Rule, Target, TargetKind
from memlens.anchors.paths import MAX_PATTERN_LENGTH, checked_pattern
from memlens.core.errors import InvalidInputError

_COMMA = re.compile(r",(?![^{}]*\})")


def stated_targets(
    *,
    paths: Iterable[str] = (),
    kinds: Iterable[str] = (),
    symbols: Iterable[str] = (),
    commands: Iterable[str] = (),
    keys: Iterable[str] = (),
) -> tuple[Target, ...]:
    """Return the targets, each once, in the order given (spec 2.5, ``applies``).

    A path may hold several patterns divided by commas, as rule files write them (case A6): ``src/**, lib/**``.
    Blank values are left out.

    Raises:
        InvalidInputError: a path could leave the repository (case C4), or a value is too long.
    """
    patterns = [part for value in paths for part in _COMMA.split(value) if part.strip()]
    given = (
        (TargetKind.PATH, map(checked_pattern, patterns)),
        (TargetKind.FILE_KIND, _values(kinds)),
        (TargetKind.SYMBOL, _values(symbols)),
        (TargetKind.COMMAND, _values(commands)),
        (TargetKind.KEY, _values(keys)),
    )
    targets = (Target(kind, value, Rule.STATED) for kind, values in given for value in values)
    return tuple(dict.fromkeys(targets))


def _values(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        if len(value) > MAX_PATTERN_LENGTH:
            raise InvalidInputError(f"{value[:60]!r}... is too long: name one thing in at most 512 characters.")
        if value.strip():
            yield value.strip()
