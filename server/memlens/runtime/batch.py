"""Entries that are to be kept in one memory, made ready before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryInput
from memlens.memory.planning import Statement
from memlens.runtime.applicability import Applying
from memlens.runtime.bound import BoundMemory


@dataclass(frozen=True, slots=True)
class Batch:
    """What one Revision of one memory is to keep; ``positions`` are those of the requests that it came from."""

    memory: BoundMemory
    positions: Sequence[int]
    inputs: Sequence[MemoryEntryInput]
    statements: Sequence[Statement]
    sources: Sequence[Source]
    applying: Applying
