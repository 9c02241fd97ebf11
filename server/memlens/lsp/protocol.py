"""The protocol as LSP describes it, on top of pygls, which is more lenient and more silent (spec 4).

Everything that depends on the inside of pygls is here: how a message becomes typed, which handler it gets, what is
answered when something is wrong, and the states of a session. No message is left without an answer, and no message
body is logged.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import time
import uuid
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any

import cattrs
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

from memlens.lsp import features
from memlens.lsp.envelope import Envelope, Malformed, MessageId, Notification, Request, Response, open_envelope
from memlens.lsp.errors import log_unexpected, response_error
from memlens.lsp.framing import frame
from memlens.lsp.initialize import read_initialize
from memlens.lsp.structuring import invalid_params

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer

_log = logging.getLogger(__name__)

_WITHOUT_PARAMS = frozenset({types.SHUTDOWN, types.EXIT})
_TRACES = {trace.value: trace for trace in types.TraceValue}


class State(Enum):
    """Where a session stands."""

    CREATED = auto()
    RUNNING = auto()
    SHUT_DOWN = auto()


class MemLensProtocol(LanguageServerProtocol):
    """One session with one client."""

    _server: MemLensServer

    def __init__(self, server: MemLensServer, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.state = State.CREATED
        self._answering: dict[MessageId, tuple[str, float]] = {}
        self._shutdown_asked = False
        self._shut = asyncio.Event()
        self._ending: asyncio.Task[None] | None = None
        self._session: dict[str, Callable[..., Any]] = {
            types.INITIALIZE: self._initialize,
            types.SET_TRACE: self._set_trace,
            types.SHUTDOWN: self._shut_down,
            types.EXIT: self._exit,
        }

    # Receiving

    def receive(self, body: bytes) -> None:
        """Handle one message body. Never raises."""
        envelope = open_envelope(body)
        try:
            self._dispatch(envelope)
        except Exception as error:  # noqa: BLE001 -- a session outlives every single message
            log_unexpected(error, "Receiving a message")

    def _dispatch(self, envelope: Envelope) -> None:
        match envelope:
            case Request():
                self._receive_request(envelope)
            case Notification():
                self._receive_notification(envelope)
            case Response():
                self._receive_response(envelope)
            case Malformed():
                self._refuse(envelope.id, envelope.code, envelope.reason)

    def _receive_request(self, request: Request) -> None:
        if refusal := self._refusal_of_state(request):
            self._refuse(request.id, *refusal)
            return
        handler = self._handler(request.method)
        if handler is None:
            self._refuse(request.id, types.ErrorCodes.MethodNotFound, f"There is no method {request.method!r}.")
            return
        try:
            params = self._params(request.method, request.message)
        except Exception as error:  # noqa: BLE001 -- whatever the converter stumbles over, the params are to blame
            self._refuse(request.id, types.ErrorCodes.InvalidParams, invalid_params(request.method, error))
            return
        self._shutdown_asked = self._shutdown_asked or request.method == types.SHUTDOWN
        self._answering[request.id] = (request.method, time.perf_counter())
        done = partial(self._send_handler_result, msg_id=request.id)
        self._run(request.id, handler, params, done)

    def _refusal_of_state(self, request: Request) -> tuple[Enum, str] | None:
        if self.state is State.CREATED and request.method != types.INITIALIZE:
            return types.ErrorCodes.ServerNotInitialized, "Send initialize first."
        if self.state is State.SHUT_DOWN:
            return types.ErrorCodes.InvalidRequest, "The server is shut down: send exit."
        if self.state is State.RUNNING and request.method == types.INITIALIZE:
            return types.ErrorCodes.InvalidRequest, "The server is initialized already."
        if request.id in self._request_futures:
            return types.ErrorCodes.InvalidRequest, "The id is that of a request that is not answered yet."
        return None

    def _receive_notification(self, notification: Notification) -> None:
        if self.state is not State.RUNNING and notification.method != types.EXIT:
            return
        if notification.method == types.CANCEL_REQUEST:
            self._cancel(notification.message)
            return
        handler = self._handler(notification.method)
        if handler is None:
            return
        try:
            params = self._params(notification.method, notification.message)
        except Exception as error:  # noqa: BLE001 -- a notification cannot be refused, only ignored
            self._server.warn_once(invalid_params(notification.method, error))
            return
        done = partial(_log_failure, method=notification.method)
        self._run(str(uuid.uuid4()), handler, params, done)

    def _receive_response(self, response: Response) -> None:
        result_type = self._result_types.pop(response.id, None)
        future = self._request_futures.pop(response.id, None) if result_type else None
        if future is None or future.done():
            return
        # Nothing that we ask of clients has a result that is used.
        future.set_result(None)

    def _cancel(self, message: dict[str, Any]) -> None:
        params = message.get("params")
        message_id = params.get("id") if isinstance(params, dict) else None
        future = self._request_futures.get(message_id) if isinstance(message_id, int | str) else None
        if future is not None and message_id not in self._result_types:
            future.cancel()

    def _handler(self, method: str) -> Callable[..., Any] | None:
        """Return our handler. Those built into pygls are not used: they read disks and notebooks."""
        if method in self._session:
            return self._session[method]
        feature = features.handler(method)
        return None if feature is None else _with_server(feature, self._server)

    def _params(self, method: str, message: dict[str, Any]) -> Any:
        """Return the typed params. Raises whatever the converter raises for params of the wrong shape."""
        if method in _WITHOUT_PARAMS:
            return None
        message_type = None if method == types.INITIALIZE else self.get_message_type(method)
        if message_type is None:
            return message.get("params")
        return self._converter.structure(message, message_type).params

    def _run(self, msg_id: MessageId, handler: Callable[..., Any], params: Any, done: Callable[..., None]) -> None:
        context = contextvars.copy_context()
        context.run(self._ctx_msg_id.set, msg_id)
        context.run(self._execute_handler, msg_id, handler, done, (params,))

    # Sending

    def _send_handler_result(self, future: Any, *, msg_id: MessageId) -> None:
        self._request_futures.pop(msg_id, None)
        method, started = self._answering.pop(msg_id, ("a request", 0.0))
        try:
            result = future.result()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 -- every failure is an answer
            self._send_error(msg_id, response_error(error, method))
        else:
            self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "result": result})
        self._trace(method, msg_id, started)

    def _refuse(self, msg_id: MessageId | None, code: Enum, reason: str) -> None:
        self._send_error(msg_id, types.ResponseError(code=code.value, message=reason))

    def _send_error(self, msg_id: MessageId | None, error: types.ResponseError) -> None:
        """Send an error; its id is written even when it is null, which the converter would leave out."""
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": error})

    def _send_data(self, data: Any) -> None:
        if self.writer is None:
            return
        body = json.dumps(data, default=self._serialize_message).encode()
        try:
            self.writer.write(frame(body))
        except (OSError, ValueError):
            # Nobody reads any more, or the stream is closed: reading will find the end of the session.
            _log.info("The client no longer reads.")

    def _trace(self, method: str, msg_id: MessageId, started: float) -> None:
        if self.trace == types.TraceValue.Off or method == types.INITIALIZE:
            return
        took = (time.perf_counter() - started) * 1000
        message = f"Sent response '{method} - ({msg_id})'. Processing request took {took:.1f}ms"
        self._server.log_trace(types.LogTraceParams(message=message))

    # The states of a session

    def _initialize(self, params: Any) -> dict[str, Any]:
        """Answer at once; opening the memory happens behind."""
        start = read_initialize(params)
        self.state = State.RUNNING
        self.trace = _TRACES.get(start.trace, types.TraceValue.Off)
        capabilities = self._server.start_session(start)
        return {
            "capabilities": capabilities,
            "serverInfo": {"name": self._server.name, "version": self._server.version},
        }

    def _set_trace(self, params: types.SetTraceParams) -> None:
        """Turn ``$/logTrace`` on or off."""
        self.trace = params.value

    async def _shut_down(self, _params: None) -> None:
        """Cancel what runs, finish what writes, close the memory, then answer."""
        self.state = State.SHUT_DOWN
        for msg_id, future in tuple(self._request_futures.items()):
            if msg_id != self.msg_id:
                future.cancel()
        await self._server.close_memory()
        self._shut.set()

    def _exit(self, _params: None) -> None:
        """End the process: 0 after ``shutdown``, whose answer goes out first, else 1."""
        if self._shutdown_asked:
            self._ending = asyncio.create_task(self._end())
        else:
            self._server.stop(1)

    async def _end(self) -> None:
        await self._shut.wait()
        self._server.stop(0)


def _with_server(feature: Callable[..., Any], server: MemLensServer) -> Callable[..., Any]:
    """Return ``feature`` as pygls runs handlers: a coroutine function must be recognisable as one."""
    if not asyncio.iscoroutinefunction(feature):
        return partial(feature, server)

    async def run(params: Any) -> Any:
        return await feature(server, params)

    return run


def _log_failure(future: Any, *, method: str) -> None:
    if not future.cancelled() and (error := future.exception()) is not None:
        log_unexpected(error, method)
