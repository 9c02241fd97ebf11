"""A reader for git's configuration format: enough of it to find a remote's address.

Follows the "Syntax" section of ``git help config``: comments, quotes, escapes, continued lines, section names in
any case, the older ``[section.subsection]``. Not followed, on purpose: ``include`` and ``includeIf`` (they name files
outside the repository) and ``url.<base>.insteadOf`` (a person's own rewriting must not change what a repository
is). A line that git would refuse is skipped: one bad line elsewhere must not hide the remote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# White space as git has it: not what else Unicode or Python count as such.
_SPACE = " \t\r"
_SECTION = re.compile(r'\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?[ \t]*\]')
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """One assignment. ``section`` and ``key`` are in lower case; ``value`` is None for a key without ``=``."""

    section: str
    subsection: str | None
    key: str
    value: str | None


def read_config(text: str) -> Iterator[ConfigValue]:
    """Yield the assignments of a git configuration file in their order."""
    section: tuple[str, str | None] | None = None
    for line in _logical_lines(text.removeprefix("\ufeff")):
        rest = line.strip(_SPACE)
        if header := _SECTION.match(rest):
            section = _section_of(header)
            rest = rest[header.end() :].lstrip(_SPACE)
        elif rest.startswith("["):
            section = None  # what follows belongs to a section we cannot name
            continue
        key = _KEY.match(rest)
        if section is None or key is None:
            continue
        after = rest[key.end() :].lstrip(_SPACE)
        if not after or after[0] in "#;":
            yield ConfigValue(*section, key.group().lower(), None)
        elif after[0] == "=" and (value := _value(after[1:])) is not None:
            yield ConfigValue(*section, key.group().lower(), value)


def first_value(text: str, section: str, subsection: str | None, key: str) -> str | None:
    """Return the first non-empty value of one key, or None."""
    wanted = (section, subsection, key)
    for entry in read_config(text):
        if (entry.section, entry.subsection, entry.key) == wanted and entry.value:
            return entry.value
    return None


def _section_of(header: re.Match[str]) -> tuple[str, str | None]:
    name, quoted = header.group(1).lower(), header.group(2)
    if quoted is not None:
        return name, re.sub(r"\\(.)", r"\1", quoted)
    base, dot, subsection = name.partition(".")
    return base, subsection if dot else None


def _logical_lines(text: str) -> Iterator[str]:
    """Yield lines, joined where a value is continued by a backslash at the end."""
    parts: list[str] = []
    quoted = False
    for line in text.replace("\r\n", "\n").split("\n"):
        continues, quoted = _scan(line, quoted)
        if continues:
            parts.append(line[:-1])
            continue
        yield "".join([*parts, line])
        parts, quoted = [], False
    if parts:
        yield "".join(parts)


def _scan(line: str, quoted: bool) -> tuple[bool, bool]:
    """Tell whether a line goes on after its end, and whether a quotation is open there.

    It goes on when it ends in a backslash that neither a comment nor another backslash disarms.
    """
    escaped = False
    for character in line:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            return False, quoted
    return escaped, quoted


def _value(raw: str) -> str | None:
    """Return a value without comment, quotes and escapes, or None where git would refuse it."""
    out: list[str] = []
    quoted = False
    kept = 0  # length of the value up to its last character that is not unquoted white space
    characters = iter(raw.lstrip(_SPACE))
    for character in characters:
        if character == '"':
            quoted = not quoted
            kept = len(out)
            continue
        if character in "#;" and not quoted:
            break
        if character == "\\":
            escape = _ESCAPES.get(next(characters, ""))
            if escape is None:
                return None
            character = escape
            quoted_or_solid = True
        else:
            quoted_or_solid = quoted or character not in _SPACE
        out.append(character)
        if quoted_or_solid:
            kept = len(out)
    return None if quoted else "".join(out[:kept])
