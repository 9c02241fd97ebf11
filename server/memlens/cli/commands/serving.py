"""lsp: the language server."""

from __future__ import annotations

from typing import Annotated

import typer

from memlens.cli.context import reported


def lsp(
    tcp: Annotated[
        int | None,
        typer.Option("--tcp", metavar="PORT", min=0, max=65535, help="Serve one client on this port."),
    ] = None,
) -> None:
    """Run the language server on standard input and output, for an editor to start."""
    from memlens.lsp.main import serve_stdio, serve_tcp
    from memlens.lsp.opening import open_for_editor

    if tcp is None:
        raise typer.Exit(serve_stdio(open_for_editor))
    code = reported(lambda: serve_tcp(open_for_editor, port=tcp), as_json=False)
    raise typer.Exit(code)
