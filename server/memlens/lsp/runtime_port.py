"""What the language server asks of the runtime. ``memlens.runtime`` implements it; ``memlens.app`` passes it in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from memlens.core.refs import ArtifactRef, EntryCitation
    from memlens.runtime.api import BindRequest, MemorySnapshot, Receipt, RememberRequest, ReviseRequest


class SettingsWarningLike(Protocol):
    """A setting that was ignored."""

    @property
    def source(self) -> str:
        """Where it was set."""
        ...

    @property
    def message(self) -> str:
        """Why it was ignored, and what to do."""
        ...


class DocumentsPort(Protocol):
    """What is remembered, written out to be read: Markdown in which memory is text, never markup."""

    async def overview_json(self) -> Mapping[str, Any]:
        """Return everything active, ready for JSON."""
        ...

    async def overview_markdown(self) -> str:
        """Return everything active."""
        ...

    async def changes_markdown(self) -> str:
        """Return what changed, the latest first."""
        ...

    async def entry_markdown(self, entry_id: str) -> str:
        """Return one entry with its history. Raises UnknownEntryError."""
        ...

    async def revision_markdown(self, ref: ArtifactRef) -> str:
        """Return one exact Revision. Raises ArtifactNotFoundError."""
        ...


class RepositoryPort(Protocol):
    """One repository and the memories that bear on it. Its errors are MemLensErrors."""

    @property
    def root(self) -> Path:
        """The root of the repository on disk."""
        ...

    @property
    def key(self) -> str:
        """What tells this repository from every other."""
        ...

    @property
    def settings(self) -> SurfaceSettings:
        """The settings in force for its files: the person's, over the team's own."""
        ...

    @property
    def notice(self) -> str | None:
        """What a person should be told once: why nothing is shown here, and what to do. None when all is as usual."""
        ...

    @property
    def warnings(self) -> Sequence[SettingsWarningLike]:
        """Settings that were ignored, each with the reason."""
        ...

    def relative(self, path: Path) -> str | None:
        """Return ``path`` relative to the root, with ``/``; None when it lies outside. May touch the disk."""
        ...

    def is_shown(self, path: str) -> bool:
        """Return False for a file that is ignored. May touch the disk."""
        ...

    def read_text(self, path: str) -> str | None:
        """Return the text of a file, None when it has none to show. Reads the disk."""
        ...

    @property
    def documents(self) -> DocumentsPort:
        """The memory written out."""
        ...

    def snapshot(self) -> MemorySnapshot:
        """Return the memory as it is now: the same object until it changes. Cheap; from any thread."""
        ...

    async def remember(self, request: RememberRequest) -> Receipt:
        """Keep one entry."""
        ...

    async def revise(self, request: ReviseRequest) -> Receipt:
        """Give an active entry new wording."""
        ...

    async def forget(self, entry_ids: Sequence[str], reason: str | None) -> tuple[Receipt, ...]:
        """Make entries inactive, all in one Revision."""
        ...

    async def reactivate(self, entry_ids: Sequence[str], reason: str | None) -> tuple[Receipt, ...]:
        """Make inactive entries active again, all in one Revision."""
        ...

    async def restore(self, entry_id: str, version: int | str, reason: str | None) -> Receipt:
        """Revise an active entry back to what an earlier version says."""
        ...

    async def undo(self, *, personal: bool) -> tuple[Receipt, ...]:
        """Take back the last change of the repository's memory, or the person's own, if this person made it."""
        ...

    async def organize(self, steps: str, *, personal: bool) -> tuple[Receipt, ...]:
        """Deactivate exact duplicates and normalise references; receipts are of what changed."""
        ...

    async def search(self, query: str, mode: str, limit: int) -> Mapping[str, Any]:
        """Search the memory; the result is ready for JSON (spec 2.5)."""
        ...

    async def expand(self, citations: Sequence[EntryCitation]) -> Sequence[Mapping[str, Any]]:
        """Return exactly the cited entry versions, ready for JSON."""
        ...

    async def changes(self, since_revision: int | None) -> Sequence[Mapping[str, Any]]:
        """Return what changed by Revision, ready for JSON."""
        ...

    async def history(self, entry_id: str) -> Sequence[Mapping[str, Any]]:
        """Return what happened to one entry, ready for JSON."""
        ...

    async def bind(self, request: BindRequest) -> Mapping[str, Any]:
        """Return which memory the repository has and which clones know it, changed as asked first."""
        ...

    async def status(self) -> Mapping[str, Any]:
        """Return the state of the memory, ready for JSON."""
        ...


class HoverSettings(Protocol):
    """The section ``hover``."""

    @property
    def enabled(self) -> bool:
        """Whether hovers are shown."""
        ...


class InlayHintSettings(Protocol):
    """The section ``inlay_hint``."""

    @property
    def enabled(self) -> bool:
        """Whether hints are shown."""
        ...


class CodeLensSettings(Protocol):
    """The section ``code_lens``."""

    @property
    def file(self) -> bool:
        """Whether line 1 has a lens with the number of entries."""
        ...

    @property
    def lines(self) -> bool:
        """Whether the lines that constraints and decisions are anchored on have a lens each."""
        ...


class FilesSettings(Protocol):
    """The section ``files``."""

    @property
    def max_size(self) -> int:
        """The largest file that is looked at."""
        ...


class SurfaceSettings(Protocol):
    """The settings that the server reads; ``memlens.workspace.settings.Settings`` has them."""

    @property
    def hover(self) -> HoverSettings: ...  # noqa: D102 -- the class of the section says it

    @property
    def inlay_hint(self) -> InlayHintSettings: ...  # noqa: D102

    @property
    def code_lens(self) -> CodeLensSettings: ...  # noqa: D102

    @property
    def files(self) -> FilesSettings: ...  # noqa: D102


class RuntimePort(Protocol):
    """The open database and every repository asked for so far."""

    @property
    def settings(self) -> SurfaceSettings:
        """The settings in force."""
        ...

    async def repository(self, directory: Path) -> RepositoryPort:
        """Return the repository that ``directory`` belongs to; one object for each repository root.

        Raises InvalidInputError for a directory that cannot be looked at.
        """
        ...

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` on the event loop after any change of memory; returns what unsubscribes it."""
        ...

    async def verify(self) -> Mapping[str, Any]:
        """Check the whole database; the report is ready for JSON."""
        ...

    async def close(self) -> None:
        """Finish what is being written and close the database."""
        ...


ClientOptions = Mapping[str, Any]
"""``initializationOptions`` as the client sent them."""

OpenRuntime = Callable[[ClientOptions], Awaitable[RuntimePort]]
