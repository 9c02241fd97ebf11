"""The anchors of open documents: computed off the loop, shifted with every edit meanwhile (spec 3.2, 4, 5.2).

An answer is for the document as it is now. While the anchors of a newer version are being computed, the last ones
move along with the line edits since, so lenses and hints neither wait nor jump while somebody types.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from memlens.anchors.model import Anchor
from memlens.anchors.shift import shift
from memlens.core.errors import MemLensError
from memlens.lsp.documents import Document, DocumentSnapshot
from memlens.lsp.errors import log_unexpected
from memlens.lsp.memory_access import MemoryAccess
from memlens.queries.model import FileView
from memlens.queries.view import view_file

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort
    from memlens.runtime.api import MemorySnapshot

_log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.04
"""How long after an edit its anchors are computed anew: the edits of one burst are taken together."""


@dataclass(frozen=True, slots=True)
class LocatedView:
    """A view with what is needed to answer from it."""

    view: FileView
    repository: RepositoryPort


@dataclass(frozen=True, slots=True)
class _Computed:
    """Anchors of one memory on a document after ``sequence`` edits; ``path`` is None when nothing is to be shown."""

    memory: MemorySnapshot
    sequence: int
    path: str | None
    anchors: tuple[Anchor, ...]


@dataclass(slots=True, eq=False)
class _Tracked:
    """What is known of one open document."""

    document: Document
    repository: RepositoryPort | None = None
    computed: _Computed | None = None
    in_flight: asyncio.Task[None] | None = None
    settle: asyncio.TimerHandle | None = None

    def follow_edits(self) -> None:
        """Bring the anchors to the current lines."""
        self.computed = _followed(self.computed, self.document)

    def stop(self) -> None:
        """Stop computing."""
        if self.settle is not None:
            self.settle.cancel()
        if self.in_flight is not None:
            self.in_flight.cancel()


def _followed(computed: _Computed | None, document: Document) -> _Computed | None:
    """Return ``computed`` shifted to the current lines; None when too many edits went by to know how."""
    if computed is None or computed.sequence == document.sequence:
        return computed
    edits = document.edits_since(computed.sequence)
    if edits is None:
        return None
    return replace(computed, sequence=document.sequence, anchors=shift(computed.anchors, edits))


class AnchorService:
    """Views of open documents. Used on the event loop.

    Args:
        memory: where repositories come from, and the executor to compute in.
        on_moved: called when computing showed that shifted anchors were not right, so that editors ask anew.
        on_too_large: called with a document that is beyond ``files.max_size``.
        is_open: whether a document is open still; nothing is kept of one that is not.
    """

    def __init__(
        self,
        memory: MemoryAccess,
        on_moved: Callable[[], None],
        on_too_large: Callable[[Document], None],
        is_open: Callable[[Document], bool],
    ) -> None:
        self._memory = memory
        self._on_moved = on_moved
        self._on_too_large = on_too_large
        self._is_open = is_open
        self._tracked: dict[str, _Tracked] = {}
        self._preparing: set[asyncio.Task[None]] = set()

    async def view(self, document: Document) -> LocatedView | None:
        """Return the view of the document as it is now; None when it is not a file that anything is shown on.

        Raises MemLensError when the memory cannot be read.
        """
        if not self._is_open(document):
            return None
        tracked = self._track(document)
        repository = await self._repository(tracked)
        if repository is None:
            return None
        memory = repository.snapshot()
        if tracked.computed is None or tracked.computed.memory is not memory:
            await self._recompute(tracked)
        tracked.follow_edits()
        done = tracked.computed
        if done is None or done.path is None:
            return None
        view = FileView(done.path, document.line_count, done.anchors, done.memory.cards)
        return LocatedView(view, repository)

    def prepare(self, document: Document) -> None:
        """Compute in the background what will be asked for soon."""
        task = asyncio.create_task(self._prepare(document))
        self._preparing.add(task)
        task.add_done_callback(self._preparing.discard)

    def edited(self, document: Document) -> None:
        """Compute the anchors of the new text in a moment, if anybody looks at the document."""
        tracked = self._tracked.get(document.key)
        if tracked is not None and tracked.document is document and tracked.computed is not None:
            self._settle(tracked)

    def closed(self, document: Document) -> None:
        """Forget a document."""
        if (tracked := self._tracked.pop(document.key, None)) is not None:
            tracked.stop()

    def folders_changed(self) -> None:
        """Look for the repository of every document anew."""
        for tracked in self._tracked.values():
            tracked.repository = tracked.computed = None

    def stop(self) -> None:
        """Stop everything in the background."""
        for tracked in self._tracked.values():
            tracked.stop()
        for task in self._preparing:
            task.cancel()

    async def _prepare(self, document: Document) -> None:
        try:
            await self.view(document)
        except MemLensError as error:
            _log.info("Anchors were not prepared: %s", error.code)

    def _track(self, document: Document) -> _Tracked:
        tracked = self._tracked.get(document.key)
        if tracked is None or tracked.document is not document:
            if tracked is not None:
                tracked.stop()
            tracked = self._tracked[document.key] = _Tracked(document)
        return tracked

    async def _repository(self, tracked: _Tracked) -> RepositoryPort | None:
        document = tracked.document
        if document.path is None or not await self._has_showable_size(document):
            return None
        if tracked.repository is None:
            tracked.repository = await self._memory.for_path(document.path)
        return tracked.repository

    async def _has_showable_size(self, document: Document) -> bool:
        limit = (await self._memory.runtime()).settings.files.max_size
        if document.size <= limit:
            return True
        self._on_too_large(document)
        return False

    async def _recompute(self, tracked: _Tracked) -> None:
        """Compute anchors for the memory as it is now; a computation that runs already may do."""
        if tracked.in_flight is not None:
            await asyncio.shield(tracked.in_flight)
            if _is_current(tracked):
                return
        await asyncio.shield(self._start(tracked))

    def _start(self, tracked: _Tracked) -> asyncio.Task[None]:
        if tracked.in_flight is None:
            tracked.in_flight = asyncio.create_task(self._compute(tracked))
            tracked.in_flight.add_done_callback(_retrieve)
        return tracked.in_flight

    async def _compute(self, tracked: _Tracked) -> None:
        repository, document = tracked.repository, tracked.document
        try:
            if repository is None or document.path is None:
                return
            limit = (await self._memory.runtime()).settings.files.max_size
            memory, text = repository.snapshot(), document.snapshot()
            work = partial(_anchors_of, repository, memory, document.path, text, limit)
            computed = await self._memory.in_background(work)
        finally:
            tracked.in_flight = None
        self._take(tracked, computed)
        if text.sequence != document.sequence:
            self._settle(tracked)

    def _take(self, tracked: _Tracked, computed: _Computed) -> None:
        tracked.follow_edits()
        shown = tracked.computed
        tracked.computed = computed
        tracked.follow_edits()
        tracked.document.forget_edits(tracked.document.sequence)
        if shown and tracked.computed and shown.memory is computed.memory and _differ(shown, tracked.computed):
            self._on_moved()

    def _settle(self, tracked: _Tracked) -> None:
        """Compute anew in a moment. The first edit of a burst sets the time: typing on does not put it off."""
        if tracked.settle is None:
            loop = asyncio.get_running_loop()
            tracked.settle = loop.call_later(SETTLE_SECONDS, self._settled, tracked)

    def _settled(self, tracked: _Tracked) -> None:
        tracked.settle = None
        self._start(tracked)


def _anchors_of(
    repository: RepositoryPort, memory: MemorySnapshot, file: Path, text: DocumentSnapshot, max_size: int
) -> _Computed:
    """Compute the anchors of one version; runs in an executor."""
    path = _shown_path(repository, file)
    if path is None or _utf8_size(text.lines) > max_size:
        return _Computed(memory, text.sequence, None, ())
    return _Computed(memory, text.sequence, path, view_file(memory, path, text.lines).anchors)


def _shown_path(repository: RepositoryPort, file: Path) -> str | None:
    """Return the path in the repository of a file that is shown; a path that cannot be looked at is not."""
    try:
        path = repository.relative(file)
        return path if path is not None and repository.is_shown(path) else None
    except OSError:
        return None


def _utf8_size(lines: Sequence[str]) -> int:
    return sum(len(line) if line.isascii() else len(line.encode()) for line in lines)


def _is_current(tracked: _Tracked) -> bool:
    computed, repository = tracked.computed, tracked.repository
    return computed is not None and repository is not None and computed.memory is repository.snapshot()


def _differ(one: _Computed, other: _Computed) -> bool:
    return one.path != other.path or set(one.anchors) != set(other.anchors)


def _retrieve(task: asyncio.Task[None]) -> None:
    """Look at the result even when nobody waits for it any more; those who ask next meet the error themselves."""
    if not task.cancelled() and (error := task.exception()) and not isinstance(error, MemLensError):
        log_unexpected(error, "Computing anchors")
