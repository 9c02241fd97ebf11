"""A configuration key as a text names it, and whether a definition is the one that is meant (spec 2.1, key rule)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memlens.anchors.globs import glob_matches, has_magic
from memlens.anchors.keys import is_project_configuration
from memlens.anchors.keys.model import KeyDefinition
from memlens.anchors.paths import pattern_or_none
from memlens.anchors.words import word_set

_NAME = r"""[A-Za-z_$][\w$:-]*"""
_KEY = re.compile(
    rf"""(?:\[\[?\s*(?P<table>[\w.:"'/*-]+)\s*\]\]?\s*)?(?P<key>["']?{_NAME}(?:\.{_NAME})*["']?)?(?:\s*[=:](?!=).*)?""",
    re.ASCII | re.DOTALL,
)
_QUOTES = str.maketrans("", "", "\"'")

_DEPENDENCIES = word_set(
    "build-dependencies bundledDependencies catalog dependencies dependency-groups dev-dependencies devDependencies",
    "optional-dependencies optionalDependencies overrides packages patchedDependencies peerDependencies require",
    "require-dev resolutions",
)
"""Tables whose keys are names of packages, which a text names for other reasons than this line."""


@dataclass(frozen=True, slots=True)
class Key:
    """The last names of a key's path, outermost first; ``file``, where given, is the path or glob it is set in."""

    parts: tuple[str, ...]
    file: str = ""

    @property
    def spelling(self) -> str:
        """The key as it is stored, and as a person may state it."""
        dotted = ".".join(self.parts)
        return f"{self.file}#{dotted}" if self.file else dotted


def parse_key(text: str) -> Key | None:
    """Return the key that ``text`` is, as a person writes one, or None.

    ``tool.ruff.line-length``, ``[tool.ruff] line-length = 100``, ``nav:``, ``mkdocs.yml#nav``.
    """
    file, hash_sign, name = text.strip().rpartition("#")
    pattern = pattern_or_none(file) if hash_sign else ""
    found = _KEY.fullmatch(name.strip())
    if found is None or pattern is None:
        return None
    dotted = ".".join(part for part in (found["table"], found["key"]) if part)
    parts = split_path((dotted.translate(_QUOTES).rstrip(":"),))
    return Key(parts, pattern) if parts and all(parts) else None


def split_path(path: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a path with dots inside them divided, as people write a path."""
    return tuple(part for name in path for part in name.split("."))


def may_be_meant(key: Key, definition: KeyDefinition, path: str, *, stated: bool) -> bool:
    """Return whether ``definition``, in the file at ``path``, may be what the text names.

    A single name means a key anywhere in the file that the text names with it, else only in the project's own
    configuration and not where the names of packages are keys.
    """
    names = split_path(definition.path)
    if names[-len(key.parts) :] != key.parts:
        return False
    if key.file:
        return glob_matches(key.file, path) if has_magic(key.file) else key.file == path
    if len(key.parts) > 1 or stated:
        return is_project_configuration(path)
    return is_project_configuration(path) and _DEPENDENCIES.isdisjoint(definition.path[:-1])
