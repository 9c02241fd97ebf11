"""Globs with gitignore semantics, relative to the repository root, plus ``{a,b}`` alternatives (case A6).

A glob without ``/`` matches at any depth, as in a .gitignore; one with ``/`` only from the root, so ``test/**`` is
the repository's own ``test/`` wherever the repository lies. Matching is case-sensitive.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memlens.core.patterns import IgnorePattern, parse_ignore_pattern

MAX_ALTERNATIVES = 64

_MAGIC = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def has_magic(pattern: str) -> bool:
    """Return whether ``pattern`` is a glob rather than a literal path."""
    return _MAGIC.search(pattern) is not None or _BRACES.search(pattern) is not None


def expand_braces(pattern: str) -> list[str]:
    """Return the alternatives that ``pattern`` spells with braces, at most :data:`MAX_ALTERNATIVES` of them."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= MAX_ALTERNATIVES:
        current = waiting.pop(0)
        braces = _BRACES.search(current)
        if braces is None:
            done.append(current)
            continue
        before, after = current[: braces.start()], current[braces.end() :]
        waiting += [before + choice.strip() + after for choice in braces[1].split(",")]
    return list(dict.fromkeys(done))


def literal_directory(glob: str) -> str:
    """Return the directory that everything the glob matches is below, with a trailing ``/``, or ``""``."""
    segments = glob.split("/")
    literal: list[str] = []
    for segment in segments[:-1]:
        if _MAGIC.search(segment):
            break
        literal.append(segment)
    return "/".join(literal) + "/" if literal else ""


def glob_matches(glob: str, path: str) -> bool:
    """Return whether a brace-free glob matches ``path``, or a directory that ``path`` is below."""
    pattern = _parsed(glob)
    if pattern is None:
        return False
    parts = path.split("/")
    return any(pattern.matches(parts[:depth], depth < len(parts)) for depth in range(1, len(parts) + 1))


@lru_cache(maxsize=1 << 16)
def _parsed(glob: str) -> IgnorePattern | None:
    # A leading "#" would be a comment in a .gitignore.
    return parse_ignore_pattern("\\" + glob if glob.startswith("#") else glob)
