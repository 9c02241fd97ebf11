"""The pattern language of ``.gitignore``, matched in bounded time.

Ignore files come with the repository, and globs with memory, so their authors are not trusted. The regular
expressions that pathspec 1.1 makes of them backtrack without bound: one line ``*a*a*a*a*b`` against a name of 250
letters takes ten seconds, during which Python answers nobody. Here each part between slashes
becomes a regular expression of ``fnmatch.translate``, whose stars never give back what they matched, and ``**`` is
resolved over the parts: cost grows with the length of path times pattern only.

Deviations from git: character classes such as ``[[:space:]]``, a ``/`` or a backslash inside brackets.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_MAX_LINE = 512
_MAX_PATTERNS = 2000

_ANY_DIRECTORIES = "**"


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of an ignore file. ``parts`` are what stands between slashes, in the syntax of ``fnmatch``."""

    parts: tuple[str, ...]
    negated: bool = False
    directories_only: bool = False

    def matches(self, path: Sequence[str], is_directory: bool) -> bool:
        """Whether the pattern matches this very path (given as its parts), not merely a directory above it."""
        if self.directories_only and not is_directory:
            return False
        return _match_parts(self.parts, path)


@dataclass(frozen=True, slots=True)
class IgnoreList:
    """The patterns of one ignore file in their order; the last one that matches decides."""

    patterns: tuple[IgnorePattern, ...] = ()

    def verdict(self, path: Sequence[str], is_directory: bool) -> bool | None:
        """Return True for ignored, False for expressly not ignored, None when no pattern matches.

        ``path`` is relative to the directory of the ignore file.
        """
        for pattern in reversed(self.patterns):
            if pattern.matches(path, is_directory):
                return not pattern.negated
        return None


def parse_ignore_list(lines: Iterable[str]) -> IgnoreList:
    """Read ignore patterns, one a line; comments, and lines that can match nothing, are left out."""
    patterns: list[IgnorePattern] = []
    for line in lines:
        if (pattern := parse_ignore_pattern(line)) is not None:
            patterns.append(pattern)
        if len(patterns) == _MAX_PATTERNS:
            break
    return IgnoreList(tuple(patterns))


def parse_ignore_pattern(line: str) -> IgnorePattern | None:
    """Read one line of an ignore file; None for a comment, an empty line, or what can match nothing."""
    text = _without_trailing_spaces(line)
    if not text or len(text) > _MAX_LINE or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!") if negated else text
    directories_only = text.endswith("/")
    text = text.removesuffix("/")
    anchored = "/" in text
    parts = [_to_fnmatch(part) for part in text.removeprefix("/").split("/")]
    if not all(parts):
        return None  # an empty part, or a backslash at the end
    if not anchored and parts != [_ANY_DIRECTORIES]:
        parts.insert(0, _ANY_DIRECTORIES)
    return IgnorePattern(_with_content(parts), negated, directories_only)


def _with_content(parts: list[str]) -> tuple[str, ...]:
    """``a/**`` means what is in ``a``, not ``a`` itself: one part at least must follow."""
    return (*parts, "*") if parts[-1] == _ANY_DIRECTORIES else tuple(parts)


def _without_trailing_spaces(line: str) -> str:
    text = line.rstrip("\r\n")
    stripped = text.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    # An escaped space at the end stays.
    return stripped + " " if backslashes % 2 and stripped != text else stripped


def _to_fnmatch(part: str) -> str:
    """Rewrite git's escapes and negated brackets; empty for a part that can match nothing."""
    if part == _ANY_DIRECTORIES:
        return part
    out: list[str] = []
    characters = iter(part)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if not escaped:
                return ""
            out.append(f"[{escaped}]" if escaped in "*?[" else escaped)
        else:
            out.append(character)
    text = re.sub(r"\*{2,}", "*", "".join(out))
    return text.replace("[^", "[!")


def _match_parts(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Match parts, ``**`` standing for any number of them: the greedy algorithm for a single kind of wildcard."""
    if len(pattern) == 2 and pattern[0] == _ANY_DIRECTORIES:
        return _match_part(pattern[1], path[-1])  # by far the most common form: a name in any directory
    at = position = 0
    star, star_position = -1, 0
    while position < len(path):
        if at < len(pattern) and pattern[at] == _ANY_DIRECTORIES:
            star, star_position = at, position
            at += 1
        elif at < len(pattern) and _match_part(pattern[at], path[position]):
            at += 1
            position += 1
        elif star >= 0:
            star_position += 1
            at, position = star + 1, star_position
        else:
            return False
    return at == len(pattern)


def _match_part(pattern: str, name: str) -> bool:
    if pattern == name or pattern == "*":
        return True
    compiled = _compiled(pattern)
    return compiled is not None and compiled.match(name) is not None


@lru_cache(maxsize=8192)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """The regular expression of one part, or None when the part is a plain name."""
    if not any(character in pattern for character in "*?["):
        return None
    return re.compile(fnmatch.translate(pattern))
