"""What a message is, before its types are looked at (spec 4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import ErrorCodes

from memlens.lsp.envelope import Malformed, Notification, Request, Response, open_envelope

INVALID, PARSE = ErrorCodes.InvalidRequest, ErrorCodes.ParseError


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"m"}', (Request, 1)),
        (b'{"jsonrpc":"2.0","id":"a","method":"m"}', (Request, "a")),
        (b'{"jsonrpc":"2.0","method":"m"}', (Notification, None)),
        (b'{"jsonrpc":"2.0","id":1,"result":null}', (Response, 1)),
        (b'{"jsonrpc":"2.0","id":1,"error":{}}', (Response, 1)),
    ],
)
def test_messages_are_told_apart(body: bytes, expected: tuple[type, object]) -> None:
    envelope = open_envelope(body)
    assert (type(envelope), getattr(envelope, "id", None)) == expected


@pytest.mark.parametrize(
    ("body", "message_id", "code"),
    [
        (b"", None, PARSE),
        (b"{", None, PARSE),
        (b"[" * 100_000, None, PARSE),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b"}", None, PARSE),
        (b"[]", None, INVALID),
        (b"null", None, INVALID),
        (b'"text"', None, INVALID),
        (b'{"id":1,"method":"m"}', 1, INVALID),
        (b'{"jsonrpc":"1.0","id":1,"method":"m"}', 1, INVALID),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', 1, INVALID),
        (b'{"jsonrpc":"2.0","method":5}', None, INVALID),
        (b'{"jsonrpc":"2.0","id":null,"method":"m"}', None, INVALID),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', None, INVALID),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"m"}', None, INVALID),
        (b'{"jsonrpc":"2.0","id":{},"result":1}', None, INVALID),
        (b'{"jsonrpc":"2.0"}', None, INVALID),
    ],
)
def test_what_is_no_message_names_the_id_when_it_can(body: bytes, message_id: object, code: ErrorCodes) -> None:
    envelope = open_envelope(body)
    assert isinstance(envelope, Malformed)
    assert (envelope.id, envelope.code) == (message_id, code)


def test_bad_bytes_inside_a_string_do_not_cost_the_message() -> None:
    envelope = open_envelope(b'{"jsonrpc":"2.0","id":1,"method":"m","params":"\xff"}')
    assert isinstance(envelope, Request)
    assert envelope.message["params"] == "\ufffd"


def test_a_nested_key_jsonrpc_is_data() -> None:
    envelope = open_envelope(b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"jsonrpc":"2.0","id":5}}')
    assert isinstance(envelope, Request)
    assert envelope.message["params"] == {"jsonrpc": "2.0", "id": 5}


@given(st.binary(max_size=200))
def test_no_bytes_raise(body: bytes) -> None:
    assert isinstance(open_envelope(body), Malformed | Request | Notification | Response)
