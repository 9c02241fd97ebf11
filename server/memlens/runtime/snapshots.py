"""Keeps the snapshot of one repository current, reading only what changed (spec 3.2, invariant 1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from memlens.anchors.index import AnchorIndex
from memlens.anchors.model import AnchorEntry, Applicability, EvidencePlace, Origin
from memlens.anchors.proposal import propose
from memlens.anchors.tree import FileTree
from memlens.core.refs import ArtifactRef
from memlens.core.sources import Source
from memlens.memory.models import Memory, MemoryEntryVersion
from memlens.queries.model import EntryCard
from memlens.runtime.api import MemorySnapshot
from memlens.runtime.applicability import from_row
from memlens.runtime.bound import BoundMemory
from memlens.runtime.evidence import evidence_card, evidence_place
from memlens.storage.rows import ApplicabilityRow
from memlens.storage.state import MemoryState, Stamp, StateStore

EMPTY = MemorySnapshot(heads=(), cards={}, index=AnchorIndex(()))


@dataclass(frozen=True, slots=True)
class _Part:
    """What one of the memories contributes. Applicability rows are kept by entry, to see which of them changed."""

    memory: Memory
    rows: Mapping[str, tuple[ApplicabilityRow, ...]]
    cards: Mapping[str, EntryCard]
    entries: Mapping[str, AnchorEntry]
    damaged: frozenset[str]


class SnapshotKeeper:
    """The snapshot of the memories that bear on one repository."""

    def __init__(
        self, key: str, memories: Sequence[BoundMemory], store: StateStore, tree: Callable[[], FileTree]
    ) -> None:
        """Keep a snapshot of ``memories``; the first is the own memory of repository ``key``, the others are personal.

        ``tree`` lists the repository; it is asked only for entries without stored applicability: a person's, which
        are read against each repository's own files.
        """
        self._key = key
        self._memories = memories
        self._store = store
        self._tree = tree
        self._parts: list[_Part | None] = [None] * len(memories)
        self._reading = asyncio.Lock()
        self.current = EMPTY
        self.damaged: tuple[str, ...] = ()

    async def refresh(self) -> bool:
        """Read what changed since the last time; returns whether anything did.

        One at a time: of two that run at once, the one that read earlier must not publish later.
        """
        async with self._reading:
            return await self._refresh()

    async def _refresh(self) -> bool:
        parts = [await self._read(position, memory) for position, memory in enumerate(self._memories)]
        if all(new is old for new, old in zip(parts, self._parts, strict=True)):
            return False
        self._parts = parts
        self.damaged = tuple(entry_id for part in parts if part for entry_id in sorted(part.damaged))
        self.current = await asyncio.to_thread(_published, self.current, [part for part in parts if part])
        return True

    async def _read(self, position: int, memory: BoundMemory) -> _Part | None:
        artifact_id = await memory.artifact_id()
        before = self._parts[position]
        state = await self._store.state(artifact_id, before.memory if before else None) if artifact_id else None
        if state is None or artifact_id is None:
            return None
        rows = await self._store.applicability(artifact_id)
        return await asyncio.to_thread(self._part, before, state, rows, personal=position > 0)

    def _part(
        self, before: _Part | None, state: MemoryState, listed: Iterable[ApplicabilityRow], *, personal: bool
    ) -> _Part:
        rows = {entry_id: tuple(each) for entry_id, each in groupby(listed, key=lambda row: row.entry_id)}
        if before and not state.is_whole and before.memory.ref == state.memory.ref and before.rows == rows:
            return before
        kept = before if before and not state.is_whole else _Part(state.memory, {}, {}, {}, frozenset())
        cards, entries = dict(kept.cards), dict(kept.entries)
        for entry_id in (*state.removed, *state.damaged):
            cards.pop(entry_id, None)
            entries.pop(entry_id, None)
        cards.update(
            (version.entry_id, entry_card(version, state.sources, state.stamps, personal=personal))
            for version in state.versions
        )
        fresh = {version.entry_id for version in state.versions}
        tree = cache(self._tree)
        for entry_id, card in cards.items():
            if entry_id in fresh or rows.get(entry_id) != kept.rows.get(entry_id):
                evidence = self._places(card, state) if entry_id in fresh else entries[entry_id].evidence
                applicability = _applicability(card, rows.get(entry_id, ()), tree)
                entries[entry_id] = AnchorEntry(entry_id, card.kind, card.text, applicability, evidence)
        read_anew = {*fresh, *state.removed, *state.damaged}
        return _Part(state.memory, rows, cards, entries, (kept.damaged - read_anew) | frozenset(state.damaged))

    def _places(self, card: EntryCard, state: MemoryState) -> tuple[EvidencePlace, ...]:
        places = (evidence_place(state.sources[each.source_id], self._key) for each in card.evidence)
        return tuple(place for place in places if place is not None)


def _applicability(
    card: EntryCard, rows: Sequence[ApplicabilityRow], tree: Callable[[], FileTree]
) -> tuple[Applicability, ...]:
    stored = tuple(found for row in rows if (found := from_row(row)) is not None)
    if any(each.origin in (Origin.PROPOSED, Origin.CONFIRMED) for each in stored):
        return stored
    return (*stored, propose(card.text, tree()))


def _published(before: MemorySnapshot, parts: Sequence[_Part]) -> MemorySnapshot:
    cards = {entry_id: card for part in parts for entry_id, card in part.cards.items()}
    entries = {entry_id: entry for part in parts for entry_id, entry in part.entries.items()}
    changed = [entry for entry_id, entry in entries.items() if before.index.entries.get(entry_id) is not entry]
    removed = [entry_id for entry_id in before.index.entries if entry_id not in entries]
    heads = tuple(part.memory.ref for part in parts)
    return MemorySnapshot(heads=heads, cards=cards, index=before.index.replaced(changed, removed))


def entry_card(
    version: MemoryEntryVersion, sources: Mapping[str, Source], stamps: Mapping[int, Stamp], *, personal: bool
) -> EntryCard:
    """Return what is shown of a version; evidence that is not in ``sources`` is left out."""
    stamp = stamps[version.created_in_revision]
    cited = [sources[ref.source_id] for ref in version.sources if ref.source_id in sources]
    return EntryCard(
        # The Revision that introduced the version cites it as well as the head does, and for ever.
        memory_ref=ArtifactRef(version.memory_artifact_id, version.created_in_revision),
        entry_id=version.entry_id,
        entry_version_id=version.entry_version_id,
        version=version.version,
        kind=version.kind,
        text=version.text,
        evidence=tuple(map(evidence_card, cited)),
        created_at=stamp.created_at,
        actor=stamp.actor,
        personal=personal,
    )
