"""lsp: the language server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from memlens.app import open_runtime
from memlens.lsp.runtime_port import RuntimePort


def lsp(
    tcp: Annotated[
        int | None, typer.Option("--tcp", metavar="PORT", help="Serve one client on this port of the loopback.")
    ] = None,
) -> None:
    """Run the language server on standard input and output, for an editor to start."""
    from memlens.lsp.main import serve_stdio, serve_tcp

    code = serve_stdio(open_for_editor) if tcp is None else serve_tcp(open_for_editor, port=tcp)
    raise typer.Exit(code)


async def open_for_editor(client: Mapping[str, Any]) -> RuntimePort:
    """Open the runtime that an editor's options ask for, and keep it current."""
    return await open_runtime(client=client, watch=True)
