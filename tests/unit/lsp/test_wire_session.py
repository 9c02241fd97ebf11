"""The states of a session, malformed messages, streams and cancellation, over real pipes (spec 4)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import entry, fake
from .wire_client import SERVER, ServerErrorResponse, WireClient

Connect = Callable[..., WireClient]


GONE_SECONDS = 6.0
"""Two seconds are promised; the others are for a machine that runs many tests at once."""

RANDOM_KEYS = [
    "textDocument",
    "query",
    "uri",
    "position",
    "range",
    "contentChanges",
    "command",
    "arguments",
    "event",
    "id",
    "value",
]
RANDOM_METHODS = [
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didClose",
    "textDocument/hover",
    "textDocument/inlayHint",
    "workspace/executeCommand",
    "workspace/symbol",
    "workspace/textDocumentContent",
    "memlens/textDocumentContent",
    "$/setTrace",
    "$/cancelRequest",
    "workspace/didChangeWorkspaceFolders",
]


def test_requests_before_initialize_are_refused_and_the_session_can_still_begin(client: WireClient) -> None:
    assert client.error_of("textDocument/hover", {}).code == -32002
    assert client.error_of("shutdown").code == -32002
    client.notify("textDocument/didOpen", {"nonsense": True})
    assert client.initialize()["serverInfo"]["name"] == "memlens"


def test_a_second_initialize_is_refused(client: WireClient) -> None:
    client.initialize()
    assert client.error_of("initialize", {"processId": None, "rootUri": None, "capabilities": {}}).code == -32600


def test_requests_after_shutdown_are_refused(client: WireClient) -> None:
    client.initialize()
    client.shut_down()
    assert client.error_of("memlens/anything").code == -32600
    assert client.error_of("shutdown").code == -32600
    client.notify("exit")
    assert client.exit_code() == 0


@pytest.mark.parametrize(("initialized", "shut_down", "code"), [(False, False, 1), (True, False, 1), (True, True, 0)])
def test_the_exit_code_tells_whether_the_session_was_shut_down(
    client: WireClient, initialized: bool, shut_down: bool, code: int
) -> None:
    if initialized:
        client.initialize()
    if shut_down:
        client.shut_down()
    client.notify("exit")
    assert client.exit_code() == code


@pytest.mark.parametrize(("shut_down", "code"), [(False, 1), (True, 0)])
def test_the_end_of_stdin_ends_the_process(client: WireClient, shut_down: bool, code: int) -> None:
    client.initialize()
    if shut_down:
        client.shut_down()
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.exit_code(within=GONE_SECONDS) == code


def test_the_process_ends_with_stdin_even_while_workers_are_busy(
    client: WireClient, workspace: Path, tmp_path: Path
) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1"), compute_gate=str(tmp_path / "never")))
    client.open((workspace / "a.py").as_uri(), "x")
    client.start_request("textDocument/codeLens", {"textDocument": {"uri": (workspace / "a.py").as_uri()}})
    client.command("memlens.status")
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.exit_code(within=GONE_SECONDS) == 1
    client.forget_answers()


def test_the_process_ends_within_two_seconds_of_its_parent(connect: Connect) -> None:
    parent = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    client = connect()
    client.initialize(None, processId=parent.pid)
    client.command_error("memlens.status")
    parent.kill()
    killed = time.monotonic()
    assert client.exit_code() == 1
    assert time.monotonic() - killed < GONE_SECONDS
    parent.wait()


def test_a_parent_in_another_container_is_not_waited_for(client: WireClient) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    client.initialize(None, processId=gone.pid)
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        assert client.command_error("memlens.status").code == -32602
    assert client.leave() == 0


MALFORMED = [
    ("not JSON", b"{", -32700),
    ("no object", b"[]", -32600),
    ("no version", b'{"id":7,"method":"shutdown"}', -32600),
    ("a null id", b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600),
]


@pytest.mark.parametrize(("body", "code"), [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED])
def test_a_malformed_message_is_answered_and_the_session_goes_on(client: WireClient, body: bytes, code: int) -> None:
    client.initialize()
    client.send_body(body)
    message_id = 7 if b"7" in body else None
    with pytest.raises(ServerErrorResponse) as refused:
        client.response(message_id)
    assert refused.value.code == code
    assert client.leave() == 0


WRONG_PARAMS: list[tuple[str, Any]] = [
    ("textDocument/hover", None),
    ("textDocument/hover", {}),
    ("textDocument/hover", []),
    ("textDocument/hover", {"textDocument": {"uri": 5}, "position": {"line": 0, "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": -1, "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": "0", "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": True, "character": 0}}),
    ("textDocument/hover", {"textDocument": {"uri": "file:///x"}, "position": {"line": 1.5, "character": 0}}),
    ("textDocument/codeLens", {"textDocument": "file:///x"}),
    ("textDocument/inlayHint", {"textDocument": {"uri": "file:///x"}, "range": None}),
    ("workspace/executeCommand", {"command": 5}),
    ("workspace/executeCommand", {"command": "memlens.search", "arguments": {"query": "x"}}),
]


@pytest.mark.parametrize(("method", "params"), WRONG_PARAMS)
def test_params_of_the_wrong_shape_are_invalid_params_at_once(shared: WireClient, method: str, params: Any) -> None:
    assert shared.error_of(method, params).code == -32602
    assert shared.command("memlens.status")["entries"] == 2


def test_notifications_of_the_wrong_shape_are_ignored(client: WireClient) -> None:
    client.initialize()
    for method in ("textDocument/didOpen", "textDocument/didChange", "workspace/didChangeWorkspaceFolders"):
        client.notify(method, {"textDocument": 5, "event": []})
    client.notify("$/unknown", {"x": 1})
    client.notify("$/cancelRequest", {"id": "never seen"})
    client.notify("$/cancelRequest", {"id": {}})
    client.notify("$/cancelRequest")
    client.send({"id": "unknown", "result": None})
    client.send({"id": "unknown", "error": {"code": 1, "message": "x"}})
    assert client.leave() == 0


def test_unknown_methods_are_answered(client: WireClient) -> None:
    client.initialize()
    assert client.error_of("textDocument/foldingRange", {}).code == -32601
    assert client.error_of("memlens/none").code == -32601


def test_string_ids_are_answered_with_the_same_id(client: WireClient) -> None:
    client.initialize()
    client.send({"id": "abc", "method": "textDocument/codeLens", "params": {"textDocument": {"uri": "x:y"}}})
    assert client.response("abc") is None


def test_extra_headers_and_lengths_in_bytes_are_understood(client: WireClient) -> None:
    client.initialize()
    params = {"textDocument": {"uri": "untitled:限流😋"}}
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 50, "method": "textDocument/codeLens", "params": params}, ensure_ascii=False
    ).encode()
    content_type = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    client.send_bytes(b"Content-Length: %d\r\n" % len(body) + content_type + b"\r\n" + body)
    assert client.response(50) is None


def test_nothing_but_frames_is_on_stdout_whatever_prints(connect: Connect, workspace: Path) -> None:
    client = connect(env={**os.environ, "PYTHONWARNINGS": "always", "MEMLENS_LOG": "debug"})
    options = fake(entry("e1", text="限流阈值由网关统一配置 😋"))
    client.initialize(workspace, initializationOptions=options)
    assert client.command("memlens.search", {"query": "print"})["hits"][0]["text"] == "限流阈值由网关统一配置 😋"
    assert client.leave() == 0
    assert client.unframed == b""
    for printed in (b"printed before the session", b"stray output", b"child output"):
        assert printed in client.stderr


def test_stderr_is_quiet_in_an_ordinary_session(client: WireClient, workspace: Path) -> None:
    uri = (workspace / "a.py").as_uri()
    client.initialize(workspace, initializationOptions=fake(entry("e1", "x")))
    client.open(uri, "x")
    client.hover(uri, 0)
    client.command_error("memlens.remember", {})
    client.command("memlens.status")
    client.close_document(uri)
    assert client.leave() == 0
    assert client.stderr.replace(b"printed before the session\n", b"") == b""


def test_no_text_of_documents_or_memory_is_logged(connect: Connect, workspace: Path) -> None:
    client = connect(env={**os.environ, "MEMLENS_LOG": "debug"})
    uri = (workspace / "a.py").as_uri()
    client.initialize(workspace, initializationOptions=fake(entry("e1", text="secret memory text")))
    client.open(uri, "secret document text")
    client.hover(uri, 0)
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": [{"text": "secret"}]})
    assert client.command_error("memlens.search", {"query": "bug"}).code == -32603
    assert client.leave() == 0
    assert b"secret" not in client.stderr
    assert b"RuntimeError" in client.stderr


def test_a_cancelled_request_is_answered_at_once(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake())
    search = client.start_request(
        "workspace/executeCommand", {"command": "memlens.search", "arguments": [{"query": "forever"}]}
    )
    client.notify("$/cancelRequest", {"id": search})
    with pytest.raises(ServerErrorResponse) as cancelled:
        client.response(search)
    assert cancelled.value.code == -32800


def test_a_request_that_is_running_at_shutdown_is_cancelled(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake())
    client.command("memlens.status")
    search = client.start_request(
        "workspace/executeCommand", {"command": "memlens.search", "arguments": [{"query": "forever"}]}
    )
    client.shut_down()
    with pytest.raises(ServerErrorResponse) as cancelled:
        client.response(search)
    assert cancelled.value.code == -32800
    client.notify("exit")
    assert client.exit_code() == 0


@pytest.mark.parametrize("ending", ["shutdown", "cancel"])
def test_a_write_is_finished_and_answered_whatever_happens_meanwhile(
    client: WireClient, workspace: Path, tmp_path: Path, ending: str
) -> None:
    written, closed = tmp_path / "written", tmp_path / "closed"
    options = fake(write_seconds=0.5, write_marker=str(written), close_marker=str(closed))
    client.initialize(workspace, initializationOptions=options)
    client.command("memlens.status")
    arguments = [{"kind": "fact", "text": "kept"}]
    write = client.start_request("workspace/executeCommand", {"command": "memlens.remember", "arguments": arguments})
    client.poll(lambda: client.command("memlens.status")["writing"], bool)
    if ending == "cancel":
        client.notify("$/cancelRequest", {"id": write})
    client.shut_down()
    assert (written.exists(), closed.exists()) == (True, True)
    assert client.response(write)["changed"] is True
    client.notify("exit")
    assert client.exit_code() == 0


def test_the_id_of_a_running_request_cannot_be_used_twice(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake())
    params = {"command": "memlens.search", "arguments": [{"query": "forever"}]}
    client.send({"id": 99, "method": "workspace/executeCommand", "params": params})
    client.send({"id": 99, "method": "workspace/executeCommand", "params": params})
    with pytest.raises(ServerErrorResponse) as refused:
        client.response(99)
    assert refused.value.code == -32600
    client.notify("$/cancelRequest", {"id": 99})
    with pytest.raises(ServerErrorResponse) as cancelled:
        client.response(99)
    assert cancelled.value.code == -32800


def test_trace_is_off_until_it_is_asked_for(client: WireClient) -> None:
    client.initialize(None, trace="off")
    client.allow("$/logTrace")
    client.lenses("untitled:x")
    client.notify("$/setTrace", {"value": "messages"})
    client.lenses("untitled:x")
    message = client.wait_for("$/logTrace")["params"]["message"]
    assert message.startswith("Sent response 'textDocument/codeLens - (3)'.")
    client.notify("$/setTrace", {"value": "off"})
    client.lenses("untitled:x")
    client.shut_down()
    assert client.count("$/logTrace") == 1


def test_initialize_does_not_wait_for_the_memory(client: WireClient, workspace: Path, tmp_path: Path) -> None:
    gate, uri = tmp_path / "gate", (workspace / "a.py").as_uri()
    client.initialize(workspace, initializationOptions=fake(entry("e1"), open_gate=str(gate)))
    client.open(uri, "x")
    hover = client.start_request(
        "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    )
    assert client.error_of("memlens/none").code == -32601
    gate.touch()
    assert client.response(hover) is not None


def test_random_messages_are_all_answered_and_never_end_the_session(client: WireClient, workspace: Path) -> None:
    chance = random.Random(4)
    client.initialize(workspace, initializationOptions=fake(entry("e1", "x")))
    client.allow("window/showMessage", "window/logMessage", "$/logTrace")
    uri = (workspace / "a.py").as_uri()
    values: list[Any] = [None, True, -1, 2**40, 1.5, "", "x", [], {}, [{}], {"jsonrpc": "2.0"}, {"uri": uri}, uri]
    for number in range(500):
        params = {key: chance.choice([*values, "\ud83d"]) for key in chance.sample(RANDOM_KEYS, 4)}
        client.send({"method": chance.choice(RANDOM_METHODS), "params": params, "id": f"random {number}"})
        client.send({"method": chance.choice(RANDOM_METHODS), "params": params})
        body = bytearray(json.dumps({"jsonrpc": "2.0", "method": "m", "id": f"m{number}", "params": params}).encode())
        body[chance.randrange(len(body))] = chance.randrange(256)
        client.send_body(bytes(body))
    client.open(uri, "x\n")
    assert client.hover(uri, 0) is not None
    for number in range(500):
        client.settle(f"random {number}")
    client.forget_answers()


def test_a_server_started_without_stderr_works(connect: Connect) -> None:
    client = connect(command=["/bin/sh", "-c", 'exec "$0" "$@" 2>&-', *SERVER])
    client.initialize()
    assert client.leave() == 0


def test_symbols_of_code_are_answered_while_the_memory_still_opens(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1"), open_gate=str(workspace / "never")))
    assert client.request("workspace/symbol", {"query": "Client.send"}) == []
