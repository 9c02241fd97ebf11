"""The params of ``initialize``: the few of them that are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memlens.lsp.capabilities import ClientFeatures, client_features
from memlens.lsp.errors import InvalidArguments


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What a client says of itself when a session starts.

    ``folders`` are URIs as the client spells them; ``options`` are its ``initializationOptions``.
    """

    client: ClientFeatures
    process_id: int | None
    folders: tuple[str, ...]
    options: Mapping[str, Any]
    trace: str


def read_initialize(params: object) -> SessionStart:
    """Return what ``params`` say. Raises InvalidArguments when they are no object or lack capabilities."""
    if not isinstance(params, Mapping) or not isinstance(params.get("capabilities"), Mapping):
        raise InvalidArguments("The params of initialize are an object with `capabilities`.")
    process_id, options, trace = (params.get(key) for key in ("processId", "initializationOptions", "trace"))
    return SessionStart(
        client=client_features(params["capabilities"]),
        process_id=process_id if isinstance(process_id, int) else None,
        folders=_folders(params),
        options=options if isinstance(options, Mapping) else {},
        trace=trace if isinstance(trace, str) else "off",
    )


def _folders(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the workspace folders; for clients of old, the root."""
    given = params.get("workspaceFolders")
    folders = [folder.get("uri") for folder in given if isinstance(folder, Mapping)] if isinstance(given, list) else []
    named = tuple(uri for uri in folders if isinstance(uri, str))
    return named or _root(params.get("rootUri"), params.get("rootPath"))


def _root(uri: object, path: object) -> tuple[str, ...]:
    if isinstance(uri, str) and uri:
        return (uri,)
    if isinstance(path, str) and Path(path).is_absolute():
        return (Path(path).as_uri(),)
    return ()
