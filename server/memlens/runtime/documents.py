"""What is remembered, gathered for documents: overview, change log, one entry, one Revision (spec 2.2)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from memlens.anchors.applicability import effective_targets
from memlens.anchors.model import AnchorEntry, TargetKind
from memlens.core.errors import ArtifactNotFoundError
from memlens.core.refs import ArtifactRef
from memlens.queries.documents.markdown import (
    change_log_document,
    entry_document,
    overview_document,
    revision_document,
)
from memlens.queries.documents.model import LoggedChange, LoggedRevision, Overview, OverviewEntry, VersionStep
from memlens.queries.kinds import kind_order
from memlens.runtime import views
from memlens.runtime.binding import RepositoryBinding
from memlens.runtime.bound import BoundMemory
from memlens.runtime.snapshots import entry_card
from memlens.runtime.staleness import orphaned, stale_evidence
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.state import StateStore

if TYPE_CHECKING:
    from memlens.runtime.repository import RepositoryMemory

MAX_LOGGED_REVISIONS = 500
"""A log is read from its end; all of it is what ``memlens changes --since 0`` prints."""


class RepositoryDocuments:
    """Documents about the memories that bear on one repository."""

    def __init__(
        self,
        repository: RepositoryMemory,
        own: BoundMemory,
        personal: BoundMemory,
        binding: RepositoryBinding,
        store: StateStore,
        backend: DatabaseMemoryBackend,
    ) -> None:
        """Describe ``repository``, whose memory ``own`` is; ``personal`` is the person's beside it."""
        self._repository = repository
        self._own = own
        self._personal = personal
        self._binding = binding
        self._store = store
        self._backend = backend

    async def overview(self) -> Overview:
        """Return everything active, as of the last refresh, by kind; what is stale is looked for in the files."""
        heads = [head for memory in (self._own, self._personal) if (head := await memory.head()) is not None]
        return Overview(
            repository=self._repository.key,
            heads=self._repository.snapshot().heads,
            entries=await asyncio.to_thread(self._overview_entries),
            inactive=sum(len(head.manifest) - sum(1 for _ in head.manifest.active()) for head in heads),
            damaged=self._repository.damaged,
            note=await self._repository.unconfirmed(),
        )

    async def overview_json(self) -> dict[str, Any]:
        """Return the overview, ready for JSON."""
        return views.overview(await self.overview())

    async def overview_markdown(self) -> str:
        """Return the overview as a document."""
        return overview_document(await self.overview())

    async def changes_markdown(self) -> str:
        """Return the latest changes of the repository's memory as a document."""
        head = await self._own.head()
        since = max(0, head.ref.revision - MAX_LOGGED_REVISIONS) if head else None
        revisions = await self._repository.changes(since)
        ids = {_version_id(change) for revision in revisions for change in revision["changes"]}
        texts = {key: (each.kind, each.text) for key, each in (await self._store.versions(sorted(ids))).items()}
        return change_log_document([_logged(revision, texts) for revision in revisions])

    async def entry_markdown(self, entry_id: str) -> str:
        """Return one entry with its history as a document. Raises UnknownEntryError, UnconfirmedCloneError."""
        return entry_document(entry_id, [_step(step) for step in await self._repository.history(entry_id)])

    async def revision_markdown(self, ref: ArtifactRef) -> str:
        """Return one exact Revision of the repository's memory, or of the person's own, as a document.

        Raises ArtifactNotFoundError, also for the memory of another repository, and UnconfirmedCloneError.
        """
        is_personal = ref.artifact_id == await self._personal.artifact_id()
        if not is_personal and ref.artifact_id != await self._own.artifact_id():
            standing = await self._binding.standing()
            if standing.withheld == ref.artifact_id:
                self._binding.require_confirmed(standing)
            raise ArtifactNotFoundError(f"This repository has no memory {ref.artifact_id}.")
        versions = await self._backend.entries(await self._backend.revision(ref))
        sources, stamps = await self._store.circumstances(ref.artifact_id, versions)
        return revision_document(ref, [entry_card(each, sources, stamps, personal=is_personal) for each in versions])

    def _overview_entries(self) -> tuple[OverviewEntry, ...]:
        snapshot = self._repository.snapshot()
        orphans, changed = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for orphan in orphaned(snapshot, self._repository.tree()):
            orphans[orphan.card.entry_id].append(orphan.target)
        for stale in stale_evidence(snapshot, self._repository.read_evidence):
            changed[stale.card.entry_id].append(stale.path)
        cards = sorted(snapshot.cards.values(), key=lambda card: (kind_order(card.kind), card.text, card.entry_id))
        return tuple(
            OverviewEntry(
                card,
                tuple(_applies(snapshot.index.entries[card.entry_id])),
                tuple(dict.fromkeys(orphans[card.entry_id])),
                tuple(dict.fromkeys(changed[card.entry_id])),
            )
            for card in cards
        )


def _applies(entry: AnchorEntry) -> dict[str, None]:
    """Return the targets in force, of every kind, each once, in the order of the kinds."""
    return {each.target.value: None for kind in TargetKind for each in effective_targets(entry, kind)}


def _version_id(change: dict[str, Any]) -> str:
    return str(change["to_entry_version_id"] or change["from_entry_version_id"])


def _logged(revision: dict[str, Any], texts: dict[str, tuple[str, str]]) -> LoggedRevision:
    changes = []
    for change in revision["changes"]:
        kind, text = texts.get(_version_id(change), (None, None))
        changes.append(LoggedChange(change["op"], change["entry_id"], change["reason"], kind, text))
    return LoggedRevision(
        ArtifactRef(**revision["memory_ref"]), revision["created_at"], revision["actor"], tuple(changes)
    )


def _step(step: dict[str, Any]) -> VersionStep:
    names = ("revision", "op", "version", "kind", "text", "reason", "created_at", "actor")
    return VersionStep(**{name: step[name] for name in names})
