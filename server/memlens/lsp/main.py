"""Runs the language server over a transport until its client leaves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from memlens.lsp.connection import StreamWriter, read_in_thread, read_stream
from memlens.lsp.lifecycle import GRACE_SECONDS, exit_within, watch_process
from memlens.lsp.logs import configure_logging
from memlens.lsp.runtime_port import OpenRuntime
from memlens.lsp.server import MemLensServer, create_server
from memlens.lsp.stdio import ProtocolStreams, claim_stdio

_log = logging.getLogger(__name__)


def serve_stdio(open_runtime: OpenRuntime, streams: ProtocolStreams | None = None) -> int:
    """Serve one client over stdin and stdout and return the exit code for the process, which must then end.

    Args:
        open_runtime: opens the memory once the client has initialized the session.
        streams: what ``claim_stdio`` returned, when the caller claimed them before its own imports.
    """
    claimed = streams or claim_stdio()
    configure_logging()
    return asyncio.run(_serve_stdio(open_runtime, claimed))


def serve_tcp(open_runtime: OpenRuntime, host: str = "127.0.0.1", port: int = 0) -> int:
    """Serve one client over TCP and return the exit code for the process, which must then end.

    The first client to connect is the only one; when it leaves, serving ends. The port that was chosen for port 0 is
    logged to stderr.
    """
    configure_logging()
    return asyncio.run(_serve_tcp(open_runtime, host, port))


async def _serve_stdio(open_runtime: OpenRuntime, streams: ProtocolStreams) -> int:
    server = _server(open_runtime)
    server.protocol.set_writer(StreamWriter(streams.stdout))
    read_in_thread(streams.stdin_fd, server)
    return await _until_stopped(server)


async def _serve_tcp(open_runtime: OpenRuntime, host: str, port: int) -> int:
    server = _server(open_runtime)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if server.protocol.writer is not None:
            writer.close()
            return
        listening.close()
        server.protocol.set_writer(writer)
        await read_stream(reader, server)

    listening = await asyncio.start_server(connected, host, port)
    address = listening.sockets[0].getsockname()
    _log.warning("Listening on %s:%s", address[0], address[1])
    return await _until_stopped(server)


def _server(open_runtime: OpenRuntime) -> MemLensServer:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_loop_error)
    server = create_server(open_runtime)

    def gone() -> None:
        exit_within(GRACE_SECONDS, 1)
        loop.call_soon_threadsafe(server.stop, 1)

    server.on_client_process = lambda pid: watch_process(pid, gone)
    return server


async def _until_stopped(server: MemLensServer) -> int:
    await server.stopped.wait()
    code = server.exit_code or 0
    exit_within(GRACE_SECONDS, code)
    await server.close_memory()
    return code


def _log_loop_error(_loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """Log what went wrong on the loop, but no values: they may hold text of documents or memory."""
    error = context.get("exception")
    _log.error("%s: %s", context.get("message"), type(error).__name__ if error else "no exception")
