"""Frames, however their bytes arrive (spec 4, W3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlens.lsp import framing
from memlens.lsp.framing import FrameDecoder, frame


@given(st.lists(st.binary(max_size=40), max_size=6), st.lists(st.integers(1, 30), min_size=1, max_size=40))
def test_bodies_arrive_whole_whatever_the_cuts(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(frame, bodies))
    decoder, received, position = FrameDecoder(), [], 0
    while position < len(stream):
        size = cuts[position % len(cuts)]
        received += decoder.feed(stream[position : position + size])
        position += size
    assert received == bodies


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 5\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 5\r\n\r\n",
        b"content-length:5\r\n\r\n",
        b"Content-Length: 5\n\n",
        b"\r\n\r\nContent-Length: 5\r\n\r\n",
        b"garbage\r\nContent-Length: 5\r\n\r\n",
        b"{}Content-Length: 5\r\n\r\n",
        b"Content-Length: five\r\n\r\nContent-Length: 5\r\n\r\n",
        b"Content-Length: -1\r\n\r\nContent-Length: 5\r\n\r\n",
    ],
)
def test_headers_of_any_client_and_what_comes_after_garbage(headers: bytes) -> None:
    assert FrameDecoder().feed(headers + b"hello") == [b"hello"]


def test_the_length_counts_bytes() -> None:
    body = "限流😋".encode()
    assert FrameDecoder().feed(frame(body) + frame(b"{}")) == [body, b"{}"]


def test_a_body_that_is_too_long_is_skipped_and_the_session_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_BODY", 10)
    decoder = FrameDecoder()
    received = []
    for byte in frame(b"x" * 25) + frame(b"after"):
        received += decoder.feed(bytes([byte]))
    assert received == [b"", b"after"]


def test_a_header_line_without_end_is_not_held() -> None:
    decoder = FrameDecoder()
    for _ in range(40):
        decoder.feed(b"x" * 10_000)
    assert decoder.feed(b"\r\n" + frame(b"after")) == [b"after"]
