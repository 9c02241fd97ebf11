"""The bounded window of current active entries that a candidate pipeline sees (spec 1.4).

A small Memory is shown whole. Of a larger one, entries are chosen by direct evidence relation and by full-text search
for what the evidence says; the same evidence on the same Revision always gives the same window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from memlens.core.errors import CapabilityNotSupportedError, RevisionConflictError
from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.admission import RRF_CONSTANT
from memlens.memory.analyzer import query_terms
from memlens.memory.models import Memory, MemoryEntryVersion
from memlens.memory.ports import MemoryBackend, MemorySearchRequest

WINDOW_ENTRIES = 64
"""At most this many entries are shown; a Memory with no more is shown whole."""
MAX_PASSAGES = 32
"""Lines of the evidence that are searched for, one by one: all at once none would weigh enough to find anything."""
MAX_PASSAGE_LENGTH = 1000
PASSAGE_HITS = 8

_HASH = re.compile(r"[0-9a-f]{7,64}")


async def current_window(
    backend: MemoryBackend, base: Memory, sources: Sequence[Source], artifacts: Sequence[ArtifactRef]
) -> tuple[MemoryEntryVersion, ...]:
    """Return the active entries of ``base``, which is the head, that bear on the evidence; at most 64.

    Half of the places are for entries with related evidence, the others for what search finds; either takes what the
    other leaves. Raises RevisionConflictError when the head moved meanwhile, IntegrityError.
    """
    if base.manifest.active_count <= WINDOW_ENTRIES:
        return await backend.entries(base)
    related = await backend.entries_citing(base, sources, artifacts, WINDOW_ENTRIES)
    found = await _found(backend, base, passages(sources))
    half = WINDOW_ENTRIES // 2
    chosen = dict.fromkeys((*related[:half], *found, *related[half:]))
    return await backend.entries(base, list(chosen)[:WINDOW_ENTRIES])


def passages(sources: Sequence[Source]) -> list[str]:
    """Return the first distinct lines of what the evidence says that hold a word to search for."""
    lines: dict[str, None] = {}
    for source in sources:
        for line in _lines(source.content):
            if line not in lines and query_terms(line):
                lines[line] = None
                if len(lines) == MAX_PASSAGES:
                    return list(lines)
    return list(lines)


def _lines(value: object) -> Iterator[str]:
    """Yield the lines of all strings in a JSON value, in the order of its canonical form; no hashes."""
    if isinstance(value, str):
        lines = (line.strip()[:MAX_PASSAGE_LENGTH] for line in value.splitlines())
        yield from (line for line in lines if line and not _HASH.fullmatch(line))
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield from _lines(value[key])
    elif isinstance(value, Sequence):
        for item in value:
            yield from _lines(item)


async def _found(backend: MemoryBackend, base: Memory, queries: Sequence[str]) -> list[str]:
    """Return the entries that any of ``queries`` finds, those found best and most often first."""
    scores: dict[str, float] = {}
    for query in queries:
        try:
            result = await backend.search(MemorySearchRequest(query, (base.ref,), PASSAGE_HITS, "fts"))
        except CapabilityNotSupportedError as error:
            raise RevisionConflictError(
                f"Revision {base.ref.revision} is no longer the head: read it and redo this."
            ) from error
        for rank, hit in enumerate(result.hits, start=1):
            scores[hit.entry_id] = scores.get(hit.entry_id, 0.0) + 1 / (RRF_CONSTANT + rank)
    return sorted(scores, key=lambda entry_id: (-scores[entry_id], entry_id))
