"""The way from a document or command to its repository; the memory opens behind, and once (spec 3.2, 4)."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar

from memlens.core.errors import MemLensError
from memlens.core.refs import ArtifactRef
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.runtime_port import ClientOptions, OpenRuntime, RepositoryPort, RuntimePort
from memlens.lsp.uris import document_key, file_path

_T = TypeVar("_T")


class MemoryAccess:
    """Opens the runtime when told to, and finds repositories in it. Used on the event loop."""

    def __init__(
        self,
        open_runtime: OpenRuntime,
        executor: Executor,
        on_change: Callable[[], None],
        say: Callable[[str], None],
        on_notice: Callable[[str], None],
    ) -> None:
        self._open_runtime = open_runtime
        self._executor = executor
        self._on_change = on_change
        self._say = say
        self._on_notice = on_notice
        self._options: ClientOptions = {}
        self._opening: asyncio.Task[RuntimePort] | None = None
        self._folders: dict[str, str] = {}
        self._repositories: dict[str, RepositoryPort] = {}
        self._closed = False

    @property
    def folders(self) -> tuple[str, ...]:
        """The URIs of the workspace folders, as the client spells them."""
        return tuple(self._folders.values())

    def add_folders(self, uris: Sequence[str]) -> None:
        """Take workspace folders in."""
        self._folders.update({document_key(uri.rstrip("/")): uri for uri in uris})

    def remove_folders(self, uris: Sequence[str]) -> None:
        """Leave workspace folders out, whichever way they are spelled."""
        for uri in uris:
            self._folders.pop(document_key(uri.rstrip("/")), None)

    def heads(self) -> set[ArtifactRef]:
        """Return the heads of every memory that was asked for, as far as they can be read."""
        heads: set[ArtifactRef] = set()
        for repository in self._repositories.values():
            with contextlib.suppress(MemLensError):
                heads.update(repository.snapshot().heads)
        return heads

    def start(self, options: ClientOptions) -> None:
        """Begin to open the memory, without waiting for it."""
        self._options = options
        self._opening = asyncio.create_task(self._open(announce=False))

    async def runtime(self) -> RuntimePort:
        """Return the open runtime. Raises the MemLensError that opening it ended with."""
        if self._opening is None:
            raise RuntimeError("The memory is opened by initialize.")
        return await asyncio.shield(self._opening)

    async def retried_runtime(self) -> RuntimePort:
        """Like ``runtime``, but try anew when opening failed before: a person may have mended the cause."""
        failed = self._opening is not None and self._opening.done() and _failed(self._opening)
        if failed and not self._closed:
            self._opening = asyncio.create_task(self._open(announce=True))
        return await self.runtime()

    async def for_path(self, path: Path) -> RepositoryPort:
        """Return the repository of a file."""
        runtime = await self.runtime()
        folders = [folder for uri in self.folders if (folder := file_path(uri)) is not None]
        directory = await self.in_background(lambda: repository_directory(path, folders))
        return await self._repository(runtime, directory)

    async def for_command(self, uri: str | None, folder: str | None) -> RepositoryPort:
        """Return the repository that a command means.

        Args:
            uri: a document of it, or None.
            folder: a folder of it, as a URI or a path, or None.

        Raises:
            InvalidArguments: neither is given and not exactly one repository is open, or what is given is no file.
        """
        runtime = await self.retried_runtime()
        if uri is not None:
            return await self.for_path(_local(uri))
        if folder is not None:
            return await self._repository(runtime, _local(folder))
        return await self._only_repository()

    async def open_repositories(self) -> Sequence[RepositoryPort]:
        """Return the repositories of the workspace folders, each once. Raises what opening the memory ended with."""
        runtime = await self.retried_runtime()
        paths = [path for uri in self.folders if (path := file_path(uri)) is not None]
        repositories = [await self._repository(runtime, path) for path in paths]
        return list({repository.root: repository for repository in repositories}.values())

    async def in_background(self, work: Callable[[], _T]) -> _T:
        """Run ``work`` in an executor of ours."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    async def close(self) -> None:
        """Close the runtime, or stop opening it. Idempotent."""
        self._closed = True
        opening, self._opening = self._opening, None
        if opening is None:
            return
        opening.cancel()
        await asyncio.wait([opening])
        if not _failed(opening):
            await opening.result().close()

    async def _open(self, *, announce: bool) -> RuntimePort:
        runtime = await self._open_runtime(self._options)
        runtime.subscribe(self._on_change)
        if announce:
            self._on_change()
        return runtime

    async def _repository(self, runtime: RuntimePort, directory: Path) -> RepositoryPort:
        repository = await runtime.repository(directory)
        if str(repository.root) not in self._repositories:
            for warning in repository.warnings:
                self._say(f"Setting of {warning.source}: {warning.message}")
        self._repositories[str(repository.root)] = repository
        if repository.notice is not None:
            self._on_notice(repository.notice)
        return repository

    async def _only_repository(self) -> RepositoryPort:
        repositories = await self.open_repositories()
        if not repositories:
            raise InvalidArguments("No folder is open: pass `uri` or `folder` to say which repository is meant.")
        if len(repositories) > 1:
            raise InvalidArguments("Several repositories are open: pass `uri` or `folder` to say which is meant.")
        return repositories[0]


def repository_directory(path: Path, folders: Sequence[Path]) -> Path:
    """Return the directory whose repository ``path`` belongs to.

    Inside a Git work tree that is where the file is; elsewhere the innermost workspace folder around it, because a
    folder without Git is one repository as a whole.
    """
    around = [folder for folder in folders if path.is_relative_to(folder)]
    innermost = max(around, key=lambda folder: len(folder.parts), default=None)
    # Unlike Path.exists, this does not raise for a path that may not be looked at, or cannot be.
    in_git = any(os.path.exists(parent / ".git") for parent in path.parents)  # noqa: PTH110
    return path.parent if in_git or innermost is None else innermost


def _failed(task: asyncio.Task[RuntimePort]) -> bool:
    return task.cancelled() or task.exception() is not None


def _local(uri_or_path: str) -> Path:
    path = Path(uri_or_path) if Path(uri_or_path).is_absolute() else file_path(uri_or_path)
    if path is None:
        raise InvalidArguments("`uri` and `folder` must name a file or folder on this machine.")
    return path
