"""A strict client over the pipes of a real server process: a message that nobody expects fails the test."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

SERVER = [sys.executable, str(Path(__file__).with_name("fake_server.py"))]
TIMEOUT = 15.0

FULL_CAPABILITIES: Mapping[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeLens": {},
        "inlayHint": {},
    },
    "workspace": {"codeLens": {"refreshSupport": True}, "inlayHint": {"refreshSupport": True}},
}


class ServerErrorResponse(Exception):
    """The server answered with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: Any = error.get("data")


class WireClient:
    """Sends frames, reads frames. Requests of the server are answered with null and recorded by method."""

    def __init__(self, command: Sequence[str] = SERVER, **options: Any) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._responses: dict[Any, dict[str, Any]] = {}
        self.received: list[dict[str, Any]] = []
        self.unframed = b""
        self.stderr = b""
        self._next_id = 0
        self.folder = Path()
        self._allowed: set[str] = {"workspace/inlayHint/refresh", "workspace/codeLens/refresh", "memlens/changed"}
        self._threads = [
            threading.Thread(target=self._read_frames, daemon=True),
            threading.Thread(target=self._read_stderr, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    # Sending

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_body(self, body: bytes) -> None:
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_body(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method} | ({} if params is None else {"params": params}))

    def start_request(self, method: str, params: Any = None) -> int:
        self._next_id += 1
        self.send({"id": self._next_id, "method": method} | ({} if params is None else {"params": params}))
        return self._next_id

    # Receiving

    def response(self, message_id: Any) -> Any:
        """Return the result for ``message_id``. Raises ServerErrorResponse."""
        self._pump_until(lambda: message_id in self._responses, f"the answer to {message_id}")
        message = self._responses.pop(message_id)
        if "error" in message:
            raise ServerErrorResponse(message["error"])
        return message["result"]

    def settle(self, message_id: Any) -> None:
        """Wait until ``message_id`` is answered, with a result or an error."""
        self._pump_until(lambda: message_id in self._responses, f"the answer to {message_id}")
        del self._responses[message_id]

    def request(self, method: str, params: Any = None) -> Any:
        return self.response(self.start_request(method, params))

    def error_of(self, method: str, params: Any = None) -> ServerErrorResponse:
        try:
            result = self.request(method, params)
        except ServerErrorResponse as error:
            return error
        raise AssertionError(f"{method} answered {result!r} instead of an error")

    def command(self, name: str, argument: Any = None) -> Any:
        return self.request(
            "workspace/executeCommand", {"command": name, "arguments": [] if argument is None else [argument]}
        )

    def command_error(self, name: str, argument: Any = None) -> ServerErrorResponse:
        arguments = [] if argument is None else [argument]
        return self.error_of("workspace/executeCommand", {"command": name, "arguments": arguments})

    def allow(self, *methods: str) -> None:
        """Expect notifications or requests of these methods from the server."""
        self._allowed.update(methods)

    def count(self, method: str) -> int:
        return sum(message.get("method") == method for message in self.received)

    def wait_for(self, method: str, count: int = 1) -> dict[str, Any]:
        """Return the ``count``-th message of ``method``."""
        self._pump_until(lambda: self.count(method) >= count, f"{method} ({count})")
        return [message for message in self.received if message.get("method") == method][count - 1]

    def poll(self, attempt: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
        """Repeat ``attempt`` until its result is wanted."""
        deadline = time.monotonic() + TIMEOUT
        while not wanted(result := attempt()):
            assert time.monotonic() < deadline, f"still {result!r}"
        return result

    # A session

    def initialize(self, folder: Path | str | None = None, **params: Any) -> dict[str, Any]:
        uri = folder.as_uri() if isinstance(folder, Path) else folder
        folders = {"workspaceFolders": [{"uri": uri, "name": "w"}]} if uri else {}
        capabilities = params.pop("capabilities", FULL_CAPABILITIES)
        result: dict[str, Any] = self.request(
            "initialize", {"processId": None, "rootUri": uri, "capabilities": capabilities, **folders, **params}
        )
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": "x", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Mapping[str, Any]) -> None:
        identifier = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": list(changes)})

    def close_document(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def hover(self, uri: str, line: int, character: int = 0) -> Any:
        return self.request(
            "textDocument/hover",
            {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}},
        )

    def hover_lines(self, uri: str, line_count: int) -> list[int]:
        """Return the lines that have a hover."""
        return [line for line in range(line_count) if self.hover(uri, line) is not None]

    def lenses(self, uri: str) -> Any:
        return self.request("textDocument/codeLens", {"textDocument": {"uri": uri}})

    def hints(self, uri: str, first: int = 0, last: int = 10_000) -> Any:
        whole = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        return self.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})

    def shut_down(self) -> None:
        assert self.request("shutdown") is None

    def leave(self) -> int:
        """Shut down, exit, and return the exit code."""
        self.shut_down()
        self.notify("exit")
        return self.exit_code()

    def exit_code(self, within: float = TIMEOUT) -> int:
        code = self.process.wait(timeout=within)
        for thread in self._threads:
            thread.join(timeout=TIMEOUT)
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue

    def forget_answers(self) -> None:
        """Expect no more answers: what was asked last is of no interest."""
        while (message := self._take(0.0)) is not None:
            self._handle(message)
        self._responses.clear()

    def check_nothing_unexpected(self) -> None:
        """Fail when the server said anything that no test asked for."""
        while (message := self._take(0.0)) is not None:
            self._handle(message)
        assert not self._responses, f"answers nobody waits for: {self._responses}"
        assert not self.unframed, f"bytes outside of frames on stdout: {self.unframed!r}"

    # Inside

    def _pump_until(self, done: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + TIMEOUT
        while not done():
            message = self._take(max(0.0, deadline - time.monotonic()))
            assert message is not None, f"no {what}; stderr: {self.stderr.decode(errors='replace')}"
            self._handle(message)

    def _take(self, timeout: float) -> dict[str, Any] | None:
        try:
            return self._messages.get(timeout=timeout) if timeout else self._messages.get_nowait()
        except queue.Empty:
            return None

    def _handle(self, message: dict[str, Any]) -> None:
        assert message["jsonrpc"] == "2.0"
        if "method" not in message:
            self._responses[message["id"]] = message
            return
        assert message["method"] in self._allowed, f"unexpected: {message}"
        self.received.append(message)
        if "id" in message:
            self.send({"id": message["id"], "result": None})

    def _read_frames(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        while header := stdout.readline():
            if not header.startswith(b"Content-Length: "):
                self.unframed += header
                continue
            length = int(header.split(b":")[1])
            while stdout.readline().strip():
                continue
            message = json.loads(stdout.read(length).decode("utf-8"))
            assert "method" in message or "id" in message
            self._messages.put(message)
        self._messages.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := self.process.stderr.read1(65536):  # type: ignore[attr-defined]
            self.stderr += data
