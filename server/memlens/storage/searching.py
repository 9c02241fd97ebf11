"""Search inside one read transaction: candidates from the projection, hits from the authority (spec 1.6)."""

from __future__ import annotations

from collections.abc import Sequence

from memlens.core.errors import CapabilityNotSupportedError
from memlens.memory.admission import FtsQuery, candidate_window, fuse
from memlens.memory.analyzer import query_terms
from memlens.memory.models import Memory, MemoryHit, SearchResult
from memlens.memory.ports import MemorySearchRequest
from memlens.storage.reading import RevisionReader, is_exactly
from memlens.storage.rows import HeadRow
from memlens.storage.session import DatabaseSession

MAX_QUERY_TERMS = 256
"""Terms of a longer query beyond this are not looked up: a pasted log must not hold the database."""


def search(session: DatabaseSession, reader: RevisionReader, request: MemorySearchRequest) -> SearchResult:
    """Answer a full-text search over current heads. Raises CapabilityNotSupportedError for a Revision that is none."""
    memories = {ref.artifact_id: _current(session, reader, ref.artifact_id, ref.revision) for ref in request.memories}
    terms = query_terms(request.query)[:MAX_QUERY_TERMS]
    if not terms:
        return SearchResult("fts", (), "The query has no searchable words: only stop words or punctuation.")
    artifact_ids = sorted(memories)
    documents = sum(memory.manifest.active_count for memory in memories.values())
    query = FtsQuery.of(terms, session.document_counts(terms, artifact_ids), documents)
    if not query.weights:
        return SearchResult("fts", (), _nothing_known(session, artifact_ids, documents))
    rows = session.search_fts(query.essential_terms(), artifact_ids, candidate_window(request.limit))
    admitted = [row for row in rows if query.admits(row.searchable_text.split())]
    hits = fuse({"fts": _verified(session, memories, admitted)}, request.limit)
    note = None if hits else "Entries hold words of the query, but none of them is intact: run `memlens verify`."
    return SearchResult("fts", hits, note)


def _nothing_known(session: DatabaseSession, artifact_ids: Sequence[str], documents: int) -> str:
    """Say why no word is known; a search that finds nothing is the moment to look whether its index is whole."""
    if session.count_indexed(artifact_ids) != documents:
        return "The full-text index lacks entries, so nothing can be said of these words: run `memlens verify`."
    return "No word of the query occurs in the searched memory."


def _current(session: DatabaseSession, reader: RevisionReader, artifact_id: str, revision: int) -> Memory:
    head = reader.head(session, artifact_id)
    if head is None or head.ref.revision != revision:
        raise CapabilityNotSupportedError(
            f"Only current heads can be searched, and Revision {revision} of {artifact_id} is not one: "
            "read the head again."
        )
    return head


def _verified(session: DatabaseSession, memories: dict[str, Memory], rows: Sequence[HeadRow]) -> list[MemoryHit]:
    """Return the candidates that the manifests confirm: active, exactly this version, body unaltered."""
    versions = session.entry_versions([row.entry_version_id for row in rows])
    hits = []
    for row in rows:
        memory, version = memories[row.memory_artifact_id], versions.get(row.entry_version_id)
        line = memory.manifest.get(row.entry_id)
        if line is None or not line.is_active or version is None:
            continue
        if is_exactly(memory.ref.artifact_id, line, version):
            hits.append(MemoryHit(memory.ref, row.entry_id, row.entry_version_id, version.kind, version.text, 0.0, ()))
    return hits
