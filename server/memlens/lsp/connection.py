"""Bytes in and out: a thread of its own reads stdin, so that no pool of workers can starve it (spec 3.2, 4)."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import BinaryIO

from memlens.lsp.framing import FrameDecoder
from memlens.lsp.lifecycle import GRACE_SECONDS, exit_within
from memlens.lsp.protocol import State
from memlens.lsp.server import MemLensServer

_CHUNK = 64 * 1024


class StreamWriter:
    """Writes whole frames to a blocking stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        """Write ``data`` and flush it."""
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


def read_in_thread(descriptor: int, server: MemLensServer) -> None:
    """Pass every message from ``descriptor`` to ``server`` on the running loop, in order; at the end, stop it."""
    loop = asyncio.get_running_loop()
    thread = threading.Thread(target=_read_all, args=(descriptor, server, loop), name="memlens-stdin", daemon=True)
    thread.start()


def _read_all(descriptor: int, server: MemLensServer, loop: asyncio.AbstractEventLoop) -> None:
    decoder = FrameDecoder()
    try:
        while data := _read(descriptor):
            for body in decoder.feed(data):
                loop.call_soon_threadsafe(server.protocol.receive, body)
        # Said in this thread too: the loop may hang in a write that nobody reads any more.
        exit_within(GRACE_SECONDS, _exit_code(server))
        loop.call_soon_threadsafe(end_of_input, server)
    except RuntimeError:
        # The loop is closed: the session ended while we were reading.
        return


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:
        return b""


async def read_stream(reader: asyncio.StreamReader, server: MemLensServer) -> None:
    """Pass every message from ``reader`` to ``server``; at the end, stop it."""
    decoder = FrameDecoder()
    try:
        while data := await reader.read(_CHUNK):
            for body in decoder.feed(data):
                server.protocol.receive(body)
    except OSError:
        pass
    end_of_input(server)


def end_of_input(server: MemLensServer) -> None:
    """Stop: the client is gone. That is no failure after ``shutdown``."""
    server.stop(_exit_code(server))


def _exit_code(server: MemLensServer) -> int:
    return 0 if server.protocol.state is State.SHUT_DOWN else 1
