"""Runtime: the open database, the repositories asked for, and the watch for other processes' commits."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from memlens.core.errors import MemLensError
from memlens.memory.service import MemoryService
from memlens.runtime import views
from memlens.runtime.binding import Binding, PersonalBinding, RepositoryBinding
from memlens.runtime.bound import BoundMemory
from memlens.runtime.names import machine_name, personal_key
from memlens.runtime.repository import RepositoryMemory
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.bindings import BindingStore
from memlens.storage.state import StateStore
from memlens.workspace.actor import default_actor
from memlens.workspace.home import Home
from memlens.workspace.identity import RepositoryIdentity, identify
from memlens.workspace.settings import Settings
from memlens.workspace.settings_loader import LoadedSettings
from memlens.workspace.tree import RepositoryFiles

WATCH_SECONDS = 0.25
"""How often other processes' commits are looked for: four times within the second that is promised (spec 2.2)."""

logger = logging.getLogger(__name__)


class Runtime:
    """Everything that one process has open. Close it with :meth:`close`.

    With ``watch``, repositories keep their snapshots current; without it, a snapshot is read when asked for.
    """

    def __init__(
        self,
        home: Home,
        backend: DatabaseMemoryBackend,
        load: Callable[[Path | None], LoadedSettings],
        *,
        watch: bool,
    ) -> None:
        """Run on ``backend``; ``load`` reads the settings, for the repository given or for none."""
        self._home = home
        self._backend = backend
        self._load = load
        self._loaded = load(None)
        self._queue = asyncio.Lock()
        self._repositories: dict[Path, asyncio.Task[RepositoryMemory]] = {}
        self._listeners: list[Callable[[], None]] = []
        self._is_watching = watch
        self._watch: asyncio.Task[None] | None = None

    @property
    def home(self) -> Home:
        """Where MemLens' own files are."""
        return self._home

    @property
    def backend(self) -> DatabaseMemoryBackend:
        """The open database."""
        return self._backend

    @property
    def settings(self) -> Settings:
        """The settings in force outside any repository."""
        return self._loaded.settings

    async def repository(self, directory: Path) -> RepositoryMemory:
        """Return the memory of the repository that ``directory`` is in; one object for each root."""
        identity = await asyncio.to_thread(identify, directory)
        task = self._repositories.get(identity.root)
        if task is None or (task.done() and task.exception()):
            task = asyncio.create_task(self._open(identity))
            self._repositories[identity.root] = task
        return await asyncio.shield(task)

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` on the loop after any change; returns what unsubscribes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def verify(self) -> dict[str, Any]:
        """Check the whole database (spec 2.5)."""
        return views.report(await StateStore(self._backend).verify())

    async def close(self) -> None:
        """Finish what is being written, stop watching, close the database."""
        try:
            if self._watch is not None:
                self._watch.cancel()
                await asyncio.wait([self._watch])
        finally:
            async with self._queue:
                await self._backend.close()

    async def _open(self, identity: RepositoryIdentity) -> RepositoryMemory:
        loaded = await asyncio.to_thread(self._load, identity.root)
        settings = loaded.settings
        actor = await asyncio.to_thread(default_actor, identity.root) if settings.actor is None else settings.actor
        files = RepositoryFiles(identity.root, exclude=settings.exclude, common_dir=identity.common_dir)
        binding = self._binding(identity, actor)
        own = self._bound(binding)
        key = partial(personal_key, self._home.config / "user")
        personal = self._bound(PersonalBinding(key, BindingStore(self._backend), actor))
        repository = RepositoryMemory(
            identity, loaded, files, binding, own, personal, self._backend, actor, is_live=self._is_watching
        )
        repository.on_change(self._tell)
        if self._is_watching:
            await repository.refresh()
            self._watch = self._watch or asyncio.create_task(self._keep_watching())
        return repository

    def _binding(self, identity: RepositoryIdentity, actor: str) -> RepositoryBinding:
        machine = partial(machine_name, self._home.data / "machine")
        return RepositoryBinding(identity, machine, BindingStore(self._backend), actor, self._is_writable)

    def _is_writable(self) -> bool:
        return not self._backend.describe()["read_only"]

    def _bound(self, binding: Binding) -> BoundMemory:
        return BoundMemory(binding, MemoryService(self._backend), self._queue)

    def _tell(self) -> None:
        for listener in list(self._listeners):
            try:
                listener()
            except Exception as error:  # noqa: BLE001  one listener's fault must not keep the others, or us, in the dark
                logger.error("A listener failed: %s", type(error).__name__)  # noqa: TRY400  no memory text in logs

    async def _keep_watching(self) -> None:
        """Refresh every repository after any commit of any process. A database that is away is asked again."""
        token: object = None
        was_away = False
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            try:
                latest = await self._backend.change_token()
                if latest != token:
                    await self._refresh_all()
                    token = latest
                was_away = False
            except Exception as error:  # noqa: BLE001  the watch ends with the session, and with nothing before
                if not was_away:
                    cause = str(error) if isinstance(error, MemLensError) else type(error).__name__
                    logger.warning("The memory shown may be old: %s", cause)
                was_away = True

    async def _refresh_all(self) -> None:
        for task in list(self._repositories.values()):
            if task.done() and not task.cancelled() and task.exception() is None:
                await task.result().refresh()
