"""stdin and stdout belong to JSON-RPC (spec 3.2, invariant 6).

Claim them before anything heavy is imported: this module imports next to nothing.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class ProtocolStreams:
    """The two ends of the protocol: a file descriptor to read from, a stream to write to."""

    stdin_fd: int
    stdout: BinaryIO


def claim_stdio() -> ProtocolStreams:
    """Take stdin and stdout away from everybody else and return them for the protocol.

    Afterwards what writes to file descriptor 1 or ``sys.stdout`` (a print, a C library, a child process) lands on
    stderr, and what reads descriptor 0 finds nothing.
    """
    stdout = claim_stdout()
    stdin_fd = _binary(os.dup(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return ProtocolStreams(stdin_fd, stdout)


def claim_stdout() -> BinaryIO:
    """Return stdout for the protocol alone and send every other writer to stderr."""
    sys.stdout.flush()
    protocol = _binary(os.dup(1))
    _ensure_stderr()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return os.fdopen(protocol, "wb")


def _ensure_stderr() -> None:
    """Open the null device as stderr when the client started us without one."""
    try:
        os.fstat(2)
    except OSError:
        null = os.open(os.devnull, os.O_WRONLY)
        if null != 2:
            os.dup2(null, 2)
            os.close(null)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 -- pathlib is not imported yet


def _binary(descriptor: int) -> int:
    """Stop Windows from translating line ends on ``descriptor``."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor
