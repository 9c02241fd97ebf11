"""Invisible, bidirectional and control characters as visible escapes such as ``\\u{202E}`` (spec 3.2, invariant 5).

A reader must see what a model would read. Joiners and selectors that ordinary writing needs stay as they are: emoji
families (U+200D), Persian and Indic joiners (U+200C, U+200D), emoji presentation (U+FE0F), the three flag sequences.
"""

from __future__ import annotations

import re
import unicodedata

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_FLAGS = frozenset({"gbeng", "gbsct", "gbwls"})
_FLAG = re.compile("\U0001f3f4([\U000e0061-\U000e007a]{5})\U000e007f")
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters of visible categories that are drawn as nothing."""
_VIRAMA = 9
"""Canonical combining class of the signs that join Indic consonants."""

_SUSPECT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""A superset of what may be escaped, so that ordinary text costs one scan."""

_NEWLINES = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")


def visible(text: str) -> str:
    """Return ``text`` with every deceptive character as ``\\u{HEX}``; line feeds and tabs stay."""
    if _SUSPECT.search(text) is None:
        return text
    flags = _flag_spans(text)
    return _SUSPECT.sub(lambda found: _shown(text, found.start(), flags), text)


def flatten(text: str) -> str:
    """Return ``text`` on one line: line breaks and the white space around them become one blank."""
    return visible(_NEWLINES.sub(" ", text).replace("\t", " ")).strip(" ")


def _shown(text: str, index: int, flags: frozenset[int]) -> str:
    character = text[index]
    if index in flags or not _is_deceptive(text, index):
        return character
    return f"\\u{{{ord(character):04X}}}"


def _is_deceptive(text: str, index: int) -> bool:
    character = text[index]
    if character in (_ZWNJ, _ZWJ):
        return not (_joins_letters(text, index) or (character == _ZWJ and _joins_emoji(text, index)))
    if _is_variation_selector(character):
        return not _selects_a_variant(text, index)
    if character in _BLANKS or 0xE0000 <= ord(character) <= 0xE0FFF:
        return True
    return unicodedata.category(character) in ("Cc", "Cf", "Cn", "Cs", "Zl", "Zp")


def _joins_letters(text: str, index: int) -> bool:
    """Whether the joiner stands between two letters of a script that writes with joiners."""
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if not before or not after or unicodedata.category(after)[0] != "L":
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return True
    base = _base_before(text, index)
    return unicodedata.bidirectional(base or " ") == "AL" and unicodedata.bidirectional(after) == "AL"


def _base_before(text: str, index: int) -> str:
    """Return the letter before ``index``, skipping the marks on it; empty when there is none."""
    at = index - 1
    while at >= 0 and unicodedata.category(text[at]) == "Mn":
        at -= 1
    found = text[at] if at >= 0 else ""
    return found if found and unicodedata.category(found)[0] == "L" else ""


def _joins_emoji(text: str, index: int) -> bool:
    after = text[index + 1 : index + 2]
    at = index - 1
    while at > 0 and (text[at] == "\ufe0f" or "\U0001f3fb" <= text[at] <= "\U0001f3ff"):
        at -= 1
    return at >= 0 and is_pictograph(text[at]) and bool(after) and is_pictograph(after)


def is_pictograph(character: str) -> bool:
    """Whether ``character`` is in a block of emoji and symbols: close to Extended_Pictographic."""
    point = ord(character)
    return (
        0x1F000 <= point <= 0x1FAFF
        or 0x2190 <= point <= 0x2BFF
        or point in (0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299)
    )


def _is_variation_selector(character: str) -> bool:
    point = ord(character)
    return 0xFE00 <= point <= 0xFE0F or 0xE0100 <= point <= 0xE01EF or 0x180B <= point <= 0x180F


def _selects_a_variant(text: str, index: int) -> bool:
    """Whether the selector follows directly a character that has variants: a run of selectors carries hidden text."""
    before = text[index - 1] if index else ""
    if not before:
        return False
    point = ord(text[index])
    if 0x180B <= point <= 0x180F:
        return 0x1820 <= ord(before) <= 0x18AA and point != 0x180E
    if point in (0xFE0E, 0xFE0F):
        return is_pictograph(before) or before in "0123456789#*"
    return unicodedata.category(before) in ("Lo", "Sm")


def _flag_spans(text: str) -> frozenset[int]:
    """Return the indices of the tag characters that belong to the flags of England, Scotland and Wales."""
    spans: set[int] = set()
    for found in _FLAG.finditer(text):
        letters = "".join(chr(ord(tag) - 0xE0000) for tag in found.group(1))
        if letters in _FLAGS:
            spans.update(range(found.start() + 1, found.end()))
    return frozenset(spans)
