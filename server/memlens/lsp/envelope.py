"""JSON-RPC messages taken out of their bytes and told apart, before any type of the protocol is looked at.

Only the envelope is read here: an argument that has a key ``jsonrpc`` of its own is data like any other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from lsprotocol.types import ErrorCodes

MessageId = int | str


@dataclass(frozen=True, slots=True)
class Request:
    """A message that must be answered."""

    id: MessageId
    method: str
    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Notification:
    """A message that must not be answered."""

    method: str
    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to a request of ours."""

    id: MessageId
    message: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Malformed:
    """What is no JSON-RPC message; ``id`` is None when it could not be read."""

    id: MessageId | None
    code: ErrorCodes
    reason: str


Envelope = Request | Notification | Response | Malformed


def open_envelope(body: bytes) -> Envelope:
    """Return what ``body`` is. Never raises."""
    try:
        message = json.loads(_decode(body))
    except (ValueError, RecursionError):
        return Malformed(None, ErrorCodes.ParseError, "The message is not JSON.")
    if not isinstance(message, dict):
        return Malformed(None, ErrorCodes.InvalidRequest, "A message is one JSON object; batches are not part of LSP.")
    message_id = message.get("id")
    known_id = message_id if _is_id(message_id) else None
    if message.get("jsonrpc") != "2.0":
        return Malformed(known_id, ErrorCodes.InvalidRequest, 'A message has "jsonrpc": "2.0".')
    return _classify(message, known_id)


def _classify(message: dict[str, Any], message_id: MessageId | None) -> Envelope:
    method = message.get("method")
    if "method" in message and not isinstance(method, str):
        return Malformed(message_id, ErrorCodes.InvalidRequest, "A method is a string.")
    if isinstance(method, str) and "id" not in message:
        return Notification(method, message)
    if message_id is None:
        return Malformed(None, ErrorCodes.InvalidRequest, "An id is an integer or a string.")
    return Request(message_id, method, message) if isinstance(method, str) else Response(message_id, message)


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _decode(body: bytes) -> str:
    """Decode UTF-8; lone surrogates are kept for those who know what to do with them, other bad bytes replaced."""
    try:
        return body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return body.decode("utf-8", "replace")
