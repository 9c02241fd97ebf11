"""What a command is: a runner, a name, and the directory it is run in (spec 2.1, command rule)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Runner(StrEnum):
    """What carries a command out; tools that read the same definitions are one runner."""

    MAKE = "make"
    NPM = "npm"
    """npm, pnpm, yarn and bun: ``scripts`` of package.json."""
    TOX = "tox"
    NOX = "nox"
    JUST = "just"
    SCRIPT = "script"
    """poetry, uv, pdm, hatch and rye: scripts of pyproject.toml."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command, however it was spelled: ``yarn lint`` and ``npm run lint`` are equal.

    ``directory`` is relative to the repository root, ``""`` for the root itself.
    """

    runner: Runner
    name: str
    directory: str = ""


@dataclass(frozen=True, slots=True)
class NamedCommand:
    """A command with the tool it was named with, and so with a spelling that a person recognises."""

    tool: str
    command: Command

    @property
    def spelling(self) -> str:
        """The command as a person would type it in the repository root."""
        name = self.command.name
        match self.command.runner:
            case Runner.TOX:
                typed = f"{self.tool} -e {name}"
            case Runner.NOX:
                typed = f"{self.tool} -s {name}"
            case Runner.NPM | Runner.SCRIPT:
                typed = f"{self.tool} run {name}"
            case Runner.MAKE | Runner.JUST:
                typed = f"{self.tool} {name}"
        return f"cd {self.command.directory} && {typed}" if self.command.directory else typed


@dataclass(frozen=True, slots=True)
class Definition:
    """A line (0-based) of a file on which a command is defined."""

    command: Command
    line: int
