"""Normal form of stored text: NFC, LF line ends, no characters that a store or a terminal would mangle (spec 1.4)."""

from __future__ import annotations

import re
import unicodedata

from memlens.core.errors import InvalidKindError, InvalidTextError

MAX_TEXT_BYTES = 8192
MAX_REASON_CODE_POINTS = 512
MAX_KIND_LENGTH = 64

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KIND = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?")


def normalise_text(text: str, what: str = "memory text") -> str:
    """Return ``text`` in normal form: NFC, LF line ends, no white space around it.

    Raises InvalidTextError when it is empty, longer than 8192 UTF-8 bytes, or holds NUL, another control character
    than tab, or a lone surrogate.
    """
    normal = _clean(text, what)
    if not _holds_something(normal):
        raise InvalidTextError(f"The {what} is empty: write at least one character that is not white space.")
    size = len(normal.encode())
    if size > MAX_TEXT_BYTES:
        raise InvalidTextError(
            f"The {what} is {size:,} bytes of UTF-8, and {MAX_TEXT_BYTES:,} are allowed: "
            "shorten it, or split it into entries that can change independently."
        )
    return normal


def normalise_reason(reason: str | None) -> str | None:
    """Return ``reason`` in normal form; None, or nothing but white space, is None: no reason is invented.

    Raises InvalidTextError when it is longer than 512 code points or holds characters that cannot be stored.
    """
    if reason is None:
        return None
    normal = _clean(reason, "reason")
    if len(normal) > MAX_REASON_CODE_POINTS:
        raise InvalidTextError(
            f"The reason has {len(normal):,} code points, and {MAX_REASON_CODE_POINTS} are allowed: shorten it."
        )
    return normal or None


def check_kind(kind: str) -> str:
    """Return ``kind`` if a writer may use it: 1 to 64 printable ASCII characters, no blank at either end.

    Raises InvalidKindError.
    """
    if not isinstance(kind, str) or _KIND.fullmatch(kind) is None:
        raise InvalidKindError(
            "A kind is 1 to 64 printable ASCII characters, without a blank at either end: "
            "fact, preference, decision, constraint, working_note, or one of your own."
        )
    return kind


def _clean(text: str, what: str) -> str:
    if not isinstance(text, str):
        raise InvalidTextError(f"The {what} must be a string, not {type(text).__name__}.")
    _refuse(_SURROGATE, text, what, "a lone surrogate")
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    _refuse(_CONTROL, unified, what, "a control character")
    return unicodedata.normalize("NFC", unified).strip()


def _holds_something(text: str) -> bool:
    """Whether there is anything to see: format characters and blanks alone are as good as nothing."""
    return any(unicodedata.category(character) not in ("Cf", "Zs", "Zl", "Zp", "Cc") for character in text)


def _refuse(pattern: re.Pattern[str], text: str, what: str, name: str) -> None:
    if found := pattern.search(text):
        raise InvalidTextError(
            f"The {what} holds {name} (U+{ord(found.group()):04X}, character {found.start() + 1}): remove it."
        )
