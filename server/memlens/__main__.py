"""The command ``memlens``, and ``python -m memlens``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; it exits with its exit code (docs/cli.md)."""
    from memlens.cli.main import run

    run(sys.argv[1:])


if __name__ == "__main__":
    main()
