"""One editor session with ``memlens lsp`` over stdio, driven by pytest-lsp."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from e2e.conftest import Project


@dataclass
class Editor:
    """One editor session on a project. Lines and columns are 0-based, columns in ``encoding``."""

    client: LanguageClient
    project: Project
    changes: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)
    encoding: str = ""
    offered: types.ServerCapabilities = field(default_factory=types.ServerCapabilities)

    def uri(self, path: str) -> str:
        return (self.project.root / path).as_uri()

    def open(self, path: str, text: str | None = None) -> None:
        """Open a file with its text on disk, or an unsaved one."""
        if text is None:
            text = (self.project.root / path).read_text(encoding="utf-8")
        item = types.TextDocumentItem(uri=self.uri(path), language_id="plaintext", version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, path: str, version: int, line: int, column: int, text: str) -> None:
        """Insert text."""
        at = types.Position(line, column)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version=version, uri=self.uri(path)),
                [types.TextDocumentContentChangePartial(range=types.Range(at, at), text=text)],
            )
        )

    async def hover(self, path: str, line: int, column: int = 0) -> str | None:
        """Return what a hover shows, or None."""
        place = types.HoverParams(types.TextDocumentIdentifier(self.uri(path)), types.Position(line, column))
        answer = await self.client.text_document_hover_async(place)
        if answer is None:
            return None
        assert isinstance(answer.contents, types.MarkupContent)
        return answer.contents.value

    async def lenses(self, path: str) -> list[tuple[int, str]]:
        """Return line and title of each lens."""
        params = types.CodeLensParams(types.TextDocumentIdentifier(self.uri(path)))
        lenses = await self.client.text_document_code_lens_async(params) or []
        return [(lens.range.start.line, lens.command.title if lens.command else "") for lens in lenses]

    async def hints(self, path: str) -> list[tuple[int, int, str]]:
        """Return line, column and label of each hint."""
        whole = types.Range(types.Position(0, 0), types.Position(100_000, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(self.uri(path)), whole)
        hints = await self.client.text_document_inlay_hint_async(params) or []
        return [(hint.position.line, hint.position.character, str(hint.label)) for hint in hints]

    async def command(self, name: str, **argument: Any) -> Any:
        """Run ``memlens.NAME`` with one object."""
        params = types.ExecuteCommandParams(command=f"memlens.{name}", arguments=[argument])
        return plain(await self.client.workspace_execute_command_async(params))


def plain(value: Any) -> Any:
    """pygls gives objects of its own for JSON objects of unknown type; return dicts."""
    if hasattr(value, "_asdict"):
        return {key: plain(item) for key, item in value._asdict().items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


@asynccontextmanager
async def session(
    project: Project, client_name: str, workspace: types.WorkspaceClientCapabilities | None = None
) -> AsyncIterator[Editor]:
    """Start the server and initialize it; shut it down as the protocol asks for.

    ``workspace`` stands in for what the client says it can do in workspaces.
    """
    config = ClientServerConfig(
        server_command=[sys.executable, "-m", "memlens", "lsp"],
        client_factory=make_test_lsp_client,
        server_env=project.environ,
    )
    client = await config.start()
    running = Editor(client, project)
    client.feature("memlens/changed")(lambda params: running.changes.put_nowait(params))
    for method in (types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_INLAY_HINT_REFRESH):
        client.feature(method)(lambda _params: None)
    folder = types.WorkspaceFolder(uri=project.root.as_uri(), name="project")
    capabilities = client_capabilities(client_name)
    capabilities.workspace = workspace or capabilities.workspace
    initialized = await client.initialize_session(
        types.InitializeParams(capabilities=capabilities, workspace_folders=[folder], root_uri=folder.uri)
    )
    running.offered = initialized.capabilities
    running.encoding = str(initialized.capabilities.position_encoding or types.PositionEncodingKind.Utf16)
    try:
        yield running
    finally:
        await client.shutdown_session()
