"""Finds where commands are defined, by the name of the file; other files are not looked into (spec 2.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from memlens.anchors.commands import Definition, Runner
from memlens.anchors.definitions.just import just_recipes
from memlens.anchors.definitions.make import make_targets
from memlens.anchors.definitions.nox import nox_sessions
from memlens.anchors.definitions.package_json import npm_scripts
from memlens.anchors.definitions.pyproject import toml_scripts
from memlens.anchors.definitions.tox import tox_environments
from memlens.anchors.paths import parents

Reader = Callable[[Sequence[str]], Iterator[Definition]]

_READERS: dict[str, Reader] = {
    "Makefile": make_targets,
    "makefile": make_targets,
    "GNUmakefile": make_targets,
    "package.json": npm_scripts,
    "tox.ini": tox_environments,
    "setup.cfg": tox_environments,
    "tox.toml": toml_scripts,
    "pyproject.toml": toml_scripts,
    "hatch.toml": toml_scripts,
    "noxfile.py": nox_sessions,
    "justfile": just_recipes,
    "Justfile": just_recipes,
    ".justfile": just_recipes,
}

DEFINING_FILES: dict[Runner, tuple[str, ...]] = {
    Runner.MAKE: ("Makefile", "makefile", "GNUmakefile"),
    Runner.NPM: ("package.json",),
    Runner.TOX: ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg"),
    Runner.NOX: ("noxfile.py",),
    Runner.JUST: ("justfile", "Justfile", ".justfile"),
    Runner.SCRIPT: ("pyproject.toml", "hatch.toml"),
}
"""The names of the files from which each runner reads its commands."""


def definitions(path: str, lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the commands that the file at ``path`` defines, with the directory they are run in."""
    directory, _, name = path.rpartition("/")
    reader = _READERS.get(name)
    if reader is not None:
        for found in reader(lines):
            yield replace(found, command=replace(found.command, directory=directory))
    elif name.endswith(".mk"):
        # Included by a Makefile of its directory or of one above it; which one, only make knows.
        for found in make_targets(lines):
            for place in ("", *parents(path)):
                yield replace(found, command=replace(found.command, directory=place))
