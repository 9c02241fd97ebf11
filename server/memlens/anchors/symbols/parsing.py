"""Finds the definitions in a text with tree-sitter, in bounded time, whatever the text is.

Lines are joined with one LF each before they are parsed, so that a row of the syntax tree is a line of the document
whatever its line ends are, and a form feed or U+2028 divides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from time import thread_time
from typing import NamedTuple

from tree_sitter import Node, Parser, QueryCursor, Tree

from memlens.anchors.symbols.languages import Grammar
from memlens.anchors.symbols.model import DefinitionKind, SymbolDefinition

MAX_BYTES = 1_000_000
"""A larger file is data or generated, and no place where people define things."""

_MAX_SECONDS = 1.0
"""Of the processor: a busy machine must not make definitions come and go."""

_CHUNK = 1 << 16
_SLICE = 1 << 14
_WIDE = 5000
# Some grammars take minutes over NULs. Python's own splitting into lines does not see these bytes either.
_WITHOUT_CONTROLS = bytes(32 if byte < 32 and byte not in b"\t\n" else byte for byte in range(256))

_PRIORITY = {"accessor": 0, "declaration": 0, "constructor": 1, "definition": 1, "member": 2}
"""The roles of captures in ``queries/*.scm``. Of several readings of one name the first of these counts."""

_WEAK = ("declaration", "member")
"""What yields to a definition of the same name in the same text."""

_KINDS = ("type", "function", "constant", "field", "module")
_FROM_ELSEWHERE = re.compile(rb"(?:await\s+)?(?:require|import)\b|(?:\w+\s*=\s*)*(?:None|Any|object)\Z")
_GENERIC = re.compile(r"[<(\[].*", re.DOTALL)


class _Found(NamedTuple):
    """A captured node. ``kind`` is empty for what only encloses: a function without a name, an ``impl`` block.

    Texts are read only of what turns out not to be local, which most is.
    """

    start: int
    end: int
    role: str
    kind: str
    name: Node | None = None
    container: Node | None = None
    value: Node | None = None


def source_bytes(lines: Sequence[str]) -> bytes:
    """Return the lines as they are parsed: UTF-8, each ended by one LF, control characters blanked."""
    joined = "\n".join(line.rstrip("\r\n") for line in lines)
    return joined.encode("utf-8", errors="replace").translate(_WITHOUT_CONTROLS)


def parsed_definitions(grammar: Grammar, source: bytes) -> tuple[SymbolDefinition, ...]:
    """Return the definitions in ``source``, in their order; none when it takes too long."""
    deadline = thread_time() + _MAX_SECONDS
    try:
        # The callbacks are what makes it stop in time, and what lets other threads run meanwhile.
        tree = Parser(grammar.language).parse(
            lambda offset, _point: source[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _has_error: thread_time() > deadline,
        )
        captured = () if _is_unwieldy(tree.root_node) else tuple(_captured(grammar, tree, source, deadline))
    except (ValueError, TimeoutError):
        return ()
    return tuple(_without_forerunners(_Reader(source).placed(captured)))


def _is_unwieldy(root: Node) -> bool:
    """Return whether a query would take the square of the tree's size: over rows of thousands of bare signs.

    Within a slice a query cannot be stopped: its progress callback crashes the process (tree-sitter 0.26).
    """
    waiting, seen = [root], 0
    while waiting:
        node = waiting.pop()
        seen += 1
        signs = node.child_count - node.named_child_count
        if seen > _WIDE or (signs > _WIDE and signs > 2 * node.named_child_count):
            return True
        waiting += [child for child in node.children if child.descendant_count > _WIDE]
    return False


def _matches(grammar: Grammar, tree: Tree, size: int, deadline: float) -> Iterator[dict[str, list[Node]]]:
    """Yield the captures of each match, some twice: what reaches over an end of a slice is in both.

    The query runs slice by slice, so that other threads run in between, and time is up in between.
    """
    for start in range(0, size, _SLICE):
        if thread_time() > deadline:
            raise TimeoutError
        cursor = QueryCursor(grammar.query)
        cursor.set_byte_range(start, start + _SLICE)
        for _pattern, captures in cursor.matches(tree.root_node):
            yield captures


def _captured(grammar: Grammar, tree: Tree, source: bytes, deadline: float) -> Iterator[_Found]:
    """Yield what only encloses, and for each name its best reading."""
    best: dict[int, tuple[tuple[int, int], _Found]] = {}
    for captures in _matches(grammar, tree, len(source), deadline):
        for scope in captures.pop("scope", ()):
            yield _Found(scope.start_byte, scope.end_byte, "scope", "")
        names = captures.pop("name", ())
        container, value, myself = (_first(captures.pop(name, ())) for name in ("container", "value", "self"))
        if myself is not None and _bytes(source, myself) != b"self":
            continue
        for capture, nodes in captures.items():
            role, _, kind = capture.partition(".")
            for name in names if role in _PRIORITY or role == "owner" else ():
                found = _Found(nodes[0].start_byte, nodes[0].end_byte, role, kind, name, container, value)
                if not kind:
                    yield found
                elif role != "constructor" or _bytes(source, name)[:1].isupper():
                    rank = (_PRIORITY[role], _KINDS.index(kind))
                    place = name.start_byte
                    best[place] = min(best.get(place, (rank, found)), (rank, found), key=itemgetter(0))
    yield from (found for _rank, found in best.values())


def _first(nodes: Sequence[Node]) -> Node | None:
    return nodes[0] if nodes else None


def _bytes(source: bytes, node: Node) -> bytes:
    # `node.text` would read the text again, through the callback, from its beginning.
    return source[node.start_byte : node.end_byte]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Makes definitions of the captured nodes of one text."""

    source: bytes

    def placed(self, captured: Iterable[_Found]) -> Iterator[tuple[str, SymbolDefinition]]:
        """Yield the definitions that are not local to a function, each with the role of its capture."""
        around: list[_Found] = []
        functions = 0
        # Outer nodes first; a scope before what it is the body of, which it does not enclose.
        for each in sorted(captured, key=lambda each: (each.start, -each.end, bool(each.kind))):
            while around and around[-1].end <= each.start:
                functions -= _is_function(around.pop())
            is_member = each.role == "member"
            if each.kind and (is_member or not functions) and not self._is_from_elsewhere(each):
                definition = self._definition(each, around)
                if definition.owners or not is_member:
                    yield each.role, definition
            if not is_member:
                around.append(each)
                functions += _is_function(each)

    def _is_from_elsewhere(self, found: _Found) -> bool:
        """Return whether a name is bound to an import, or to what stands in for one that failed: ``Extra = None``."""
        if found.value is None or self._text(found.name).isupper():
            return False
        return _FROM_ELSEWHERE.match(_bytes(self.source, found.value)) is not None

    def _definition(self, found: _Found, around: Sequence[_Found]) -> SymbolDefinition:
        # `a, b = 1, 2` is one node that defines two names, neither of which owns the other.
        owners = [self._text(each.name) for each in around if _is_owner(each) and each[:2] != found[:2]]
        if found.container is not None:
            owners.append(self._text(found.container).rpartition("::")[2])
        modules = tuple(self._text(each.name) for each in around if each.kind == "module")
        name, kind = self._text(found.name), DefinitionKind(found.kind)
        if kind is DefinitionKind.FIELD and (not owners or (name.isupper() and len(name) > 1)):
            kind = DefinitionKind.CONSTANT
        line = 0 if found.name is None else found.name.start_point.row
        return SymbolDefinition(name, kind, line, tuple(_GENERIC.sub("", owner) for owner in owners), modules)

    def _text(self, node: Node | None) -> str:
        return "" if node is None else _bytes(self.source, node).decode("utf-8", errors="replace")


def _is_function(found: _Found) -> bool:
    return found.kind == "function" or found.role == "scope"


def _is_owner(found: _Found) -> bool:
    return found.role == "owner" or found.kind in ("type", "constant")


def _without_forerunners(placed: Iterator[tuple[str, SymbolDefinition]]) -> Iterator[SymbolDefinition]:
    """Leave out declarations of what is defined in the same text, and all but the first place of a value."""
    pairs = list(placed)
    defined = {_full_name(each) for capture, each in pairs if capture not in _WEAK}
    seen: set[tuple[str, ...]] = set()
    for capture, each in pairs:
        name = _full_name(each)
        first_only = capture in _WEAK or each.kind in (DefinitionKind.CONSTANT, DefinitionKind.FIELD)
        if (capture not in _WEAK or name not in defined) and not (first_only and name in seen):
            seen.add(name)
            yield each


def _full_name(definition: SymbolDefinition) -> tuple[str, ...]:
    return (*definition.modules, *definition.owners, definition.name)
