"""Frames of the base protocol: headers, an empty line, a body of ``Content-Length`` bytes."""

from __future__ import annotations

import re

MAX_BODY = 256 * 1024 * 1024
"""Bytes. A longer body is skipped, not held."""

_LENGTH = re.compile(rb"content-length\s*:\s*(\d{1,15})\s*\Z", re.IGNORECASE)
_MAX_HEADER_LINE = 64 * 1024


class FrameDecoder:
    """Turns bytes, however they were cut, into bodies.

    Other headers and their spelling do not matter. After garbage it finds the next ``Content-Length``.
    """

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None
        self._in_body = False
        self._to_skip = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Take ``data`` in and return the bodies that are complete now; a skipped one is empty."""
        self._buffer += data
        bodies: list[bytes] = []
        while self._step(bodies):
            pass
        return bodies

    def _step(self, bodies: list[bytes]) -> bool:
        """Read one header line or one body; False when more bytes are needed."""
        if self._to_skip:
            return self._skip()
        if not self._in_body:
            return self._read_header()
        length = self._length or 0
        if length > MAX_BODY:
            self._to_skip, length = length, 0
        elif len(self._buffer) < length:
            return False
        bodies.append(bytes(self._buffer[:length]))
        del self._buffer[:length]
        self._length, self._in_body = None, False
        return True

    def _read_header(self) -> bool:
        end = self._buffer.find(b"\n")
        if end < 0:
            del self._buffer[: max(0, len(self._buffer) - _MAX_HEADER_LINE)]
            return False
        line = bytes(self._buffer[:end]).strip()
        del self._buffer[: end + 1]
        if found := _LENGTH.search(line):
            self._length = int(found.group(1))
        self._in_body = not line and self._length is not None
        return True

    def _skip(self) -> bool:
        skipped = min(self._to_skip, len(self._buffer))
        del self._buffer[:skipped]
        self._to_skip -= skipped
        return self._to_skip == 0


def frame(body: bytes) -> bytes:
    """Return ``body`` with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
