"""Analyzer v1: the terms of a text, the same for bodies and queries and for every backend (spec 1.8).

Every term is ASCII letters, digits and ``_``, so that no database's tokenizer can split, fold or drop it, and no
user text reaches a query language. A change here is a migration with a full rebuild of ``searchable_text``.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

ANALYZER_VERSION = 1
MAX_TERM_LENGTH = 64

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303b\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""Han with all extensions, Hiragana, Katakana, Hangul, Bopomofo.

The ranges are written out, and not asked of a library's script tables, because these grow with every Unicode
release: two processes with different releases would index the same text differently.
"""

_CJK_RUN = re.compile(f"[{_CJK}]+")
_IDENTIFIER_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+")
_JOINERS = re.compile(
    "[\u00ad\u034f\u061c\u180b-\u180f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
"""Invisible characters inside words: variation selectors, joiners, directional marks. They carry no term."""

_WIDTH_FORMS = {
    code: int(mapping.split()[1], 16)
    for code in range(0xFF00, 0xFFF0)
    if (mapping := unicodedata.decomposition(chr(code)))
}
"""Half- and full-width forms, each to the one character of ordinary width. NFKC would go further, and take a
half-width Hangul letter elsewhere than the same letter in ordinary width."""

_LATIN_SPECIALS = str.maketrans(
    {
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i",
        "ŋ": "ng", "ĸ": "k", "ƀ": "b", "ɓ": "b", "ƈ": "c", "ɖ": "d", "ƒ": "f", "ɠ": "g", "ɨ": "i", "ƙ": "k",
        "ƞ": "n", "ɵ": "o", "ƥ": "p", "ƫ": "t", "ƭ": "t", "ʉ": "u", "ƴ": "y", "ƶ": "z",
    }
)  # fmt: skip

STOP_WORDS = frozenset(
    {
        *("a", "about", "an", "and", "are", "as", "at", "be", "by", "com", "de", "en", "for", "from", "how", "i"),
        *("in", "is", "it", "la", "of", "on", "or", "that", "the", "this", "to", "und", "was", "what", "when"),
        *("where", "who", "will", "with", "www"),
    }
)
"""Words that a query drops on every backend: OceanBase's built-in list, which it never matches, and ``and``."""


def index_terms(text: str) -> str:
    """Return the terms of a body, joined by blanks, in the order of the text: the ``searchable_text`` of a head row.

    A CJK run yields its unigrams and its bigrams; an identifier the whole and its parts.
    """
    return " ".join(_terms(text, unigrams=True))


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms of a query in order, without stop words.

    A CJK run of two or more characters yields its bigrams only: the same intent, and 80 times faster on a large
    index than looking up every single character too.
    """
    return tuple(dict.fromkeys(term for term in _terms(text, unigrams=False) if term not in STOP_WORDS))


def _terms(text: str, *, unigrams: bool) -> Iterator[str]:
    for word in _words(_fold_width(text)):
        if _CJK_RUN.match(word):
            yield from _cjk_terms(word, unigrams=unigrams)
        else:
            yield from _word_terms(word)


def _fold_width(text: str) -> str:
    """Return ``text`` in NFC with half- and full-width forms folded together and joiners removed."""
    return unicodedata.normalize("NFC", _JOINERS.sub("", text.translate(_WIDTH_FORMS)))


def _words(text: str) -> Iterator[str]:
    """Yield the runs of CJK and the runs of other letters, digits and marks; all else is a boundary."""
    start = 0
    for run in _CJK_RUN.finditer(text):
        yield from _plain_words(text[start : run.start()])
        yield run.group()
        start = run.end()
    yield from _plain_words(text[start:])


def _plain_words(text: str) -> Iterator[str]:
    if text.isascii():
        yield from _ASCII_WORD.findall(text)
        return
    word: list[str] = []
    for character in text:
        if unicodedata.category(character)[0] in "LNM":
            word.append(character)
        elif word:
            yield "".join(word)
            word.clear()
    if word:
        yield "".join(word)


def _cjk_terms(run: str, *, unigrams: bool) -> Iterator[str]:
    codes = [f"{ord(character):x}" for character in run]
    if unigrams or len(codes) == 1:
        yield from (f"u_{code}" for code in codes)
    yield from (f"b_{first}_{second}" for first, second in pairwise(codes))


def _word_terms(word: str) -> Iterator[str]:
    plain = _fold_marks(word)
    whole = encode_term(plain.casefold())
    if not whole:
        return
    yield whole
    parts = _IDENTIFIER_PART.findall(plain) if plain.isascii() else []
    if len(parts) > 1:
        yield from (part.casefold()[:MAX_TERM_LENGTH] for part in parts)


@lru_cache(maxsize=4096)
def _fold_marks(word: str) -> str:
    """Return ``word`` with the diacritics of Latin letters removed; other scripts keep their marks."""
    if word.isascii():
        return word
    folded: list[str] = []
    latin = False
    for character in unicodedata.normalize("NFD", word):
        if unicodedata.combining(character):
            if not latin:
                folded.append(character)
            continue
        latin = character.isascii() or unicodedata.name(character, "").startswith("LATIN")
        folded.append(character)
    result = unicodedata.normalize("NFC", "".join(folded))
    return result if result.isascii() else _fold_latin_specials(result)


def _fold_latin_specials(word: str) -> str:
    lowered = word.casefold().translate(_LATIN_SPECIALS)
    return lowered if lowered.isascii() else word


def encode_term(term: str) -> str:
    """Return ``term`` as ASCII of at most 64 characters.

    An ASCII term is cut at 64 characters. Any other is spelt by its code points; where that is too long, the start
    is kept and a digest of the whole stands for the rest, so that long words of one stem stay apart.
    """
    if term.isascii():
        return term[:MAX_TERM_LENGTH]
    spelt = "u_" + "_".join(f"{ord(character):x}" for character in term)
    if len(spelt) <= MAX_TERM_LENGTH:
        return spelt
    digest = hashlib.sha256(term.encode()).hexdigest()[:16]
    return f"{spelt[: MAX_TERM_LENGTH - 17]}_{digest}"
