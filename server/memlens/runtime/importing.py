"""JSON lines that ``memlens import`` reads (spec 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memlens.core.errors import InvalidInputError
from memlens.runtime.api import EvidenceInput, RememberRequest, StatedApplicability
from memlens.runtime.evidence import evidence_input

MAX_EXACT_INTEGER = 2**53 - 1
"""A larger number changes on its way through JSON."""


class Applies(BaseModel):
    """The object ``applies`` of a line, and of the editor's commands."""

    model_config = ConfigDict(extra="forbid")

    paths: list[str] = Field(default_factory=list)
    kinds: list[str] = Field(default_factory=list)
    symbols: list[str] = Field(default_factory=list)
    commands: list[str] = Field(default_factory=list)
    keys: list[str] = Field(default_factory=list)
    origin: Literal["proposed", "confirmed", "pinned", "muted"] = "confirmed"

    def stated(self) -> StatedApplicability:
        """Return the value that the runtime takes."""
        return StatedApplicability(
            tuple(self.paths),
            tuple(self.kinds),
            tuple(self.symbols),
            tuple(self.commands),
            tuple(self.keys),
            self.origin,
        )


class ImportLine(BaseModel):
    """One line. Members that are not named here are ignored, so that richer exports can be read."""

    model_config = ConfigDict(extra="ignore", strict=True)

    kind: str
    text: str
    key: str | Annotated[int, Field(ge=-MAX_EXACT_INTEGER, le=MAX_EXACT_INTEGER)] | None = None
    evidence: list[str | dict[str, Any]] = Field(default_factory=list)
    scope: Literal["repo", "user"] = "repo"
    reason: str | None = None
    applies: Applies | None = None


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One entry to import, with the caller's own key for it."""

    key: str | int | None
    request: RememberRequest


def parse_lines(lines: Iterable[bytes]) -> Iterator[ImportItem]:
    """Yield the entries of JSON lines; blank lines are passed over.

    Raises InvalidInputError that names the line and what is wrong with it.
    """
    for number, line in enumerate(lines, start=1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if text:
            yield _parse(number, text)


def _parse(number: int, text: bytes) -> ImportItem:
    try:
        line = ImportLine.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInputError(f"Line {number}{f', {where}' if where else ''}: {first['msg']}.") from error
    request = RememberRequest(
        kind=line.kind,
        text=line.text,
        evidence=tuple(map(_evidence, line.evidence)),
        reason=line.reason,
        applies=line.applies.stated() if line.applies else None,
        personal=line.scope == "user",
        label=f"Line {number}" if line.key is None else f"Line {number} (key {line.key!r})",
    )
    return ImportItem(line.key, request)


def _evidence(value: str | Mapping[str, Any]) -> EvidenceInput:
    return evidence_input(value) if isinstance(value, str) else EvidenceInput(source=value)
