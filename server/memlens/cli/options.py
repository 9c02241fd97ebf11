"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of lines for people.")]
Reason = Annotated[str | None, typer.Option("--reason", help="Why, for the history: at most 512 characters.")]
Personal = Annotated[bool, typer.Option("--personal", help="In your own memory instead of the repository's.")]
EntryIds = Annotated[list[str], typer.Argument(metavar="ENTRY", help="Entry IDs, or their last characters.")]
EntryId = Annotated[str, typer.Argument(metavar="ENTRY", help="An entry ID, or its last characters.")]
Evidence = Annotated[
    list[str] | None,
    typer.Option("--evidence", "-e", metavar="PATH", help="A file that supports it, or lines of one: PATH#L10-L20."),
]
Note = Annotated[
    str | None, typer.Option("--note", metavar="WORDS", help="What somebody said that supports it, kept as evidence.")
]
