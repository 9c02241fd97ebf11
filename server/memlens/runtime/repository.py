"""One repository's memory, and the person's own beside it: what every surface calls (spec 2)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from memlens import __version__
from memlens.anchors.model import Applicability
from memlens.anchors.tree import FileTree, ListedTree
from memlens.core.errors import InvalidInputError, StaleEntryError, UnknownEntryError
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.core.sources import Source
from memlens.memory.models import Memory, MemoryEntryInput, MemoryEntryVersion, OrganizeSteps, SearchMode
from memlens.memory.planning import NormalInput, Statement
from memlens.memory.service import MemoryService
from memlens.runtime import views
from memlens.runtime.api import BindRequest, EvidenceInput, MemorySnapshot, Receipt, RememberRequest, ReviseRequest
from memlens.runtime.applicability import Applying, stated, stated_by
from memlens.runtime.batch import Batch
from memlens.runtime.binding import RepositoryBinding
from memlens.runtime.bound import BoundMemory
from memlens.runtime.documents import RepositoryDocuments
from memlens.runtime.evidence import MAX_EVIDENCE_FILE, make_evidence
from memlens.runtime.exporting import Scope, export_lines
from memlens.runtime.labels import named
from memlens.runtime.snapshots import SnapshotKeeper
from memlens.runtime.undoing import undo_last
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.state import HistoryStep, StateStore
from memlens.workspace.identity import RepositoryIdentity
from memlens.workspace.settings_loader import LoadedSettings
from memlens.workspace.tree import RepositoryFiles

MINIMUM_ENDING = 4

logger = logging.getLogger(__name__)


class RepositoryMemory:
    """The memory of one repository root, and what bears on its files."""

    def __init__(
        self,
        identity: RepositoryIdentity,
        loaded: LoadedSettings,
        files: RepositoryFiles,
        binding: RepositoryBinding,
        own: BoundMemory,
        personal: BoundMemory,
        backend: DatabaseMemoryBackend,
        actor: str,
        *,
        is_live: bool,
    ) -> None:
        """Work on two memories: ``own`` is the repository's, which ``binding`` leads to, ``personal`` the person's.

        ``is_live`` keeps the snapshot current after each write; without it :meth:`refresh` reads one when asked.
        """
        self.identity = identity
        self.settings = loaded.settings
        self.warnings = loaded.warnings
        self._files = files
        self._binding = binding
        self._own = own
        self._personal = personal
        self._backend = backend
        self._service = MemoryService(backend)
        self._store = StateStore(backend)
        self._actor = actor
        self._is_live = is_live
        self._keeper = SnapshotKeeper(identity.key, (own, personal), self._store, self.tree)
        self._listeners: list[Callable[[], None]] = []
        self._documents = RepositoryDocuments(self, own, personal, binding, self._store, backend)
        self.notice: str | None = None
        """What :meth:`unconfirmed` said at the last refresh."""

    @property
    def root(self) -> Path:
        """The repository's root on disk."""
        return self.identity.root

    @property
    def key(self) -> str:
        """The binding key of the repository."""
        return self.identity.key

    def relative(self, path: Path) -> str | None:
        """Return ``path`` relative to the root with ``/``, or None when it is outside."""
        return self._files.relative(path)

    def is_shown(self, path: str) -> bool:
        """Return False for ignored and excluded files, which get nothing."""
        return not self._files.is_ignored(path)

    def read_text(self, path: str) -> str | None:
        """Return the text of a file, or None when it is not shown: binary, too large, not a file."""
        return self._files.read_text(path, self.settings.files.max_size)

    def read_evidence(self, path: str) -> str | None:
        """Return the text of a file that may be evidence, or None: it is gone, or never was text."""
        return self._files.read_text(path, MAX_EVIDENCE_FILE)

    def tree(self) -> FileTree:
        """List the files of the repository: not for the event loop."""
        return ListedTree(self._files.listing())

    @property
    def documents(self) -> RepositoryDocuments:
        """What is remembered, written out to be read."""
        return self._documents

    @property
    def damaged(self) -> tuple[str, ...]:
        """The active entries whose stored bytes are not what their hashes say; none is ever shown."""
        return self._keeper.damaged

    def snapshot(self) -> MemorySnapshot:
        """Return the memory as it was last read; never blocks."""
        return self._keeper.current

    async def refresh(self) -> bool:
        """Read what changed; returns whether anything did, and tells the listeners so."""
        self.notice = await self.unconfirmed()
        changed = await self._keeper.refresh()
        if changed:
            for listener in self._listeners:
                listener()
        return changed

    async def unconfirmed(self) -> str | None:
        """Say what to do where the repository's memory is withheld until a person confirms this clone, else None."""
        standing = await self._binding.standing()
        return self._binding.note(standing) if standing.state == "unconfirmed" else None

    def on_change(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after every change of the snapshot."""
        self._listeners.append(listener)

    async def remember(self, request: RememberRequest) -> Receipt:
        """Keep one entry. Raises what :meth:`remember_all` does."""
        (receipt,) = await self.remember_all([request])
        return receipt

    async def remember_all(self, requests: Sequence[RememberRequest]) -> list[Receipt]:
        """Keep entries, one Revision for each memory written to; receipts are in the order of the requests.

        Raises InvalidTextError, InvalidKindError, EvidenceError, DuplicateOfInactiveError, UnconfirmedCloneError,
        StorageError; then nothing of that memory's entries was written.
        """
        if any(not request.personal for request in requests):
            self._binding.require_confirmed(await self._binding.standing())
        batches = [
            await self._batch(memory, requests, positions)
            for memory, personal in ((self._own, False), (self._personal, True))
            if (positions := [each for each, request in enumerate(requests) if request.personal is personal])
        ]
        if len(batches) > 1:
            # What one memory would refuse must not come to light when the other's part is written already.
            for batch in batches:
                await self._service.check_remember(await batch.memory.head(), batch.sources, batch.inputs)
        receipts: dict[int, Receipt] = {}
        for batch in batches:
            receipts.update(zip(batch.positions, await self._keep(batch), strict=True))
        await self._written()
        return [receipts[position] for position in range(len(requests))]

    async def _batch(self, memory: BoundMemory, requests: Sequence[RememberRequest], positions: Sequence[int]) -> Batch:
        chosen = [requests[position] for position in positions]
        applies = [_stated(request) for request in chosen]
        evidence = await asyncio.to_thread(self._evidence_of, chosen, shared=memory is self._personal)
        inputs = [
            MemoryEntryInput(request.kind, request.text, None, sources, (), request.reason)
            for request, sources in zip(chosen, evidence, strict=True)
        ]
        statements = [_statement(request, given) for request, given in zip(chosen, inputs, strict=True)]
        sources = _distinct(evidence)
        await self._backend.store_sources(sources)
        applying = await self._applying(memory, stated_by(zip(statements, applies, strict=True)))
        return Batch(memory, positions, inputs, statements, sources, applying)

    async def _keep(self, batch: Batch) -> list[Receipt]:
        before: list[Memory | None] = []

        async def append(head: Memory | None, artifact_id: str) -> Memory | None:
            before[:] = [head]
            return await self._service.remember(
                head,
                sources=batch.sources,
                entries=batch.inputs,
                mode="append",
                artifact_id=artifact_id,
                applies=batch.applying,
                actor=self._actor,
            )

        after = await batch.memory.grow(append)
        if after is None:
            raise InvalidInputError("There was nothing to remember.")
        said = await self._backend.find_statements(after, batch.statements)
        versions = [_first_active(after, said[statement]) for statement in batch.statements]
        kept = [version for version in versions if not _is_new(before[0], after, version)]
        stated = [each for version in kept for each in batch.applying.only_stated(version)]
        await self._store.put_applicability(after.ref.artifact_id, stated, self._actor)
        return [
            replace(_receipt(before[0], after, version), applies=batch.applying.shown(version)) for version in versions
        ]

    async def revise(self, request: ReviseRequest) -> Receipt:
        """Give an active entry new wording; its evidence stays and grows.

        Raises UnknownEntryError, StaleEntryError, InactiveEntryError and what :meth:`remember_all` does.
        """
        memory = await self._holder(request.entry_id)
        sources = await asyncio.to_thread(self._evidence, request.evidence, shared=memory is self._personal)
        await self._backend.store_sources(sources)
        applying = await self._applying(memory, {})

        async def operation(head: Memory, entries: Sequence[MemoryEntryVersion]) -> Memory:
            (entry,) = entries
            if request.entry_version_id not in (None, entry.entry_version_id):
                raise StaleEntryError(
                    f"Entry {entry.entry_id} has a newer version, {entry.entry_version_id}: "
                    "read it again, and decide on what it says now."
                )
            kind = entry.kind if request.kind is None else request.kind
            text = entry.text if request.text is None else request.text
            given = MemoryEntryInput(kind, text, entry, sources, (), request.reason)
            revised = await self._service.remember(
                head, sources=sources, entries=[given], mode="append", applies=applying, actor=self._actor
            )
            return revised or head

        receipts = await self._changed(memory, [request.entry_id], operation)
        return receipts[0]

    async def forget(self, entry_ids: Sequence[str], reason: str | None = None) -> tuple[Receipt, ...]:
        """Make entries inactive. Raises UnknownEntryError, InvalidTextError."""

        async def operation(head: Memory, entries: Sequence[MemoryEntryVersion]) -> Memory:
            return await self._service.forget(head, entries, reason, actor=self._actor)

        return await self._change_each(entry_ids, operation)

    async def reactivate(self, entry_ids: Sequence[str], reason: str | None = None) -> tuple[Receipt, ...]:
        """Make inactive entries active again. Raises UnknownEntryError, InvalidTextError."""

        async def operation(head: Memory, entries: Sequence[MemoryEntryVersion]) -> Memory:
            return await self._service.reactivate(head, entries, reason, actor=self._actor)

        return await self._change_each(entry_ids, operation)

    async def restore(self, entry_id: str, version: int | str, reason: str | None = None) -> Receipt:
        """Revise an active entry back to what an earlier version of it, by number or identifier, says.

        Raises UnknownEntryError, UnknownVersionError, InactiveEntryError, InvalidTextError.
        """
        memory = await self._holder(entry_id)
        applying = await self._applying(memory, {})

        async def operation(head: Memory, entries: Sequence[MemoryEntryVersion]) -> Memory:
            return await self._service.restore(head, entries[0], version, reason, applies=applying, actor=self._actor)

        (receipt,) = await self._changed(memory, [entry_id], operation)
        return receipt

    async def organize(self, steps: str = "default", *, personal: bool = False) -> tuple[Receipt, ...]:
        """Deactivate exact duplicates and normalise references, or one of these; ``personal`` means one's own memory.

        Returns a receipt for each entry that changed. Raises ValueError for unknown steps.
        """
        wanted = cast("OrganizeSteps", steps)  # the service refuses what is none
        self._service.check_organize(wanted)
        memory = self._personal if personal else self._own
        applying = await self._applying(memory, {})

        async def operation(head: Memory) -> Memory:
            return await self._service.organize(head, wanted, applies=applying, actor=self._actor)

        changed = await memory.change_head(operation)
        if changed is None or changed[0].ref == changed[1].ref:
            return ()
        return await self._receipts(*changed, _changed_entries(changed[1]))

    async def undo(self, *, personal: bool = False) -> tuple[Receipt, ...]:
        """Take back the last change of the repository's memory, or one's own, if this person made it.

        Undoing that redoes it. One Revision is one change, so a batch is taken back as one.

        Returns a receipt for each entry of that change. Raises CannotUndoError when nothing is remembered yet, or
        when somebody else made the last change.
        """
        memory = self._personal if personal else self._own
        before, after = await undo_last(memory, self._service, self._actor, await self._applying(memory, {}))
        return await self._receipts(before, after, _changed_entries(before))

    async def search(self, query: str, mode: str = "auto", limit: int = 8) -> Mapping[str, Any]:
        """Search both memories (spec 2.5). Raises ValueError, CapabilityNotSupportedError."""
        wanted = cast("SearchMode", mode)  # the service refuses what is none
        heads = [head for memory in (self._own, self._personal) if (head := await memory.head()) is not None]
        if heads:
            found = views.search_result(await self._service.search(query, heads, limit, wanted))
        else:
            await self._service.check_search(limit, wanted)
            found = views.search_result(views.nothing_remembered())
        note = await self.unconfirmed()
        return {**found, "note": note} if note else found

    async def expand(self, citations: Sequence[EntryCitation]) -> list[dict[str, Any]]:
        """Return exactly the cited versions with their evidence. Raises InvalidCitationError, UnconfirmedCloneError."""
        standing = await self._binding.standing()
        if standing.withheld in {citation.memory_ref.artifact_id for citation in citations}:
            self._binding.require_confirmed(standing)
        versions = await self._service.expand(citations)
        sources = await self._store.sources(sorted({ref.source_id for each in versions for ref in each.sources}))
        return [
            views.expanded(citation, version, sources) for citation, version in zip(citations, versions, strict=True)
        ]

    async def changes(self, since_revision: int | None) -> list[dict[str, Any]]:
        """Return what changed in the repository's memory by Revision. Raises ValueError, ArtifactNotFoundError."""
        head = await self._own.head()
        if head is None:
            return []
        return [views.revision_changes(each) for each in await self._service.changes(head, since_revision)]

    async def history(self, entry_id: str) -> list[dict[str, Any]]:
        """Return what happened to one entry, oldest first. Raises UnknownEntryError, IntegrityError."""
        artifact_id = await (await self._holder(entry_id)).artifact_id()
        steps: Sequence[HistoryStep] = await self._store.history(artifact_id or "", entry_id)
        return [views.history_step(step) for step in steps]

    async def export(self, scopes: Collection[Scope]) -> list[dict[str, Any]]:
        """Return the active entries as lines that ``import`` reads, as of the last refresh."""
        snapshot = self.snapshot()
        cited = {each.source_id for card in snapshot.cards.values() for each in card.evidence}
        return list(export_lines(snapshot, await self._store.sources(sorted(cited)), scopes))

    async def status(self) -> dict[str, Any]:
        """Return what this repository is, and what is remembered of it."""
        standing = await self._binding.standing()
        own, personal = await self._own.head(), await self._personal.head()
        return {
            "repository": {
                "root": str(self.root),
                "key": self.key,
                "basis": self.identity.basis,
                "remote": self.identity.remote,
            },
            "binding": self._binding.summary(standing),
            "memory": views.memory_summary(own),
            "personal_memory": views.memory_summary(personal),
            "damaged_entries": await self._damaged(),
            "database": self._backend.describe(),
            "capabilities": views.capabilities(await self._backend.capabilities()),
            "warnings": [views.settings_warning(each) for each in self.warnings],
            "version": __version__,
        }

    async def _damaged(self) -> list[str]:
        """Return the active entries whose bodies are not what their hashes commit to."""
        if self._is_live:
            return list(self._keeper.damaged)
        found: list[str] = []
        for memory in (self._own, self._personal):
            artifact_id = await memory.artifact_id()
            state = await self._store.state(artifact_id) if artifact_id else None
            found += state.damaged if state else ()
        return found

    async def bind(self, request: BindRequest) -> dict[str, Any]:
        """Change the repository's binding as asked, and return it with every key and clone (spec 2.4).

        ``previous_artifact_id`` is there after a rebinding: what the key led to before, so that there is a way back.
        Raises InvalidInputError, ArtifactNotFoundError.
        """
        previous = await self._binding.change(request)
        await self.refresh()
        described = {"key": self.key, "root": str(self.root), **await self._binding.describe()}
        return {**described, "previous_artifact_id": previous} if request.to is not None else described

    async def resolve(self, words: str) -> str:
        """Return the entry_id that ``words`` is, or the one that ends with it: the end of an ID is random.

        Raises UnknownEntryError when no entry does, several do, or fewer than four characters are given, and
        UnconfirmedCloneError when that is because the repository's memory is withheld.
        """
        words = words.removeprefix("…")  # as `memlens show` prints it
        found = set()
        for memory in (self._own, self._personal):
            head = await memory.head()
            if head and head.manifest.get(words):
                return words
            found |= {line.entry_id for line in head.manifest if line.entry_id.endswith(words)} if head else set()
        if len(found) == 1 and len(words) >= MINIMUM_ENDING:
            return found.pop()
        self._binding.require_confirmed(await self._binding.standing())
        what = "No entry ends" if not found else f"{len(found)} entries end"
        raise UnknownEntryError(
            f"{what} with {words!r}: give an entry ID, or at least {MINIMUM_ENDING} of its last characters; "
            "`memlens search` and `memlens show` name entries."
        )

    async def _holder(self, entry_id: str) -> BoundMemory:
        for memory in (self._own, self._personal):
            head = await memory.head()
            if head and head.manifest.get(entry_id):
                return memory
        self._binding.require_confirmed(await self._binding.standing())
        raise UnknownEntryError(f"There is no entry {entry_id} in the memory of this repository or in your own.")

    async def _change_each(self, entry_ids: Sequence[str], operation: Any) -> tuple[Receipt, ...]:
        """Change entries, one Revision for each memory that holds some of them; receipts in the order asked."""
        if not entry_ids:
            raise InvalidInputError("Name at least one entry.")
        by_memory: dict[BoundMemory, list[str]] = {}
        for entry_id in dict.fromkeys(entry_ids):
            by_memory.setdefault(await self._holder(entry_id), []).append(entry_id)
        receipts: dict[str, Receipt] = {}
        for memory, held in by_memory.items():
            for receipt in await self._changed(memory, held, operation):
                receipts[receipt.entry_id] = receipt
        return tuple(receipts[entry_id] for entry_id in dict.fromkeys(entry_ids))

    async def _changed(self, memory: BoundMemory, entry_ids: Sequence[str], operation: Any) -> tuple[Receipt, ...]:
        return await self._receipts(*await memory.change(entry_ids, operation), entry_ids)

    async def _receipts(self, before: Memory, after: Memory, entry_ids: Sequence[str]) -> tuple[Receipt, ...]:
        """Show what was written, and return the receipts of the entries that it was about."""
        versions = await self._service.entries(after, entry_ids)
        await self._written()
        return tuple(_receipt(before, after, version) for version in versions)

    async def _applying(self, memory: BoundMemory, stated: Mapping[Statement, Sequence[Applicability]]) -> Applying:
        return Applying(await asyncio.to_thread(self.tree) if memory is self._own else None, stated)

    async def _written(self) -> None:
        """Show what was written, where a snapshot is kept. What is committed stays so, whatever reading it meets."""
        if self._is_live:
            try:
                await self.refresh()
            except Exception as error:  # noqa: BLE001  the write is done, and is answered as done
                logger.warning("What was written cannot be shown yet: %s", type(error).__name__)

    def _evidence_of(self, requests: Sequence[RememberRequest], *, shared: bool) -> list[tuple[Source, ...]]:
        evidence = []
        for request in requests:
            with named(request.label):
                evidence.append(self._evidence(request.evidence, shared=shared))
        return evidence

    def _evidence(self, given: Sequence[EvidenceInput], *, shared: bool) -> tuple[Source, ...]:
        """Store with the evidence of a memory that several repositories share which of them it is from."""
        return tuple(make_evidence(each, self._files, self.key if shared else None) for each in given)


def _stated(request: RememberRequest) -> Applicability | None:
    with named(request.label):
        return stated(request.applies)


def _statement(request: RememberRequest, given: MemoryEntryInput) -> Statement:
    with named(request.label):
        return NormalInput.of(given).statement


def _distinct(evidence: Sequence[tuple[Source, ...]]) -> tuple[Source, ...]:
    return tuple({source.source_id: source for sources in evidence for source in sources}.values())


def _changed_entries(memory: Memory) -> list[str]:
    return [change.entry_id for change in memory.content.changes]


def _first_active(memory: Memory, versions: Sequence[MemoryEntryVersion]) -> MemoryEntryVersion:
    return next(each for each in versions if memory.manifest[each.entry_id].is_active)


def _is_new(before: Memory | None, after: Memory, version: MemoryEntryVersion) -> bool:
    """Whether the operation that led from ``before`` to ``after`` made this version."""
    return before is None or (before.ref != after.ref and version.created_in_revision == after.ref.revision)


def _receipt(before: Memory | None, after: Memory, version: MemoryEntryVersion) -> Receipt:
    line = before.manifest.get(version.entry_id) if before else None
    return Receipt(
        memory_ref=ArtifactRef(after.ref.artifact_id, after.ref.revision),
        entry_id=version.entry_id,
        entry_version_id=version.entry_version_id,
        changed=line != after.manifest.get(version.entry_id),
    )
