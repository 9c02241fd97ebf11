"""The arguments of the commands: one object each, checked before anything happens."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.lsp.errors import InvalidArguments
from memlens.lsp.text import without_surrogates
from memlens.runtime.importing import Applies

MAX_SEARCH_LIMIT = 1000


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("Input should be a valid string")  # noqa: TRY004 -- pydantic takes ValueError
    return value


RawText = Annotated[str, PlainValidator(_string)]
"""Text that the memory itself judges: a lone surrogate in it is a typed error there, not a wrong shape here."""
QueryText = Annotated[str, PlainValidator(lambda value: without_surrogates(_string(value)))]
Count = Annotated[int, Field(ge=1, le=MAX_SEARCH_LIMIT)]
LineNumber = Annotated[int, Field(ge=1)]
Index = Annotated[int, Field(ge=0)]
EntryIds = Annotated[list[str], Field(min_length=1)]


class _Object(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PositionArgument(_Object):
    """A position of LSP."""

    line: Index
    character: Index


class RangeArgument(_Object):
    """A range of LSP: 0-based, the end exclusive."""

    start: PositionArgument
    end: PositionArgument


class EvidenceArgument(_Object):
    """Lines of a file, from 1, inclusive; without them the whole file."""

    path: str
    start_line: LineNumber | None = None
    end_line: LineNumber | None = None


class RefArgument(_Object):
    """One exact Revision of one Memory."""

    artifact_id: str
    revision: Annotated[int, Field(ge=1)]


class CitationArgument(_Object):
    """One exact entry version."""

    memory_ref: RefArgument
    entry_id: str
    entry_version_id: str

    def citation(self) -> EntryCitation:
        """Return it as the domain has it."""
        ref = ArtifactRef(self.memory_ref.artifact_id, self.memory_ref.revision)
        return EntryCitation(ref, self.entry_id, self.entry_version_id)


class CommandArguments(_Object):
    """What every command takes: ``uri`` or ``folder`` choose the repository when several are open."""

    uri: str | None = None
    folder: str | None = None


class EvidencedArguments(CommandArguments):
    """A write with evidence. ``range`` is evidence in the document ``uri``, ``note`` what a person said."""

    range: RangeArgument | None = None
    evidence: list[str | EvidenceArgument] = []
    note: RawText | None = None
    reason: RawText | None = None


class RememberArguments(EvidencedArguments):
    """``memlens.remember``."""

    kind: str
    text: RawText
    applies: Applies | None = None
    scope: Literal["repo", "user"] = "repo"


class ReviseArguments(EvidencedArguments):
    """``memlens.revise``."""

    entry_id: str
    entry_version_id: str | None = None
    kind: str | None = None
    text: RawText | None = None


class RestoreArguments(CommandArguments):
    """``memlens.restore``: ``version`` is a number or an entry_version_id."""

    entry_id: str
    version: Annotated[int, Field(ge=1)] | str
    reason: RawText | None = None


class ScopeArguments(CommandArguments):
    """``memlens.undo``: in the repository's memory, or in the person's own."""

    scope: Literal["repo", "user"] = "repo"


class OrganizeArguments(ScopeArguments):
    """``memlens.organize``."""

    steps: Literal["default", "dedupe", "normalize"] = "default"


class EntriesArguments(CommandArguments):
    """``memlens.forget`` and ``memlens.reactivate``: one entry, or several in one Revision."""

    entry_id: str | None = None
    entry_ids: EntryIds | None = None
    reason: RawText | None = None


class SearchArguments(CommandArguments):
    """``memlens.search``."""

    query: QueryText
    mode: str = "auto"
    limit: Count = 8


class ExpandArguments(CommandArguments):
    """``memlens.expand``."""

    citations: Annotated[list[CitationArgument], Field(min_length=1)]


class ChangesArguments(CommandArguments):
    """``memlens.changes``: all after a Revision; without one, what the last one changed."""

    since_revision: Index | None = None


class HistoryArguments(CommandArguments):
    """``memlens.history``."""

    entry_id: str


class NoArguments(_Object):
    """``memlens.verify``, which is about the whole database."""


class ShowArguments(_Object):
    """``memlens.show``: the file says which repository is meant."""

    uri: str


class BindArguments(CommandArguments):
    """``memlens.bind``: without any of these it changes nothing."""

    confirm: bool = False
    to: str | None = None
    forget_clone: str | None = None


_Arguments = TypeVar("_Arguments", bound=_Object)


def checked(model: type[_Arguments], name: str, argument: Any) -> _Arguments:
    """Return ``argument`` as ``model``. Raises InvalidArguments that names each wrong part, and quotes no value."""
    try:
        return model.model_validate(argument)
    except ValidationError as error:
        parts = [_part(problem["loc"], problem["msg"]) for problem in error.errors(include_url=False)[:5]]
        raise InvalidArguments(f"The argument of {name} is wrong: {'; '.join(parts)}.") from None


def _part(location: tuple[int | str, ...], message: str) -> str:
    return f"{'.'.join(map(str, location))}: {message}" if location else message
