"""The command line's entry point (docs/cli.md)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from memlens import __version__
from memlens.cli.commands import binding, examining, reading, serving, writing
from memlens.cli.context import change_directory, reported

application = typer.Typer(
    name="memlens",
    help="A repository's durable memory, shown where you edit.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"memlens {__version__}")
        raise typer.Exit


@application.callback()
def options(
    directory: Annotated[
        Path | None, typer.Option("-C", metavar="DIR", help="Run as if started in this directory.")
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Take the options before the command."""
    if directory is not None:
        reported(lambda: change_directory(directory), as_json="--json" in sys.argv)


for name, command in (
    ("lsp", serving.lsp),
    ("show", reading.show),
    ("remember", writing.remember),
    ("revise", writing.revise),
    ("restore", writing.restore),
    ("undo", writing.undo),
    ("forget", writing.forget),
    ("reactivate", writing.reactivate),
    ("organize", writing.organize),
    ("import", writing.import_),
    ("export", reading.export),
    ("search", reading.search),
    ("expand", reading.expand),
    ("changes", reading.changes),
    ("history", reading.history),
    ("overview", reading.overview),
    ("bind", binding.bind),
    ("verify", reading.verify),
    ("doctor", examining.doctor),
    ("status", reading.status),
):
    application.command(name)(command)


def run(arguments: Sequence[str]) -> None:
    """Run one command and end the process: 0 done, 1 failed, 2 wrong usage, 3 problems found (docs/cli.md)."""
    application(args=list(arguments), prog_name="memlens")
