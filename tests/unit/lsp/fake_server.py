"""The real server over real pipes, with the fake runtime behind it."""

import sys

from memlens.lsp.stdio import claim_stdio

streams = claim_stdio()

if __name__ == "__main__":
    print("printed before the session")
    from fake_runtime import open_fake_runtime

    from memlens.lsp.main import serve_stdio

    sys.exit(serve_stdio(open_fake_runtime, streams))
