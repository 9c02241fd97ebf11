"""doctor: what is wrong, and the way out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memlens.cli import render
from memlens.cli.context import with_runtime
from memlens.cli.options import Json
from memlens.cli.output import EXIT_PROBLEMS, emit
from memlens.runtime.doctor.doctor import examine


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="First build the search index anew from the entries, in one transaction.")
    ] = False,
    json: Json = False,
) -> None:
    """Check the surroundings, the database and this repository's memory. Exit code 3 when there is a problem."""
    found = with_runtime(lambda runtime: examine(runtime, Path.cwd(), repair=repair), as_json=json)
    emit(found, as_json=json, render=render.show_examination)
    if not found["ok"]:
        raise typer.Exit(EXIT_PROBLEMS)
