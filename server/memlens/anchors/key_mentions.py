"""Reads from an entry's text the configuration keys that it names (spec 2.1, key rule)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memlens.anchors.key_names import Key, parse_key
from memlens.anchors.keys import may_set_keys
from memlens.anchors.model import Rule, Target, TargetKind
from memlens.anchors.path_words import is_known_file_type, is_product, is_version
from memlens.anchors.spans import spans


@dataclass(frozen=True, slots=True)
class KeyMention:
    """A configuration key that a text names, with its wording there."""

    text: str
    key: Key


@dataclass(frozen=True, slots=True)
class KeyMentions:
    """What a text names.

    ``keys`` stand for themselves. ``words`` are keys only in a file that the same text names: ``nav`` with mkdocs.yml.
    """

    keys: tuple[KeyMention, ...]
    words: tuple[str, ...]


_MAX_WORDS = 8
_MAX_FILES = 4
_TABLE = re.compile(r"\[\[?([\w.:\"'-]+)\]\]?", re.ASCII)
_PROSE_TABLE = re.compile(
    r"(?<![\w\]])\[\[?([A-Za-z_][\w-]*(?:[.:][\w-]+)+)\]\]?(?!\()(?:[ \t]+([a-z]\w*[-_][\w-]*\w))?", re.ASCII
)
_PROSE_PATH = re.compile(r"(?<![\w./@#$%&=:~\\-])[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+(?![\w/@(\\-]|\.\w)", re.ASCII)
_PROSE_NAME = re.compile(r"(?<![\w./@#$%&=:~\\-])[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+(?![\w/@(\\-]|\.\w)", re.ASCII)
_CODE_NAME = re.compile(r"[a-z][\w]*(?:[-_][\w]+)*", re.ASCII)
_HUMP = re.compile(r"[a-z][A-Z]|[-_]")


def key_mentions(text: str) -> KeyMentions:
    """Return the configuration keys that ``text`` names, code spans first, then prose, each once."""
    keys: dict[Key, KeyMention] = {}
    words: dict[str, None] = {}
    tables: list[KeyMention] = []
    for span in spans(text):
        for mention in _in_code(span.text.strip()) if span.is_code else _in_prose(span.text):
            parts = mention.key.parts
            if _TABLE.fullmatch(mention.text):
                tables.append(mention)
            elif len(parts) == 1:
                words[parts[0]] = None
            if len(parts) > 1 or (span.is_code and re.search("[-_]", parts[0])):
                keys.setdefault(mention.key, mention)
    named = tuple(words)[:_MAX_WORDS]
    if tables:
        keys = {key: mention for key, mention in keys.items() if len(key.parts) > 1}
    for table in tables:
        # "`line-length` in `[tool.ruff]`"
        keys |= {key: KeyMention(key.parts[-1], key) for key in (Key((*table.key.parts, word)) for word in named)}
        keys.setdefault(table.key, table)
    return KeyMentions(tuple(keys.values()), named)


def key_targets(text: str, files: Sequence[str]) -> Iterator[Target]:
    """Yield the targets of the keys that ``text`` names; ``files`` are the paths and globs that it names."""
    mentions = key_mentions(text)
    for mention in mentions.keys:
        yield Target(TargetKind.KEY, mention.key.spelling, Rule.KEY, mention.text)
    for file in [file for file in files if may_set_keys(file)][:_MAX_FILES]:
        for word in mentions.words:
            yield Target(TargetKind.KEY, Key((word,), file).spelling, Rule.KEY, word)


def _in_code(code: str) -> Iterator[KeyMention]:
    key = parse_key(code)
    if key is None or key.file or "/" in code:
        return
    name = ".".join(key.parts).partition(":")[0]
    if is_known_file_type(name) or is_product(name) or is_version(name):
        return
    if len(key.parts) > 1 or _TABLE.fullmatch(code) or _CODE_NAME.fullmatch(key.parts[0]):
        yield KeyMention(code, key)


def _in_prose(prose: str) -> Iterator[KeyMention]:
    for table in _PROSE_TABLE.finditer(prose):
        key = parse_key(table[0])
        if key is not None:
            yield KeyMention(table[0], key)
    for path in _PROSE_PATH.finditer(prose):
        key = parse_key(path[0])
        if key is not None and _is_key_path(path[0]):
            yield KeyMention(path[0], key)
    for name in _PROSE_NAME.finditer(prose):
        yield KeyMention(name[0], Key((name[0],)))


def _is_key_path(text: str) -> bool:
    """Return whether dotted words in prose are no file, product, host or end of a sentence."""
    if is_known_file_type(text) or is_product(text):
        return False
    return text.startswith(("tool.", "project.")) or _HUMP.search(text) is not None
