"""What the definition of a symbol is: a name, what it belongs to, and the line it is defined on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DefinitionKind(StrEnum):
    """What a definition defines; the names of the captures in ``queries/*.scm``."""

    FUNCTION = "function"
    TYPE = "type"
    """A class, structure, interface, enumeration or alias of a type."""
    CONSTANT = "constant"
    """An assignment outside functions, an enumerator, a macro without parameters."""
    FIELD = "field"
    """What a type's values hold; known only by the type's name together with its own."""
    MODULE = "module"
    """A namespace inside a file; it qualifies, and is no symbol that people write rules about."""
    HEADING = "heading"
    """The heading of a page that documents the symbol."""


@dataclass(frozen=True, slots=True)
class SymbolDefinition:
    """A line (0-based) on which ``name`` is defined.

    ``owners`` are the types around it and ``modules`` the namespaces, outermost first.
    """

    name: str
    kind: DefinitionKind
    line: int
    owners: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
