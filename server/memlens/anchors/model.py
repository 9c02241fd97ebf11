"""What an anchor is, and what an entry applies to (spec 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """Which rule tied an entry to a place; reported as ``rule`` by ``memlens show --json``."""

    PATH = "path"
    GLOB = "glob"
    COMMAND = "command"
    SYMBOL = "symbol"
    KEY = "key"
    EVIDENCE = "evidence"
    STATED = "stated"
    """Somebody stated the applicability: it was imported, confirmed or corrected, not proposed."""


class TargetKind(StrEnum):
    """What kind of thing a target names."""

    PATH = "path"
    """A path or glob relative to the repository root; a trailing ``/`` means the directory and all below it."""
    FILE_KIND = "kind"
    SYMBOL = "symbol"
    """A symbol as code names it, e.g. ``Client.send`` or ``MAX_RETRIES``."""
    COMMAND = "command"
    """A command as a person types it, e.g. ``make docs-test`` or ``npm run lint``."""
    KEY = "key"
    """A configuration key, e.g. ``tool.ruff.line-length`` or ``mkdocs.yml#nav``."""


class Origin(StrEnum):
    """Who decided an applicability (spec 2.1)."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    PINNED = "pinned"
    MUTED = "muted"


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that an entry applies to.

    ``mention`` is the wording in the entry's text that it was read from, empty when it was stated.
    """

    kind: TargetKind
    value: str
    rule: Rule
    mention: str = ""


@dataclass(frozen=True, slots=True)
class Applicability:
    """The targets of one entry from one origin. Outside the canonical content of the Memory."""

    origin: Origin
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class EvidencePlace:
    """Where one Source of an entry came from.

    ``path`` is relative to the repository root with ``/``; ``excerpt`` is the text that supports the entry, with
    its 1-based ``start_line`` when it was taken, or None when the Source is the file as a whole. ``touched`` says
    that the file was only touched by a commit: a weak anchor.
    """

    source_id: str
    path: str
    excerpt: str | None = None
    start_line: int | None = None
    touched: bool = False


@dataclass(frozen=True, slots=True)
class AnchorEntry:
    """What anchoring needs to know of one active entry."""

    entry_id: str
    kind: str
    text: str
    applicability: tuple[Applicability, ...]
    evidence: tuple[EvidencePlace, ...]


class Strength(StrEnum):
    """Strong anchors show by default; weak ones only in hover."""

    STRONG = "strong"
    WEAK = "weak"


@dataclass(frozen=True, slots=True)
class Anchor:
    """One entry tied to one place of one file.

    ``start_line`` and ``end_line`` are 0-based and inclusive, and None for an anchor on the whole file. ``why``
    is one sentence in words.
    """

    entry_id: str
    rule: Rule
    strength: Strength
    why: str
    start_line: int | None = None
    end_line: int | None = None

    @property
    def is_file_level(self) -> bool:
        """Whether the anchor is on the whole file."""
        return self.start_line is None
