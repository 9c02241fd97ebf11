"""Recipes of a justfile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner

_RECIPE = re.compile(r"""@?([A-Za-z_][\w-]*)(?:\s(?:"[^"]*"|'[^']*'|[^:"'])*)?:(?!=)""", re.ASCII)


def just_recipes(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield each recipe, with or without parameters; settings, variables and aliases are none."""
    for number, line in enumerate(lines):
        recipe = _RECIPE.match(line)
        if recipe:
            yield Definition(Command(Runner.JUST, recipe[1]), number)
