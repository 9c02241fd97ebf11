"""Reads from an entry's text the symbols that it names (spec 2.1, symbol rule).

What is looked up later is only what the repository defines, so a mention may be wrong; what must not pass is a word
that a symbol happens to be called by.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memlens.anchors.command_lines import parse_command_line
from memlens.anchors.globs import has_magic
from memlens.anchors.model import Rule, Target, TargetKind
from memlens.anchors.path_words import is_product, is_unmistakable_file
from memlens.anchors.spans import spans
from memlens.anchors.symbol_names import Symbol, parse_symbol
from memlens.anchors.symbol_words import IDENTIFIER, SEPARATOR, Shape, is_named_product, shape_of
from memlens.anchors.symbols import is_code
from memlens.anchors.tree import FileTree


@dataclass(frozen=True, slots=True)
class SymbolMention:
    """A symbol that a text names, with its wording there; ``is_code`` says that it stands in a code span."""

    text: str
    symbol: Symbol
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class SymbolMentions:
    """What a text names.

    ``symbols`` stand for themselves. ``words`` stand in code spans and are symbols only together with the type or
    file that the same text names: ``strict`` with ``Client``.
    """

    symbols: tuple[SymbolMention, ...]
    words: tuple[str, ...]


_MAX_WORDS = 8
_MAX_PLACES = 6
_NO_NAME = re.compile(r"\W", re.ASCII)
_BARE = re.compile(
    rf"(?<![\w./@#$%&=:~\\-]){IDENTIFIER}(?:{SEPARATOR}{IDENTIFIER})*(?:\(\))?(?![\w/@$\\]|-\w|\.\w|://)", re.ASCII
)
_TYPE_BEFORE = re.compile(r"\b(?:class|enum|interface|struct|trait|dataclass)\s+`?([A-Z]\w+)", re.ASCII)
_TYPE_AFTER = re.compile(
    r"(?<![\w.])([A-Z][A-Za-z0-9_]+)`?\s?(?:(?:class|enum|interface|struct|trait|dataclass)\b|枚举|类|接口|结构体)"
)
_FUNCTION_AFTER = re.compile(
    r"`([a-z]\w*)`\s(?:function|method|helper|fixture|decorator|coroutine)\b|(?<![\w.`])`?([a-z][a-z0-9_]+)`?\s?(?:函数|方法|装饰器)",
    re.ASCII,
)
_SHELL_LIKE = re.compile(r"(?:\$ )?[a-z][a-z0-9_.-]*(?:\s+-|(?:\s+[\w./-]+)+\s*\Z)")
_STATEMENT = re.compile(
    r"(?:await|return|raise|throw|yield|from|import|if|for|while|assert|del|not|with|new|class|def|async|function|const|let|var|type|interface|enum|struct|fn|func|static|public|private|protected|export|pub|impl|trait)\b"
)


def symbol_mentions(text: str) -> SymbolMentions:
    """Return the symbols that ``text`` names, code spans first, then prose, each once."""
    symbols: dict[str, SymbolMention] = {}
    words: dict[str, None] = {}
    for span in spans(text):
        for mention in _in_code(span.text) if span.is_code else _in_prose(span.text):
            if _is_word(mention.symbol) or (span.is_code and _is_capitals(mention.symbol)):
                words[mention.symbol.name] = None
            if not _is_word(mention.symbol) or mention.symbol.called:
                symbols.setdefault(mention.symbol.spelling, mention)
    for mention in _by_noun(text):
        symbols.setdefault(mention.symbol.spelling, mention)
    return SymbolMentions(tuple(symbols.values()), tuple(words)[:_MAX_WORDS])


def symbol_targets(text: str, files: Sequence[str], tree: FileTree) -> Iterator[Target]:
    """Yield the targets of the symbols that ``text`` names; ``files`` are the paths and globs that it names."""
    mentions = symbol_mentions(text)
    for mention in mentions.symbols:
        if not mention.is_code and _is_package(mention.symbol, tree):
            continue
        yield Target(TargetKind.SYMBOL, mention.symbol.spelling, Rule.SYMBOL, mention.text)
    types = [each.symbol for each in mentions.symbols if _may_be_type(each.symbol)]
    places = [(*symbol.qualifiers, symbol.name) for symbol in types] + list(filter(None, map(_as_module, files)))
    for place in places[:_MAX_PLACES]:
        for word in mentions.words:
            yield Target(TargetKind.SYMBOL, Symbol(word, place).spelling, Rule.SYMBOL, word)


def _is_package(symbol: Symbol, tree: FileTree) -> bool:
    """Return whether a name in prose is that of the project, or a part of it, that a directory is called by."""
    name = symbol.name
    if symbol.qualifiers or symbol.called or not name[0].isupper() or shape_of(name) is not Shape.CODE:
        return False
    return any(path.endswith("/") for path in (*tree.named(name.lower()), *tree.named(name)))


def _may_be_type(symbol: Symbol) -> bool:
    return symbol.name[:1].isupper() and not symbol.name.isupper()


def _as_module(path: str) -> tuple[str, ...]:
    """Return the module that a file of code is, to qualify what is defined in it; nothing for other paths."""
    if has_magic(path) or not is_code(path):
        return ()
    parts = path.rpartition(".")[0].removesuffix("/__init__").split("/")
    names = tuple(_NO_NAME.sub("_", part) for part in parts)
    return () if any(not name or name[0].isdigit() for name in names) else names


def _is_word(symbol: Symbol) -> bool:
    return not symbol.qualifiers and shape_of(symbol.name) is Shape.PLAIN


def _is_capitals(symbol: Symbol) -> bool:
    return not symbol.qualifiers and shape_of(symbol.name) is Shape.CAPITALS


def _in_code(code: str) -> Iterator[SymbolMention]:
    content = code.strip()
    symbol = parse_symbol(content)
    if symbol is not None:
        if not _is_other(content, symbol):
            yield SymbolMention(content, symbol, is_code=True)
    elif not _is_command(content):
        yield from _in_prose(content, is_code=True)


def _is_command(code: str) -> bool:
    """Return whether a code span is a command line, whose words are arguments and no symbols."""
    if parse_command_line(code):
        return True
    return _SHELL_LIKE.match(code) is not None and not _STATEMENT.match(code)


def _in_prose(prose: str, *, is_code: bool = False) -> Iterator[SymbolMention]:
    for match in _BARE.finditer(prose):
        symbol = parse_symbol(match[0])
        if symbol is None or _is_other(match[0], symbol):
            continue
        if _is_code_like(symbol) or (is_code and symbol.qualifiers):
            yield SymbolMention(match[0], symbol, is_code)


def _is_other(text: str, symbol: Symbol) -> bool:
    """Return whether the name is a file's or a product's."""
    if symbol.called:
        return False
    return is_unmistakable_file(text) or is_product(text) or (not symbol.qualifiers and is_named_product(symbol.name))


def _is_code_like(symbol: Symbol) -> bool:
    """Return whether a name in prose is no word, abbreviation or end of a sentence without a blank."""
    if symbol.called:
        return len(symbol.name) > 1
    shapes = {shape_of(part) for part in (*symbol.qualifiers, symbol.name)}
    if symbol.qualifiers:
        long_enough = all(len(part) > 1 for part in (*symbol.qualifiers, symbol.name))
        return long_enough and not shapes <= {Shape.PLAIN, Shape.CAPITALS}
    return shapes == {Shape.CODE} and not symbol.name.startswith("_")


def _by_noun(text: str) -> Iterator[SymbolMention]:
    """Yield plain names that the text calls a type or function: "the Style enum", "`send` method"."""
    for pattern in (_TYPE_BEFORE, _TYPE_AFTER):
        for match in pattern.finditer(text):
            if shape_of(match[1]) is Shape.CAPITALISED:
                yield SymbolMention(match[1], Symbol(match[1]))
    for match in _FUNCTION_AFTER.finditer(text):
        name = match[1] or match[2]
        yield SymbolMention(name, Symbol(name, called=True))
