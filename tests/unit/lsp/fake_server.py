"""The real server over real pipes, or TCP with ``--tcp``, with the fake runtime behind it."""

import sys

from memlens.lsp.stdio import claim_stdio

if __name__ == "__main__":
    streams = None if "--tcp" in sys.argv else claim_stdio()
    print("printed before the session")

    from fake_runtime import open_fake_runtime

    from memlens.lsp.main import serve_stdio, serve_tcp

    sys.exit(serve_stdio(open_fake_runtime, streams) if streams else serve_tcp(open_fake_runtime))
