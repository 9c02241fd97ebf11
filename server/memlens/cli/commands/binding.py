"""bind: which memory a repository has."""

from __future__ import annotations

from typing import Annotated

import typer

from memlens.cli import render
from memlens.cli.context import with_repository
from memlens.cli.options import Json
from memlens.cli.output import emit
from memlens.runtime.api import BindRequest


def bind(
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Let this clone have the memory of the remote that it names.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="KEY", help="Let this repository have the memory of a key or an Artifact ID."),
    ] = None,
    forget_clone: Annotated[
        str | None, typer.Option("--forget-clone", metavar="PLACE", help="Let a known clone be unknown again.")
    ] = None,
    json: Json = False,
) -> None:
    """Show which memory this repository has, under which keys and in which clones; or change that."""
    request = BindRequest(confirm, to, forget_clone)
    described = with_repository(
        lambda repository: repository.bind(request), as_json=json, writes=request != BindRequest(), notes=False
    )
    emit(described, as_json=json, render=render.show_binding)
