"""TCP: loopback, and one client (spec 4)."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator

import pytest

from .wire_client import SERVER

TIMEOUT = 15


@pytest.fixture
def server() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([*SERVER, "--tcp"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def port_of(server: subprocess.Popen[bytes]) -> int:
    assert server.stderr is not None
    found = re.search(rb"Listening on 127\.0\.0\.1:(\d+)", server.stderr.readline())
    assert found is not None
    return int(found[1])


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)


def request(connection: socket.socket, message_id: int, method: str, params: object) -> dict[str, object]:
    body = json.dumps({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}).encode()
    connection.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    with connection.makefile("rb") as stream:
        length = int(stream.readline().split(b":")[1])
        assert stream.readline() == b"\r\n"
        answer: dict[str, object] = json.loads(stream.read(length))
    assert answer["id"] == message_id
    return answer


def test_one_client_is_served_and_the_process_ends_with_it(server: subprocess.Popen[bytes]) -> None:
    port = port_of(server)
    with connect(port) as first:
        assert "result" in request(first, 1, "initialize", {"processId": None, "capabilities": {}})
        with pytest.raises(OSError):  # noqa: SIM117 -- refused or closed at once, as the platform has it
            with connect(port) as second:
                assert second.recv(1) == b""
                raise ConnectionResetError
        assert request(first, 2, "shutdown", None)["result"] is None
    assert server.wait(timeout=TIMEOUT) == 0
