"""Reads the commands that we can find a definition of from a command line (spec 2.1, command rule)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from memlens.anchors.commands import Command, NamedCommand, Runner
from memlens.anchors.globs import expand_braces
from memlens.anchors.paths import pattern_or_none
from memlens.anchors.words import word_set

RUNNERS = {
    "make": Runner.MAKE,
    "gmake": Runner.MAKE,
    "npm": Runner.NPM,
    "pnpm": Runner.NPM,
    "yarn": Runner.NPM,
    "bun": Runner.NPM,
    "tox": Runner.TOX,
    "nox": Runner.NOX,
    "just": Runner.JUST,
    "poetry": Runner.SCRIPT,
    "uv": Runner.SCRIPT,
    "pdm": Runner.SCRIPT,
    "hatch": Runner.SCRIPT,
    "rye": Runner.SCRIPT,
}
"""The tools whose commands have a definition that we know how to find."""

_NAME = re.compile(r"[A-Za-z0-9_][\w.:@/+-]*", re.ASCII)
_NUMBER = re.compile(r"[\d.]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*[:?+]?=", re.ASCII)
_SEPARATORS = re.compile(r"&&|\|\||[;|]")
_LAUNCHERS = (("python", "-m"), ("python3", "-m"), ("py", "-m"), ("pipx", "run"), ("npx",), ("uvx",), ("sudo",), ("$",))

_MAX_PARTS = 16
_MAX_WORDS = 40
"""No command that people write down is longer; what is, is not looked at further."""

_DIRECTORY = frozenset(
    {"-C", "--directory", "--prefix", "--cwd", "--dir", "--project", "--root", "--working-directory"}
)
_VALUED = {
    Runner.MAKE: _DIRECTORY | {"-f", "--file"},
    Runner.NPM: _DIRECTORY | {"-w", "--workspace", "-F", "--filter"},
    Runner.TOX: _DIRECTORY | {"-c", "--conf", "--workdir", "-e", "--env", "-m", "-f"},
    Runner.NOX: _DIRECTORY | {"-f", "--noxfile", "-s", "--session", "--sessions", "-e", "-p", "--python", "-k", "-t"},
    Runner.JUST: _DIRECTORY | {"-d", "-f", "--justfile"},
    Runner.SCRIPT: _DIRECTORY | {"-p", "--python", "--with", "--extra", "--group", "--only-group", "--package"},
}
"""The options of each runner's tools that take the next word as their value."""

_NPM_SHORT = frozenset({"test", "start", "stop"})
"""Scripts that npm and its kin run without ``run``."""
_NPM_OWN = word_set(
    "add audit build-binary cache ci config create dlx exec info init install link list login outdated pack publish",
    "remove set unlink up update upgrade version why workspace workspaces x",
)
"""What yarn, pnpm and bun do themselves: never the name of a script."""


@dataclass(frozen=True, slots=True)
class _Arguments:
    positional: list[str] = field(default_factory=list)
    options: dict[str, list[str]] = field(default_factory=dict)

    def values(self, *names: str) -> list[str]:
        return [value for name in names for value in self.options.get(name, ())]

    @property
    def directory(self) -> str | None:
        return next(iter(self.values(*sorted(_DIRECTORY), "-d", "-w", "--workspace")), None)


def parse_command_line(line: str) -> list[NamedCommand]:
    """Return the commands of a line as a person types it in the repository root, ``cd`` and ``&&`` followed.

    What is not a command of a known runner is left out; a line never fails.
    """
    found: list[NamedCommand] = []
    directory = ""
    for part in _SEPARATORS.split(line)[:_MAX_PARTS]:
        words = part.split()
        if len(words) == 2 and words[0] == "cd":
            # An absolute second path must not pass for one below the first.
            directory = f"{directory}/{words[1]}" if directory and not words[1].startswith("/") else words[1]
        else:
            found += parse_words(words, directory)
    return list(dict.fromkeys(found))


def parse_words(words: Sequence[str], directory: str = "") -> list[NamedCommand]:
    """Return the commands that one simple command runs, e.g. two for ``tox -e lint,docs``."""
    words = _without_launcher(words[:_MAX_WORDS])
    runner = RUNNERS.get(words[0]) if words else None
    if runner is None:
        return []
    arguments = _read_arguments(words[1:], _VALUED[runner])
    place = _joined(directory, arguments.directory)
    if place is None:
        return []
    if runner is Runner.SCRIPT and (nested := _nested(words, arguments)):
        return parse_words(nested, place)
    return [
        NamedCommand(words[0], Command(runner, name, place))
        for name in _NAMES[runner](words[0], arguments)
        if _NAME.fullmatch(name)
    ]


def _nested(words: Sequence[str], arguments: _Arguments) -> Sequence[str]:
    """Return the command of another runner that this one starts: ``tox -e docs`` of ``uv run tox -e docs``."""
    if arguments.positional[:1] != ["run"] or len(arguments.positional) < 2:
        return ()
    tool = arguments.positional[1]
    starts_another = tool in RUNNERS or any(launcher[0] == tool for launcher in _LAUNCHERS)
    return words[words.index(tool, words.index("run")) :] if starts_another else ()


def _without_launcher(words: Sequence[str]) -> Sequence[str]:
    changed = True
    while changed:
        changed = False
        while words and _ASSIGNMENT.match(words[0]):
            words, changed = words[1:], True
        for launcher in _LAUNCHERS:
            if tuple(words[: len(launcher)]) == launcher:
                words, changed = words[len(launcher) :], True
    return words


def _read_arguments(words: Sequence[str], valued: frozenset[str]) -> _Arguments:
    arguments = _Arguments()
    waiting: str | None = None
    for word in words:
        if word == "--":
            break
        if waiting is not None and not word.startswith("-"):
            arguments.options.setdefault(waiting, []).append(word)
            waiting = None
            continue
        option, equals, value = word.partition("=")
        waiting = None
        if word in valued:
            waiting = word
        elif equals and option in valued:
            arguments.options.setdefault(option, []).append(value)
        elif word[:2] in valued and not word.startswith("--"):
            arguments.options.setdefault(word[:2], []).append(word[2:])
        elif not word.startswith("-"):
            arguments.positional.append(word)
    return arguments


def _joined(directory: str, further: str | None) -> str | None:
    """Return the directory below the repository root, or None when it may not be below it."""
    parts = [part for part in (directory, further) if part and part not in (".", "./")]
    patterns = [pattern_or_none(part) for part in parts]
    return None if None in patterns else "/".join(str(pattern).rstrip("/") for pattern in patterns)


def _make_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    for word in arguments.positional:
        if "=" not in word and not _NUMBER.fullmatch(word):
            yield word


def _npm_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    first, second = [*arguments.positional[:2], "", ""][:2]
    if first in ("run", "run-script"):
        yield second
    elif first == "t":
        yield "test"
    elif first in _NPM_SHORT or (tool != "npm" and first not in _NPM_OWN):
        yield first


def _tox_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    for value in arguments.values("-e", "--env"):
        yield from expand_braces("{" + value + "}") if "," in value else [value]


def _nox_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    named = arguments.values("-s", "--session", "--sessions", "-e")
    if named:
        yield from named
        yield from arguments.positional


def _just_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    yield from [word for word in arguments.positional if "=" not in word][:1]


def _script_names(tool: str, arguments: _Arguments) -> Iterator[str]:
    first, second = [*arguments.positional[:2], "", ""][:2]
    if first == "run" and "/" not in second and not second.endswith(".py"):
        yield second.removeprefix("default:")


_NAMES: dict[Runner, Callable[[str, _Arguments], Iterator[str]]] = {
    Runner.MAKE: _make_names,
    Runner.NPM: _npm_names,
    Runner.TOX: _tox_names,
    Runner.NOX: _nox_names,
    Runner.JUST: _just_names,
    Runner.SCRIPT: _script_names,
}
