"""The language server: one session with one client, and what the handlers share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from memlens import __version__
from memlens.core.errors import MemLensError
from memlens.lsp import features
from memlens.lsp.anchoring import AnchorService
from memlens.lsp.capabilities import ClientFeatures, server_capabilities
from memlens.lsp.commands.dispatch import COMMAND_NAMES, CommandDispatcher
from memlens.lsp.documents import Document, DocumentStore
from memlens.lsp.initialize import SessionStart
from memlens.lsp.memory_access import MemoryAccess
from memlens.lsp.protocol import MemLensProtocol
from memlens.lsp.refresh import Refresher, RefreshRequest
from memlens.lsp.runtime_port import OpenRuntime
from memlens.lsp.structuring import strict_converter
from memlens.lsp.uris import file_path, same_file

_log = logging.getLogger(__name__)
_T = TypeVar("_T")


class MemLensServer(LanguageServer):
    """What handlers reach: the documents, their anchors, the memory, the commands, the client's features."""

    protocol: MemLensProtocol

    def __init__(self, open_runtime: OpenRuntime) -> None:
        super().__init__("memlens", __version__, protocol_cls=MemLensProtocol, converter_factory=strict_converter)
        self.client = ClientFeatures()
        self.documents = DocumentStore()
        self.on_client_process: Callable[[int], None] | None = None
        """Called with the client's process once it is known, to end with it."""
        self.exit_code: int | None = None
        self.stopped = asyncio.Event()
        self._executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="memlens-compute")
        self.memory = MemoryAccess(
            open_runtime, self._executor, self._memory_changed, self._say_once, self._notify_once
        )
        self.refresh_surfaces = Refresher(self._send_refresh)
        self._refresh_hints = RefreshRequest(lambda: self.workspace_inlay_hint_refresh(None))
        self._refresh_lenses = RefreshRequest(lambda: self.workspace_code_lens_refresh(None))
        self._announce_change = Refresher(self._send_changed)
        self.anchors = AnchorService(
            self.memory,
            self.refresh_surfaces,
            self._say_too_large,
            lambda document: self.documents.get(document.uri) is document,
        )
        self.commands = CommandDispatcher(self._executor)
        self._writes: set[asyncio.Task[Any]] = set()
        self._told: set[str] = set()

    def start_session(self, start: SessionStart) -> dict[str, Any]:
        """Take in what the client says, begin to open the memory, and return the server's capabilities."""
        self.client = start.client
        if start.process_id is not None and self.on_client_process is not None:
            self.on_client_process(start.process_id)
        self.documents.encoding = start.client.position_encoding
        self.memory.add_folders(start.folders)
        self.memory.start(start.options)
        # Behind the answer, which is written before the loop comes to this.
        asyncio.get_running_loop().call_soon(self._preload)
        return server_capabilities(start.client, COMMAND_NAMES)

    async def find_document(self, uri: str) -> Document | None:
        """Return the open document ``uri``, also when it was opened through another path to the same file."""
        document = self.documents.get(uri)
        if document is not None or file_path(uri) is None:
            return document
        candidates = [(known, known.path) for known in self.documents if known.path is not None]
        return await self.memory.in_background(lambda: same_file(uri, candidates))

    async def finish(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Await a write to its end, even when the request is cancelled meanwhile: a write is never left half told."""
        task = asyncio.ensure_future(work)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        while not task.done():
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                _log.debug("A write was to be cancelled; it is finished and answered.")
        return task.result()

    async def close_memory(self) -> None:
        """Finish writes, stop computing, close the runtime. Idempotent."""
        if self._writes:
            await asyncio.wait(tuple(self._writes))
        self.anchors.stop()
        self.refresh_surfaces.stop()
        self._announce_change.stop()
        try:
            await self.memory.close()
        except MemLensError as error:
            _log.warning("Closing the memory: %s", error)
        self._executor.shutdown(wait=False, cancel_futures=True)

    def stop(self, exit_code: int) -> None:
        """End the session; the first exit code stands."""
        if self.exit_code is None:
            self.exit_code = exit_code
        self.stopped.set()

    def tell_once(self, error: MemLensError) -> None:
        """Show a person an error that no request of theirs can carry, once for each cause."""
        if error.code not in self._told:
            self._told.add(error.code)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"MemLens: {error}"))

    def _notify_once(self, message: str) -> None:
        """Show a person, once, what no request of theirs would tell them."""
        if message not in self._told:
            self._told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"MemLens: {message}"))

    def warn_once(self, message: str) -> None:
        """Log a warning once."""
        if message not in self._told:
            self._told.add(message)
            _log.warning("%s", message)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log instead of pygls' pop-up."""
        _log.error("%s: %s", source.__name__, type(error).__name__)

    def _preload(self) -> None:
        """Import in the background what the next messages will need."""
        self._executor.submit(features.load_all)
        self.commands.preload()

    def _memory_changed(self) -> None:
        # Hints first: a client that redraws for our notification would take its old hints for the new ones.
        self.refresh_surfaces()
        self._announce_change()

    def _send_refresh(self) -> None:
        if self.client.inlay_hint_refresh:
            self._refresh_hints()
        if self.client.code_lens_refresh:
            self._refresh_lenses()

    def _send_changed(self) -> None:
        heads = sorted(self.memory.heads())
        self.protocol.notify("memlens/changed", {"heads": [head.as_json() for head in heads]})

    def _say_too_large(self, document: Document) -> None:
        self._say_once(f"MemLens shows nothing on {PurePosixPath(document.uri).name}: it is larger than files.maxSize.")

    def _say_once(self, message: str) -> None:
        """Write a message into the client's log, once."""
        if message not in self._told:
            self._told.add(message)
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))


def create_server(open_runtime: OpenRuntime) -> MemLensServer:
    """Return a server that opens its memory with ``open_runtime`` once a client has initialized it."""
    return MemLensServer(open_runtime)
