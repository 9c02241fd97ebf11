"""show, search, expand, changes, history, overview, export, verify, status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from memlens.cli import annotate, render
from memlens.cli.context import current_directory, reported, with_repository, with_runtime
from memlens.cli.options import EntryId, Json
from memlens.cli.output import EXIT_FAILED, EXIT_PROBLEMS, emit, write_error, write_json, write_warning
from memlens.core.errors import InvalidCitationError, InvalidInputError
from memlens.core.lines import split_lines
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.queries.documents.markdown import overview_document
from memlens.queries.documents.model import Overview
from memlens.queries.model import FileView
from memlens.queries.show import show as show_view
from memlens.queries.view import view_file
from memlens.runtime import views
from memlens.runtime.exporting import Scope
from memlens.runtime.repository import RepositoryMemory
from memlens.workspace.files import is_file

_CITATION = re.compile(
    r"(?:memlens:)?(?P<artifact>[\x21-\x2e\x30-\x7e]{1,128})@(?P<revision>[1-9][0-9]{0,17})"
    r"/(?P<entry>[\x21-\x2e\x30-\x7e]{1,128})/(?P<version>[\x21-\x2e\x30-\x7e]{1,128})"
)
"""One spelling for one citation: an altered one must not verify."""


def show(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files, relative to the current directory.")],
    json: Json = False,
) -> None:
    """Show files with the memory that applies to them, as an editor would."""

    async def work(repository: RepositoryMemory) -> list[tuple[str, FileView, Sequence[str]] | None]:
        await repository.refresh()
        return [_view(repository, path) for path in paths]

    shown = with_repository(work, as_json=json)
    for view in filter(None, shown):
        if json:
            write_json({**show_view(view[1]), "path": view[0]})
        else:
            annotate.print_file(*view)
    if None in shown:
        missing = ", ".join(path for path, view in zip(paths, shown, strict=True) if view is None)
        write_error("invalid_input", f"No such file in this repository: {missing}.", as_json=json)
        raise typer.Exit(EXIT_FAILED)


def _view(repository: RepositoryMemory, path: str) -> tuple[str, FileView, Sequence[str]] | None:
    """Return the view of one file; without anchors for one that is not shown, None for one that is not there."""
    relative = repository.relative(current_directory() / path)
    if relative is None or not is_file(repository.root / relative):
        return None
    text = repository.read_text(relative) if repository.is_shown(relative) else None
    if text is None:
        return path, FileView(relative, 0, (), {}), ()
    lines = split_lines(text)
    return path, view_file(repository.snapshot(), relative, lines), lines


def search(
    query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words to look for.")],
    mode: Annotated[str, typer.Option("--mode", "-m", help="auto, fts, vector or hybrid.")] = "auto",
    limit: Annotated[int, typer.Option("--limit", "-n", help="At most this many hits.")] = 8,
    json: Json = False,
) -> None:
    """Search the active entries, best first."""
    found = with_repository(
        lambda repository: repository.search(" ".join(query), mode, limit), as_json=json, notes=False
    )
    emit(found, as_json=json, render=render.show_search)


def expand(
    citations: Annotated[
        list[str], typer.Argument(metavar="CITATION", help="ARTIFACT@REVISION/ENTRY/VERSION, `memlens:` allowed.")
    ],
    json: Json = False,
) -> None:
    """Show exactly the cited entry versions, verified, with their evidence."""
    parsed = reported(lambda: list(map(_citation, citations)), as_json=json)
    found = with_repository(lambda repository: repository.expand(parsed), as_json=json)
    emit(found, as_json=json, render=render.show_expanded)


def _citation(words: str) -> EntryCitation:
    found = _CITATION.fullmatch(words)
    if found is None:
        raise InvalidCitationError(f"{words!r} is no citation: memlens:ARTIFACT@REVISION/ENTRY/VERSION is.")
    ref = ArtifactRef(found["artifact"], int(found["revision"]))
    return EntryCitation(ref, found["entry"], found["version"])


def changes(
    since: Annotated[
        int | None, typer.Option("--since", metavar="REVISION", help="Only after this Revision; 0 is the beginning.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what the last Revision changed, or all since another one."""
    found = with_repository(lambda repository: repository.changes(since), as_json=json)
    emit(found, as_json=json, render=render.show_changes)


def history(entry: EntryId, json: Json = False) -> None:
    """Show what happened to one entry: every version, when and by whom."""

    async def work(repository: RepositoryMemory) -> list[dict[str, Any]]:
        return await repository.history(await repository.resolve(entry))

    emit(with_repository(work, as_json=json), as_json=json, render=render.show_history)


def overview(json: Json = False) -> None:
    """Show everything remembered, by kind: where it applies, and what has gone stale."""

    async def work(repository: RepositoryMemory) -> Overview:
        await repository.refresh()
        return await repository.documents.overview()

    found = with_repository(work, as_json=json, notes=False)
    if json:
        write_json(views.overview(found))
    else:
        render.show_document(overview_document(found))


def export(
    personal: Annotated[bool, typer.Option("--personal", help="Only your own memory.")] = False,
    repo_only: Annotated[bool, typer.Option("--repo-only", help="Only the repository's memory.")] = False,
    json: Json = True,
) -> None:
    """Print the active entries as JSON lines that `import` reads back. Exit code 3 when damaged ones are left out."""

    async def work(repository: RepositoryMemory) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
        if personal and repo_only:
            raise InvalidInputError("--personal and --repo-only leave nothing to export: give one of them.")
        await repository.refresh()
        return await repository.export(_exported(personal=personal, repo_only=repo_only)), repository.damaged

    lines, damaged = with_repository(work, as_json=json, notes=not personal)
    for line in lines:
        write_json(line)
    if damaged:
        write_warning(f"Damaged entries are left out: {', '.join(damaged)}. `memlens doctor` says more.")
        raise typer.Exit(EXIT_PROBLEMS)


def _exported(*, personal: bool, repo_only: bool) -> tuple[Scope, ...]:
    return ("user",) if personal else ("repo",) if repo_only else ("repo", "user")


def verify(json: Json = False) -> None:
    """Check every Revision, body, Source and index of the database. Exit code 3 when something is wrong."""
    report = with_runtime(lambda runtime: runtime.verify(), as_json=json)
    emit(report, as_json=json, render=render.show_report)
    if not report["ok"]:
        raise typer.Exit(EXIT_PROBLEMS)


def status(json: Json = False) -> None:
    """Show which repository this is, what is remembered of it, and where."""

    emit(
        with_repository(lambda repository: repository.status(), as_json=json, notes=False),
        as_json=json,
        render=render.show_status,
    )
