"""The command ``memlens``, and ``python -m memlens``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; it exits with its exit code (docs/cli.md)."""
    if sys.argv[1:] == ["lsp"]:
        sys.exit(_serve())
    from memlens.cli.main import run

    run(sys.argv[1:])


def _serve() -> int:
    """Start the language server as editors do: without the command line, and with stdout claimed before any import."""
    from memlens.lsp.stdio import claim_stdio

    streams = claim_stdio()
    from memlens.lsp.main import serve_stdio
    from memlens.lsp.opening import open_for_editor

    return serve_stdio(open_for_editor, streams)


if __name__ == "__main__":
    main()
