"""A symbol as a text names it, and whether a definition is the one that is meant (spec 2.1, symbol rule)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

from memlens.anchors.symbol_words import IDENTIFIER, SEPARATOR, Shape, shape_of
from memlens.anchors.symbols.model import DefinitionKind, SymbolDefinition

_KEYWORDS = re.compile(
    r"(?:(?:export|default|public|private|protected|static|abstract|final|async|pub|unsafe|declare|readonly)\s+)*"
    r"(?:class|def|function|func|fn|interface|struct|enum|trait|type|const|let|var|union|namespace|macro|new|#define)\s+"
)
_TYPE_KEYWORD = re.compile(r"\b(?:class|interface|struct|enum|trait)\b")
_CALL = re.compile(r"\([^()]*\)?[;:{]?\Z")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NAME = re.compile(rf"@?({IDENTIFIER}(?:{SEPARATOR}{IDENTIFIER})*);?", re.ASCII)
_SPLIT = re.compile(SEPARATOR)
_MYSELF = frozenset({"self", "this", "cls", "super", "prototype", "exports", "module", "crate"})
"""What stands for the type or file that the text is about: it qualifies nothing."""

_WORD_BREAK = re.compile(r"[-._]")
_ROOTS = frozenset({"src", "lib", "python", "source", "packages", "pkg"})
_ENTRY_FILES = frozenset({"__init__", "index", "mod", "lib", "main"})
_TESTS = frozenset({"test", "tests", "__tests__", "spec", "testing"})
_EXAMPLES = frozenset({"example", "examples", "demo", "demos", "sample", "samples", "fixtures"})
_TEST_FILE = re.compile(r"(?:test_.*|conftest|.*[_.-](?:test|tests|spec))", re.IGNORECASE)
_CALLABLE = frozenset({DefinitionKind.FUNCTION, DefinitionKind.TYPE, DefinitionKind.HEADING})
_VALUES = frozenset({DefinitionKind.CONSTANT, DefinitionKind.TYPE, DefinitionKind.FUNCTION})


@dataclass(frozen=True, slots=True)
class Symbol:
    """A name with what it is qualified by, outermost first: modules, types, or an instance of a type.

    ``called`` says that it was written with parentheses.
    """

    name: str
    qualifiers: tuple[str, ...] = ()
    called: bool = False

    @property
    def spelling(self) -> str:
        """The symbol as it is stored, whatever language it was written in."""
        return ".".join((*self.qualifiers, self.name)) + ("()" if self.called else "")


def parse_symbol(text: str) -> Symbol | None:
    """Return the symbol that ``text`` is, as a person writes one: ``Client::send(x)``, ``class Foo``, or None."""
    stripped = text.strip()
    keyword = _KEYWORDS.match(stripped)
    bare = stripped[keyword.end() :] if keyword else stripped
    without_generic = _GENERIC.sub("", bare)
    uncalled = _CALL.sub("", without_generic, count=1)
    name = _NAME.fullmatch(uncalled)
    if name is None:
        return None
    parts = [part for part in _SPLIT.split(name[1]) if part not in _MYSELF]
    if not parts or not parts[-1].strip("_$"):
        return None
    # The parentheses of `class Foo(Base)` call nothing.
    called = uncalled != without_generic and not (keyword and _TYPE_KEYWORD.search(keyword[0]))
    return Symbol(parts[-1], tuple(parts[:-1]), called)


def is_meant(symbol: Symbol, definition: SymbolDefinition, path: str, *, stated: bool) -> bool:
    """Return whether ``definition``, of the same name and in the file at ``path``, is what the text names.

    A name without a qualifier means less the more it is like a word; a person who states one means any of that name.
    """
    if definition.kind is DefinitionKind.MODULE or (symbol.called and definition.kind not in _CALLABLE):
        return False
    if not stated and _is_double(symbol, definition, path):
        return False
    if symbol.qualifiers:
        return _is_qualified_by(symbol.qualifiers, definition, path)
    if definition.kind is DefinitionKind.FIELD:
        return False
    return stated or _is_unmistakable(symbol, definition)


def _is_double(symbol: Symbol, definition: SymbolDefinition, path: str) -> bool:
    """Return whether a test or example has something of its own under the name, and the text does not speak of it."""
    spelling = symbol.spelling.lower()
    if _is_in(_EXAMPLES, path):
        return not any(word.rstrip("s") in spelling for word in _EXAMPLES)
    is_helper = definition.kind is DefinitionKind.FUNCTION and not definition.owners
    return _is_test(path) and not is_helper and "test" not in spelling


def _is_unmistakable(symbol: Symbol, definition: SymbolDefinition) -> bool:
    match shape_of(symbol.name):
        case Shape.CODE:
            return True
        case Shape.CAPITALISED:
            return definition.kind is DefinitionKind.TYPE and not definition.owners
        case Shape.CAPITALS:
            return definition.kind in _VALUES and not definition.owners
        case Shape.DUNDER:
            is_module_value = definition.kind is DefinitionKind.CONSTANT and not definition.owners
            return is_module_value and symbol.name != "__all__"
        case Shape.PLAIN:
            is_function = definition.kind is DefinitionKind.FUNCTION and not definition.owners
            return symbol.called and is_function


def _is_qualified_by(qualifiers: tuple[str, ...], definition: SymbolDefinition, path: str) -> bool:
    """Match the owners from the inside out; what then remains names namespaces and the file."""
    rest = list(qualifiers)
    for owner in reversed(definition.owners):
        if not rest:
            return True
        if _folded(rest.pop()) != _folded(owner):
            return False
    for module in reversed(definition.modules):
        if rest and _folded(rest[-1]) == _folded(module):
            rest.pop()
    return not rest or _names_file([_folded(part) for part in rest], path)


def _names_file(modules: list[str], path: str) -> bool:
    """Return whether the modules are the file, or the package it lies in, as seen from somewhere above it."""
    *directories, file = path.split("/")
    packages = [_folded(part) for part in directories]
    while packages and packages[0] in _ROOTS:
        packages = packages[1:]
    stem = file.rpartition(".")[0] or file
    is_test = _is_test(path)
    if packages and (stem in _ENTRY_FILES or not is_test) and _same_end(packages, modules):
        return True
    words = _WORD_BREAK.split(stem.lower())
    # What `validators` exports may be defined in `_validators.py` or `validators_impl.py`.
    names_stem = modules[-1] in (["".join(words)] if is_test else accumulate(words))
    return names_stem and _same_end(packages, modules[:-1])


def _same_end(packages: list[str], modules: list[str]) -> bool:
    """Return whether one list is the end of the other; the repository may itself be the outer package."""
    shared = min(len(packages), len(modules))
    return packages[len(packages) - shared :] == modules[len(modules) - shared :]


def _folded(name: str) -> str:
    """Return the name as instances, modules and types share it: ``client_session`` is a ``ClientSession``."""
    return _WORD_BREAK.sub("", name).lower()


def _is_test(path: str) -> bool:
    stem = path.lower().rpartition("/")[2].rpartition(".")[0]
    return _is_in(_TESTS, path) or _TEST_FILE.fullmatch(stem) is not None


def _is_in(directories: frozenset[str], path: str) -> bool:
    return not directories.isdisjoint(path.lower().split("/")[:-1])
