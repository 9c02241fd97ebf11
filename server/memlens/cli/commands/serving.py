"""lsp: the language server."""

from __future__ import annotations

from typing import Annotated

import typer


def lsp(
    tcp: Annotated[
        int | None, typer.Option("--tcp", metavar="PORT", help="Serve one client on this port of the loopback.")
    ] = None,
) -> None:
    """Run the language server on standard input and output, for an editor to start."""
    from memlens.lsp.main import serve_stdio, serve_tcp
    from memlens.lsp.opening import open_for_editor

    code = serve_stdio(open_for_editor) if tcp is None else serve_tcp(open_for_editor, port=tcp)
    raise typer.Exit(code)
