"""Finds where configuration keys are set, by the kind of file; other files are not looked into (spec 2.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from memlens.anchors.keys.ini import ini_keys
from memlens.anchors.keys.json import json_keys
from memlens.anchors.keys.model import KeyDefinition
from memlens.anchors.keys.toml import toml_keys
from memlens.anchors.keys.yaml import yaml_keys
from memlens.anchors.words import word_set

Reader = Callable[[Sequence[str]], Iterator[KeyDefinition]]

MAX_CHARACTERS = 250_000
"""A larger file is data or a lock file."""

_BY_SUFFIX: dict[str, Reader] = {
    "toml": toml_keys,
    "ini": ini_keys,
    "cfg": ini_keys,
    "json": json_keys,
    "jsonc": json_keys,
    "json5": json_keys,
    "yml": yaml_keys,
    "yaml": yaml_keys,
    "cff": yaml_keys,
}
_BY_NAME: dict[str, Reader] = {
    "Pipfile": toml_keys,
    ".babelrc": json_keys,
    ".clang-format": yaml_keys,
    ".clang-tidy": yaml_keys,
    ".coveragerc": ini_keys,
    ".editorconfig": ini_keys,
    ".eslintrc": json_keys,
    ".flake8": ini_keys,
    ".gitconfig": ini_keys,
    ".npmrc": ini_keys,
    ".prettierrc": json_keys,
    ".pylintrc": ini_keys,
    "pylintrc": ini_keys,
    ".swcrc": json_keys,
    ".yarnrc": ini_keys,
}
_LOCKS = word_set("composer.lock deno.lock npm-shrinkwrap.json package-lock.json packages.lock.json pnpm-lock.yaml")
_WELL_KNOWN = re.compile(
    r"pyproject\.toml|package\.json|[jt]sconfig(?:\..+)?\.json|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|Cargo\.toml"
    r"|(?:hatch|ruff|poetry|uv|netlify|rustfmt|clippy)\.toml|mkdocs\.ya?ml|pubspec\.yaml|composer\.json|turbo\.json"
    r"|lerna\.json|nx\.json|\..*rc(?:\.\w+)?"
)


def may_set_keys(path: str) -> bool:
    """Return whether the file at ``path`` is of a kind whose keys can be found."""
    return _reader(path) is not None


def is_project_configuration(path: str) -> bool:
    """Return whether the file configures the project rather than holds its data, a fixture or an example.

    It does in the root, in a directory with a leading dot below the root, or under a name that tools look for.
    """
    directory, _, name = path.rpartition("/")
    return not directory or directory.startswith(".") or _WELL_KNOWN.fullmatch(name) is not None


def key_definitions(path: str, lines: Sequence[str]) -> Iterator[KeyDefinition]:
    """Yield the keys that the file sets, in the order of their lines; it never fails."""
    reader = _reader(path)
    if reader is not None and sum(map(len, lines)) <= MAX_CHARACTERS:
        yield from reader(lines)


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2]
    if name in _LOCKS:
        return None
    return _BY_NAME.get(name) or _BY_SUFFIX.get(name.rpartition(".")[2].lower() if "." in name else "")
