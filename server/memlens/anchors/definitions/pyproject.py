"""Scripts and tox environments of pyproject.toml, tox.toml and hatch.toml, with their lines.

Read line by line, since a TOML library gives no lines and refuses a document that is being edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memlens.anchors.commands import Command, Definition, Runner
from memlens.anchors.definitions.tox import tox_environments

_HEADER = re.compile(r"\s*\[([^\[\]]+)\]")
_KEY = re.compile(r"""(?:"([^"]+)"|'([^']+)'|([\w-]+))\s*[.=]""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([^.\s"']+)""")

_SCRIPT_TABLES = {
    ("project", "scripts"),
    ("project", "gui-scripts"),
    ("tool", "poetry", "scripts"),
    ("tool", "pdm", "scripts"),
    ("tool", "rye", "scripts"),
}


def toml_scripts(lines: Sequence[str]) -> Iterator[Definition]:
    """Yield the keys of the tables that hold scripts, and the tables that are themselves a script or environment."""
    table: tuple[str, ...] = ()
    known: set[Command] = set()
    for number, line in enumerate(lines):
        header = _HEADER.match(line)
        if header:
            table = tuple("".join(part) for part in _PART.findall(header[1]))
            command = _defined_by_table(table)
        else:
            key = _KEY.match(line)
            command = _defined_by_key(table, "".join(part or "" for part in key.groups())) if key else None
        if command is not None and command not in known:
            known.add(command)
            yield Definition(command, number)
    # `legacy_tox_ini` holds a whole tox.ini in a string.
    yield from tox_environments(lines)


def _defined_by_key(table: tuple[str, ...], key: str) -> Command | None:
    if table in _SCRIPT_TABLES:
        return Command(Runner.SCRIPT, key)
    environment = _hatch_environment(table)
    if environment is None:
        return None
    return Command(Runner.SCRIPT, key if environment == "default" else f"{environment}:{key}")


def _hatch_environment(table: tuple[str, ...]) -> str | None:
    match table:
        case ("tool", "hatch", "envs", name, "scripts") | ("envs", name, "scripts"):
            return name
        case _:
            return None


def _defined_by_table(table: tuple[str, ...]) -> Command | None:
    match table:
        case ("tool", "tox", "env", name) | ("env", name):
            return Command(Runner.TOX, name)
        case _ if table[:-1] in _SCRIPT_TABLES:
            return Command(Runner.SCRIPT, table[-1])
        case _:
            return None
