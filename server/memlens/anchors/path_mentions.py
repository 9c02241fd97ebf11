"""Reads from an entry's text the paths and globs that it names, as people write them (spec 2.1, path rule)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memlens.anchors.globs import has_magic
from memlens.anchors.path_words import (
    EXTENSIONLESS_FILES,
    is_known_file_type,
    is_phrase,
    is_product,
    is_unmistakable_file,
    is_version,
)
from memlens.anchors.paths import pattern_or_none
from memlens.anchors.spans import Span, spans


@dataclass(frozen=True, slots=True)
class PathMention:
    """Something in a text that may be a path or glob of the repository.

    Attributes:
        text: the wording.
        pattern: the path or glob, in normal form; never outside the repository.
        keep: whether it is one beyond doubt, so that it counts though nothing in the tree is called so.
        wider: the same with the letters that stand around it without a blank, where those may be part of the name.
    """

    text: str
    pattern: str
    keep: bool
    wider: str = ""


# Chinese, Japanese and Korean are written without blanks: their letters end a bare path.
_CJK = "\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
_PLACEHOLDER = r"<[^<>\s\x00]{1,40}>"
_BRACES = r"\{[^{}\s\x00]{1,80}\}"
_CHOICE = r"\([^()|\s\x00]{1,40}(?:\|[^()|\s\x00]{1,40}){1,8}\)"
_CLASS = r"\[[\w!^.-]{1,40}\]"
_SIGNS = r"[./*?@+~$%\\:#&…-]"
_NAME = rf"(?:[^\W{_CJK}]|{_SIGNS}|{_PLACEHOLDER}|{_BRACES}|{_CHOICE}|{_CLASS})+"
_WIDE_NAME = rf"(?:\w|{_SIGNS}|{_PLACEHOLDER}|{_BRACES}|{_CHOICE}|{_CLASS})+"
_BARE = re.compile(_NAME)
_RUN = re.compile(_WIDE_NAME)

_DIRECTORY_NOUN = re.compile(r"`{0,3}\s?(?:director(?:y|ies)\b|folders?\b|目录|文件夹|資料夾|目錄)")
_LINE_OR_ANCHOR = re.compile(r"[:#].*")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_VARIABLE = re.compile(r"\$[A-Z{(]|[%&]")
_TRAILING = re.compile(r"[.?…]+$")
_ELLIPSIS = re.compile(r"(?:(?<=/)|^)(?:\.{3,}|…+)(?=/)")
_BOLD = re.compile(r"^\*\*(?!/)|(?<!/)\*\*$")
_PLAIN_WORD = re.compile(r"[\w-]+")


def path_mentions(text: str) -> list[PathMention]:
    """Return what ``text`` names that may be a path or glob, each once: code spans first, then prose.

    URLs, absolute paths, paths that climb out of the repository, versions and phrases such as "and/or" are no
    mentions. Whether a bare name is a file's is for the caller to look up in the tree.
    """
    found: dict[tuple[str, str], PathMention] = {}
    for mention in (*_directories(text), *(each for span in spans(text) for each in _in_span(span))):
        found.setdefault((mention.pattern, mention.wider), mention)
    return list(found.values())


def _directories(text: str) -> Iterator[PathMention]:
    """Yield plain words that the text calls a directory: "the `schema` directory"."""
    for noun in _DIRECTORY_NOUN.finditer(text):
        before = text[max(0, noun.start() - 80) : noun.start()]
        word = re.search(rf"[^\W{_CJK}](?:[^\W{_CJK}]|-)*\Z", before)
        if word and not before[: word.start()].endswith(("/", ".", "\\")):
            yield PathMention(word[0], word[0] + "/", keep=False)


def _in_span(span: Span) -> Iterator[PathMention]:
    content = span.text.strip()
    if span.is_code and _RUN.fullmatch(content):
        mention = _mention(content, quoted=True)
        if mention:
            yield mention
        return
    for run in _RUN.finditer(span.text):
        for bare in _BARE.finditer(run[0]):
            mention = _mention(bare[0], quoted=False, wider="" if bare[0] == run[0] else run[0])
            if mention:
                yield mention


def _mention(word: str, *, quoted: bool, wider: str = "") -> PathMention | None:
    text = _trimmed(word)
    if _DRIVE.match(text) or _VARIABLE.search(text) or is_phrase(text):
        return None
    pattern = pattern_or_none(_as_glob(text))
    if pattern is None or not _may_be_path(pattern, quoted=quoted):
        return None
    around = pattern_or_none(_trimmed(wider)) if wider else None
    return PathMention(text, pattern, _is_path(text, pattern, quoted=quoted), around or "")


def _trimmed(word: str) -> str:
    """Take off what belongs to the sentence: emphasis, a line number, an ellipsis, the full stop."""
    text = _BOLD.sub("", word)
    if not _DRIVE.match(text):
        text = _LINE_OR_ANCHOR.sub("", text)
    return _ELLIPSIS.sub("**", _TRAILING.sub("", text))


def _as_glob(text: str) -> str:
    """Spell placeholders and choices as globs: ``<x>`` and ``{x}`` as ``*``, ``(a|b)`` as ``{a,b}``."""
    text = re.sub(_PLACEHOLDER, "*", text)
    text = re.sub(_CHOICE, lambda choice: "{" + choice[0][1:-1].replace("|", ",") + "}", text)
    return re.sub(_BRACES, lambda braces: braces[0] if "," in braces[0] else "*", text)


def _may_be_path(pattern: str, *, quoted: bool) -> bool:
    """Return whether the pattern is worth looking up in the tree."""
    if not re.search(r"[^\W_]", pattern):
        return False
    if "/" in pattern:
        return any(len(segment) > 1 for segment in pattern.split("/"))
    if has_magic(pattern):
        # `test_*` and `**kwargs` are no files, and `foo.*` may be anything.
        return is_known_file_type(pattern)
    if _PLAIN_WORD.fullmatch(pattern):
        return quoted or pattern in EXTENSIONLESS_FILES
    return not is_version(pattern) and not is_product(pattern)


def _is_path(text: str, pattern: str, *, quoted: bool) -> bool:
    """Return whether the pattern counts without being in the tree."""
    if "\\" in text or pattern.startswith("@") or "@" in pattern.rpartition("/")[2]:
        return False
    if not quoted:
        return pattern.endswith("/") and not has_magic(pattern) and len(pattern) > 2
    return "/" in pattern or has_magic(pattern) or is_unmistakable_file(pattern)
