"""What the definition of a configuration key is: its path of names, and the line that sets it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeyDefinition:
    """A line (0-based) on which the key at ``path``, outermost name first, is set; or the header of that table."""

    path: tuple[str, ...]
    line: int
