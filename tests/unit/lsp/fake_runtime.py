"""The ports of the runtime in memory: entries are anchored on the lines that hold a given word.

What is in the memory, and how the fake misbehaves, comes from ``initializationOptions["fake"]``:

- ``entries``: a list of {"id", "kind", "text", "path"?, "word"?, "strength"?}; without a word file level, without a
  path any file
- ``open_error``: opening fails with this error code; ``open_gate``: opening waits until this file exists
- ``notice``: what every repository wants to be told once
- ``compute_gate``: computing anchors blocks a worker until this file exists
- ``write_seconds``: a write takes that long
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memlens.anchors.model import Anchor, Rule, Strength
from memlens.core.errors import (
    CannotUndoError,
    DatabaseBusyError,
    InvalidInputError,
    InvalidTextError,
    StorageError,
    UnknownEntryError,
)
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.queries.model import EntryCard, EvidenceCard


@dataclass(frozen=True)
class Section:
    enabled: bool = True


@dataclass(frozen=True)
class Lenses:
    file: bool = True
    lines: bool = False


@dataclass(frozen=True)
class Files:
    max_size: int = 2_000_000


@dataclass(frozen=True)
class FakeSettings:
    hover: Section = Section()
    inlay_hint: Section = Section()
    code_lens: Lenses = Lenses()
    files: Files = Files()


@dataclass(frozen=True)
class FakeEntry:
    card: EntryCard
    path: str | None
    word: str | None
    strength: Strength


@dataclass(frozen=True)
class FakeIndex:
    entries: tuple[FakeEntry, ...]
    gate: str | None = None

    def anchors(self, path: str, lines: Sequence[str]) -> tuple[Anchor, ...]:
        while not _is_open(self.gate):
            time.sleep(0.01)
        found: list[Anchor] = []
        for entry in self.entries:
            if entry.path not in (None, path):
                continue
            places = [None] if entry.word is None else [n for n, line in enumerate(lines) if entry.word in line]
            found += [
                Anchor(entry.card.entry_id, Rule.PATH, entry.strength, f"names {path}", place, place)
                for place in places
            ]
        return tuple(found)


@dataclass(frozen=True)
class FakeSnapshot:
    heads: tuple[ArtifactRef, ...]
    cards: Mapping[str, EntryCard]
    index: FakeIndex


@dataclass(frozen=True)
class FakeReceipt:
    memory_ref: ArtifactRef
    entry_id: str
    entry_version_id: str
    changed: bool


class FakeRepository:
    warnings = ()

    @property
    def settings(self) -> FakeSettings:
        return self._runtime.settings

    def __init__(self, runtime: FakeRuntime, root: Path) -> None:
        self.root = root
        self.key = f"repo:{root}"
        self.notice: str | None = runtime.options.get("notice")
        self._runtime = runtime
        self._revision = 1
        self._writing = 0
        self._notes: list[str] = []
        self._entries = tuple(self._entry(given) for given in runtime.options.get("entries", ()))
        self._snapshot = self._take()

    def relative(self, path: Path) -> str | None:
        real = Path(os.path.realpath(path))
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None

    def is_shown(self, path: str) -> bool:
        return not path.startswith("ignored/")

    def snapshot(self) -> FakeSnapshot:
        if self._runtime.options.get("unreadable"):
            raise StorageError("The database cannot be read: look at the disk.")
        return self._snapshot

    async def remember(self, request: Any) -> FakeReceipt:
        if any("\ud800" <= character <= "\udfff" for character in request.text):
            raise InvalidTextError("The memory text holds a lone surrogate: remove it.")
        self._notes += [evidence.note for evidence in request.evidence if evidence.note]
        evidence = next((given for given in request.evidence if given.path), None)
        given = {
            "id": f"entry-{len(self._entries) + 1}",
            "kind": request.kind,
            "text": request.text,
            "path": evidence.path if evidence else None,
            "word": request.text.split()[0] if evidence else None,
            "lines": [evidence.start_line, evidence.end_line] if evidence else None,
        }
        return await self._write((*self._entries, self._entry(given)), given["id"])

    async def revise(self, request: Any) -> FakeReceipt:
        self._known(request.entry_id)
        self._notes += [evidence.note for evidence in request.evidence if evidence.note]
        revised = tuple(
            replace(entry, card=replace(entry.card, text=request.text or entry.card.text))
            if entry.card.entry_id == request.entry_id
            else entry
            for entry in self._entries
        )
        return await self._write(revised, request.entry_id)

    async def forget(self, entry_ids: Sequence[str], reason: str | None) -> tuple[FakeReceipt, ...]:
        for entry_id in entry_ids:
            self._known(entry_id)
        left = tuple(entry for entry in self._entries if entry.card.entry_id not in entry_ids)
        return tuple([await self._write(left, entry_id) for entry_id in entry_ids])

    async def reactivate(self, entry_ids: Sequence[str], reason: str | None) -> tuple[FakeReceipt, ...]:
        return tuple([FakeReceipt(self._head, entry_id, f"{entry_id}-v1", False) for entry_id in entry_ids])

    async def restore(self, entry_id: str, version: int | str, reason: str | None) -> FakeReceipt:
        self._known(entry_id)
        return FakeReceipt(self._head, entry_id, f"{entry_id}-as-{version}", True)

    async def undo(self, *, personal: bool) -> tuple[FakeReceipt, ...]:
        if personal or self._runtime.options.get("elsewhere"):
            raise CannotUndoError("The last change was made by Bob: restore the entry itself.")
        return tuple([await self._write(self._entries[:-1], entry.card.entry_id) for entry in self._entries[-1:]])

    async def organize(self, steps: str, *, personal: bool) -> tuple[FakeReceipt, ...]:
        spare = self._entries[1:] if steps == "dedupe" and not personal else ()
        return tuple([await self._write(self._entries[:1], entry.card.entry_id) for entry in spare])

    async def search(self, query: str, mode: str, limit: int) -> Mapping[str, Any]:
        if query == "busy":
            raise DatabaseBusyError("Another process holds the database: try again.")
        if query == "bug":
            raise RuntimeError(self._entries[0].card.text)
        if query == "print":
            print("stray output")
            await asyncio.to_thread(_print_in_child)
        if query == "forever":
            await asyncio.sleep(3600)
        hits = [{"entry_id": entry.card.entry_id, "text": entry.card.text} for entry in self._entries]
        return {"mode": mode, "query": query, "limit": limit, "hits": hits}

    async def expand(self, citations: Sequence[EntryCitation]) -> Sequence[Mapping[str, Any]]:
        return [{"entry_id": citation.entry_id, "text": self._known(citation.entry_id).text} for citation in citations]

    async def bind(self, request: Any) -> Mapping[str, Any]:
        return {"confirm": request.confirm, "to": request.to, "forget_clone": request.forget_clone}

    async def status(self) -> Mapping[str, Any]:
        return {"root": str(self.root), "entries": len(self._entries), "writing": self._writing, "notes": self._notes}

    @property
    def _head(self) -> ArtifactRef:
        return ArtifactRef("memory-1", self._revision)

    def _known(self, entry_id: str) -> EntryCard:
        for entry in self._entries:
            if entry.card.entry_id == entry_id:
                return entry.card
        raise UnknownEntryError(f"No entry {entry_id!r}: search for it.")

    async def _write(self, entries: tuple[FakeEntry, ...], entry_id: str) -> FakeReceipt:
        self._writing += 1
        await asyncio.sleep(self._runtime.options.get("write_seconds", 0.0))
        if marker := self._runtime.options.get("write_marker"):
            _mark(marker, entry_id)
        self._entries = entries
        self._revision += 1
        self._snapshot = self._take()
        self._runtime.changed()
        return FakeReceipt(self._head, entry_id, f"{entry_id}-v1", True)

    def _take(self) -> FakeSnapshot:
        cards = {entry.card.entry_id: entry.card for entry in self._entries}
        return FakeSnapshot((self._head,), cards, FakeIndex(self._entries, self._runtime.options.get("compute_gate")))

    def _entry(self, given: Mapping[str, Any]) -> FakeEntry:
        path = given.get("path")
        first, last = given.get("lines") or (None, None)
        label = path or "a note"
        evidence = EvidenceCard("source-1", "document", label, path, first, last)
        card = EntryCard(self._head, given["id"], f"{given['id']}-v1", 1, given["kind"], given["text"], (evidence,))
        return FakeEntry(card, path, given.get("word"), Strength(given.get("strength", "strong")))


def _root_of(directory: Path) -> Path:
    real = Path(os.path.realpath(directory))
    return next((parent for parent in (real, *real.parents) if _exists(parent / ".git")), real)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _is_open(gate: str | None) -> bool:
    return gate is None or Path(gate).exists()


def _mark(path: str, text: str) -> None:
    Path(path).write_text(text)


def _print_in_child() -> None:
    subprocess.run([sys.executable, "-c", "print('child output')"], check=True)


class FakeRuntime:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.settings = FakeSettings(
            code_lens=Lenses(lines=bool(options.get("line_lenses"))),
            files=Files(options.get("max_size", 2_000_000)),
            hover=Section(not options.get("no_hover")),
        )
        self._repositories: dict[Path, FakeRepository] = {}
        self._listeners: list[Callable[[], None]] = []

    async def repository(self, directory: Path) -> FakeRepository:
        if directory.name == "locked":
            raise InvalidInputError("The directory cannot be read: look at its permissions.")
        root = _root_of(directory)
        return self._repositories.setdefault(root, FakeRepository(self, root))

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def changed(self) -> None:
        for listener in tuple(self._listeners):
            listener()

    async def close(self) -> None:
        if marker := self.options.get("close_marker"):
            _mark(marker, "closed")


async def open_fake_runtime(options: Mapping[str, Any]) -> FakeRuntime:
    fake = options.get("fake", {})
    while not _is_open(fake.get("open_gate")):  # noqa: ASYNC110 -- another process opens it
        await asyncio.sleep(0.01)
    if fake.get("open_error"):
        raise StorageError("The database cannot be opened: check MEMLENS_HOME.")
    return FakeRuntime(fake)
