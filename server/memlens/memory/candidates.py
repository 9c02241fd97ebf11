"""The port through which candidates are generated. It runs outside any transaction; its output is untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.models import MemoryEntryInput, MemoryEntryVersion


class CandidatePipeline(Protocol):
    """Proposes entries to add or to revise from evidence that is already stored (spec 1.2, 1.4)."""

    async def extract(
        self,
        sources: Sequence[Source],
        artifacts: Sequence[ArtifactRef],
        current_entries: Sequence[MemoryEntryVersion],
    ) -> Sequence[MemoryEntryInput]:
        """Return candidates. Unsure which entry new material belongs to: add, never revise."""
        ...
