"""The languages whose symbols are found: which files, which grammar, which queries. A new one is a row and a file.

A grammar is loaded when the first file of its language is asked for. One that cannot be loaded switches its language
off for this process, with one warning.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from posixpath import splitext

from tree_sitter import Language, Query

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language: the module and function that give its grammar, the files in it, the queries for definitions."""

    grammar: str
    function: str
    suffixes: tuple[str, ...]
    queries: tuple[str, ...]


LANGUAGES = (
    LanguageRow("tree_sitter_python", "language", (".py", ".pyi", ".pyx", ".pxd"), ("python",)),
    LanguageRow("tree_sitter_javascript", "language", (".js", ".mjs", ".cjs", ".jsx"), ("ecmascript", "javascript")),
    LanguageRow("tree_sitter_typescript", "language_typescript", (".ts", ".mts", ".cts"), ("ecmascript", "typescript")),
    LanguageRow("tree_sitter_typescript", "language_tsx", (".tsx",), ("ecmascript", "typescript")),
    LanguageRow("tree_sitter_go", "language", (".go",), ("go",)),
    LanguageRow("tree_sitter_rust", "language", (".rs",), ("rust",)),
    LanguageRow("tree_sitter_java", "language", (".java",), ("java",)),
    LanguageRow("tree_sitter_c", "language", (".c",), ("c",)),
    # A header may be either; the grammar of C++ reads both.
    LanguageRow(
        "tree_sitter_cpp", "language", (".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp"), ("c", "cpp")
    ),
    LanguageRow("tree_sitter_bash", "language", (".sh", ".bash", ".zsh", ".ksh"), ("bash",)),
)

_BY_SUFFIX = {suffix: row for row in LANGUAGES for suffix in row.suffixes}


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language as tree-sitter needs it."""

    language: Language
    query: Query


def language_of(path: str) -> LanguageRow | None:
    """Return the language of the file at ``path`` by the end of its name, or None."""
    return _BY_SUFFIX.get(splitext(path)[1].lower())


@cache
def grammar_of(row: LanguageRow) -> Grammar | None:
    """Return the grammar with its query, or None where this installation cannot load it."""
    try:
        language = Language(getattr(import_module(row.grammar), row.function)())
        return Grammar(language, Query(language, "\n".join(map(_query_text, row.queries))))
    except (ImportError, OSError, AttributeError, TypeError, ValueError) as error:
        # ValueError: the grammar is of an age that this tree-sitter cannot read, or does not know a node of the query.
        _log.warning("no symbols in %s files: %s (%s)", row.suffixes[0], row.grammar, type(error).__name__)
        return None


def _query_text(name: str) -> str:
    return (resources.files("memlens.anchors") / "queries" / f"{name}.scm").read_text(encoding="utf-8")
