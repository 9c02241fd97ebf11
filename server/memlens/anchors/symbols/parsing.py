"""Finds the definitions in a text with tree-sitter, in bounded time, whatever the text is.

Lines are joined with one LF each before they are parsed, so that a row of the syntax tree is a line of the document
whatever its line ends are, and a form feed or U+2028 divides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import thread_time

from tree_sitter import Node, Parser, QueryCursor, Tree

from memlens.anchors.symbols.languages import Grammar
from memlens.anchors.symbols.model import DefinitionKind, SymbolDefinition

MAX_BYTES = 1_000_000
"""A larger file is data or generated, and no place where people define things."""

_MAX_SECONDS = 1.0
"""Of the processor: a busy machine must not make definitions come and go."""

_CHUNK = 1 << 16
_WIDE = 5000
# Some grammars take minutes over NULs. Python's own splitting into lines does not see these bytes either.
_WITHOUT_CONTROLS = bytes(32 if byte < 32 and byte not in b"\t\n" else byte for byte in range(256))

_PRIORITY = {"accessor": 0, "declaration": 0, "definition": 1, "member": 2}
_WEAK = ("declaration", "member")
"""What yields to a definition of the same name in the same text."""
_KINDS = ("type", "function", "constant", "field", "module")


@dataclass(frozen=True, slots=True)
class _Found:
    """A captured node. ``kind`` is None for what only encloses: a function without a name, an ``impl`` block."""

    start: int
    end: int
    capture: str
    kind: DefinitionKind | None
    name: str = ""
    name_at: int = -1
    line: int = -1
    container: str = ""

    @property
    def order(self) -> tuple[int, int, int]:
        """Outer nodes first; a scope before what it is the body of, which it does not enclose."""
        return (self.start, -self.end, self.kind is not None)

    @property
    def rank(self) -> tuple[int, int]:
        """Of two readings of one name the lower one counts."""
        return (_PRIORITY[self.capture], _KINDS.index(str(self.kind)))


def source_bytes(lines: Sequence[str]) -> bytes:
    """Return the lines as they are parsed: UTF-8, each ended by one LF, control characters blanked."""
    joined = "\n".join(line.rstrip("\r\n") for line in lines)
    return joined.encode("utf-8", errors="replace").translate(_WITHOUT_CONTROLS)


def parsed_definitions(grammar: Grammar, source: bytes) -> tuple[SymbolDefinition, ...]:
    """Return the definitions in ``source``, in their order; none when it takes too long to parse."""
    tree = _parse(grammar, source)
    if tree is None or _is_unwieldy(tree.root_node):
        return ()
    found = sorted(_captured(grammar, tree), key=lambda each: each.order)
    return tuple(_without_forerunners(_placed(found)))


def _parse(grammar: Grammar, source: bytes) -> Tree | None:
    deadline = thread_time() + _MAX_SECONDS
    try:
        # The callbacks are what makes it stop in time, and what lets other threads run meanwhile.
        return Parser(grammar.language).parse(
            lambda offset, _point: source[offset : offset + _CHUNK],
            progress_callback=lambda _offset, _has_error: thread_time() > deadline,
        )
    except ValueError:
        return None


def _is_unwieldy(root: Node) -> bool:
    """Return whether a query would take the square of the tree's size: over rows of thousands of bare signs.

    Queries cannot be stopped: their progress callback crashes the process (tree-sitter 0.26).
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


def _captured(grammar: Grammar, tree: Tree) -> Iterator[_Found]:
    """Yield what only encloses, and for each name its best reading."""
    best: dict[int, _Found] = {}
    for _pattern, captures in QueryCursor(grammar.query).matches(tree.root_node):
        for scope in captures.get("scope", ()):
            yield _Found(scope.start_byte, scope.end_byte, "scope", None)
        names = captures.get("name", ())
        nodes = [(capture, node) for capture, all_of in captures.items() for node in all_of if _is_definition(capture)]
        for name in names:
            for capture, node in nodes:
                found = _read(capture, node, name, captures.get("container", ()))
                if found.kind is None:
                    yield found
                else:
                    best[found.name_at] = min(best.get(found.name_at, found), found, key=lambda each: each.rank)
    yield from best.values()


def _is_definition(capture: str) -> bool:
    return "." in capture or capture == "owner"


def _read(capture: str, node: Node, name: Node, containers: Sequence[Node]) -> _Found:
    role, _, kind = capture.partition(".")
    return _Found(
        node.start_byte,
        node.end_byte,
        role,
        DefinitionKind(kind) if kind else None,
        _text(name),
        name.start_byte,
        name.start_point.row,
        _text(containers[0]) if containers else "",
    )


def _text(node: Node) -> str:
    return re.sub(r"[<(\[].*", "", (node.text or b"").decode("utf-8", errors="replace"), flags=re.DOTALL)


def _placed(found: Sequence[_Found]) -> Iterator[tuple[str, SymbolDefinition]]:
    """Yield the definitions that are not local to a function, each with the role of its capture."""
    around: list[_Found] = []
    for each in found:
        while around and around[-1].end <= each.start:
            around.pop()
        if each.kind is not None and (each.capture == "member" or not any(map(_is_function, around))):
            definition = _definition(each, around)
            if each.capture != "member" or definition.owners:
                yield each.capture, definition
        if each.kind is not DefinitionKind.FIELD or each.capture != "member":
            around.append(each)


def _is_function(found: _Found) -> bool:
    return found.kind is DefinitionKind.FUNCTION or found.capture == "scope"


def _definition(found: _Found, around: Sequence[_Found]) -> SymbolDefinition:
    # `a, b = 1, 2` is one node that defines two names, neither of which owns the other.
    owners = [each.name for each in around if _is_owner(each) and (each.start, each.end) != (found.start, found.end)]
    if found.container:
        owners.append(found.container.rpartition("::")[2])
    modules = tuple(each.name for each in around if each.kind is DefinitionKind.MODULE)
    kind = found.kind or DefinitionKind.FIELD
    if kind is DefinitionKind.FIELD and not owners:
        kind = DefinitionKind.CONSTANT
    return SymbolDefinition(found.name, kind, found.line, tuple(owners), modules)


def _is_owner(found: _Found) -> bool:
    return found.capture == "owner" or found.kind in (DefinitionKind.TYPE, DefinitionKind.CONSTANT)


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
