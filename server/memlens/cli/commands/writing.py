"""remember, revise, restore, undo, forget, reactivate, organize, import."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from memlens.cli import render
from memlens.cli.context import current_directory, reported, with_repository
from memlens.cli.options import EntryId, EntryIds, Evidence, Json, Note, Personal, Reason
from memlens.cli.output import emit, write_json
from memlens.core.errors import InvalidInputError
from memlens.runtime import views
from memlens.runtime.api import EvidenceInput, Receipt, RememberRequest, ReviseRequest, StatedApplicability
from memlens.runtime.evidence import evidence_input
from memlens.runtime.importing import ImportItem, parse_lines
from memlens.runtime.repository import RepositoryMemory

Text = Annotated[str, typer.Argument(metavar="TEXT", help="What to keep; `-` reads it from standard input.")]


def remember(
    text: Text,
    kind: Annotated[
        str, typer.Option("--kind", "-k", help="constraint, preference, decision, fact, working_note, or your own.")
    ],
    evidence: Evidence = None,
    note: Note = None,
    applies: Annotated[
        list[str] | None,
        typer.Option("--applies", "-a", metavar="GLOB", help="Files it applies to, if not those its text names."),
    ] = None,
    reason: Reason = None,
    personal: Personal = False,
    json: Json = False,
) -> None:
    """Keep one entry in the repository's memory."""
    request = reported(
        lambda: RememberRequest(
            kind=kind,
            text=_text(text),
            evidence=_evidence(evidence, note),
            reason=reason,
            applies=StatedApplicability(paths=tuple(applies)) if applies else None,
            personal=personal,
        ),
        as_json=json,
    )
    receipt = with_repository(lambda repository: repository.remember(request), as_json=json, writes=True)
    emit(views.receipt(receipt), as_json=json, render=render.show_receipt)
    if not json and receipt.applies is not None:
        render.show_applies(receipt.applies, has_evidence=bool(evidence))


def revise(
    entry: EntryId,
    text: Text,
    kind: Annotated[str | None, typer.Option("--kind", "-k", help="A new kind; without it the old one stays.")] = None,
    version: Annotated[
        str | None, typer.Option("--version", metavar="ID", help="Revise only if this is still its current version.")
    ] = None,
    evidence: Evidence = None,
    note: Note = None,
    reason: Reason = None,
    json: Json = False,
) -> None:
    """Give an entry new wording: a new version; the old one stays in its history."""

    async def work(repository: RepositoryMemory) -> Receipt:
        entry_id = await repository.resolve(entry)
        request = ReviseRequest(entry_id, _text(text), kind, version, _evidence(evidence, note), reason)
        return await repository.revise(request)

    receipt = with_repository(work, as_json=json, writes=True)
    emit(views.receipt(receipt), as_json=json, render=render.show_receipt)


def restore(
    entry: EntryId,
    version: Annotated[str, typer.Argument(metavar="VERSION", help="A version's number or ID, as `history` has it.")],
    reason: Reason = None,
    json: Json = False,
) -> None:
    """Let an entry say again what an earlier version said: a new version; the evidence stays."""
    chosen = int(version) if version.isascii() and version.isdigit() else version

    async def work(repository: RepositoryMemory) -> Receipt:
        return await repository.restore(await repository.resolve(entry), chosen, reason)

    receipt = with_repository(work, as_json=json, writes=True)
    emit(views.receipt(receipt), as_json=json, render=render.show_receipt)


def undo(personal: Personal = False, json: Json = False) -> None:
    """Take back the last change of the repository's memory, if it was yours. Again: redo it."""
    receipts = with_repository(lambda repository: repository.undo(personal=personal), as_json=json, writes=True)
    emit([views.receipt(each) for each in receipts], as_json=json, render=render.show_receipts)


def organize(
    steps: Annotated[str, typer.Option("--steps", help="default (both), dedupe or normalize.")] = "default",
    personal: Personal = False,
    json: Json = False,
) -> None:
    """Make exact duplicates inactive, and bring references into normal form. Nothing is merged by meaning."""
    receipts = with_repository(
        lambda repository: repository.organize(steps, personal=personal), as_json=json, writes=True
    )
    emit([views.receipt(each) for each in receipts], as_json=json, render=render.show_organized)


def forget(entries: EntryIds, reason: Reason = None, json: Json = False) -> None:
    """Make entries inactive: no longer shown or found. Nothing is erased; `reactivate` brings them back."""
    _change(entries, lambda repository, ids: repository.forget(ids, reason), as_json=json)


def reactivate(entries: EntryIds, reason: Reason = None, json: Json = False) -> None:
    """Make forgotten entries active again, as they were."""
    _change(entries, lambda repository, ids: repository.reactivate(ids, reason), as_json=json)


def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="JSON lines; `-` is standard input.")] = "-",
    json: Json = True,
) -> None:
    """Keep entries from JSON lines: one Revision for all of them. Prints a JSON line for each, --json or not."""
    items = reported(lambda: list(parse_lines(_lines(file))), as_json=json)
    if not items:
        return
    receipts = with_repository(
        lambda repository: repository.remember_all([item.request for item in items]), as_json=json, writes=True
    )
    for item, receipt in zip(items, receipts, strict=True):
        write_json(_imported(item, receipt))


def _imported(item: ImportItem, receipt: Receipt) -> dict[str, object]:
    value = views.receipt(receipt)
    del value["changed"]
    return {"key": item.key, **value}


def _change(
    entries: Sequence[str],
    change: Callable[[RepositoryMemory, Sequence[str]], Awaitable[tuple[Receipt, ...]]],
    *,
    as_json: bool,
) -> None:
    async def work(repository: RepositoryMemory) -> tuple[Receipt, ...]:
        return await change(repository, [await repository.resolve(entry) for entry in entries])

    receipts = with_repository(work, as_json=as_json, writes=True)
    emit([views.receipt(each) for each in receipts], as_json=as_json, render=render.show_receipts)


MAX_TEXT_INPUT = 1 << 20
"""Bytes of standard input that are read as one text: far more than is kept, so that too much is said to be."""


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        raise InvalidInputError("Standard input is closed.")
    return sys.stdin.buffer


def _text(text: str) -> str:
    if text != "-":
        return text
    return _standard_input().read(MAX_TEXT_INPUT).decode("utf-8", "surrogateescape")


def _lines(file: str) -> Sequence[bytes]:
    if file == "-":
        return _standard_input().readlines()
    try:
        return Path(file).read_bytes().splitlines()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}.") from error


def _evidence(named: Sequence[str] | None, note: str | None) -> tuple[EvidenceInput, ...]:
    """Paths on the command line are relative to the current directory, like every command's."""
    given = [] if note is None else [EvidenceInput(note=note)]
    for words in named or ():
        each = evidence_input(words)
        given.append(
            EvidenceInput(
                path=str(current_directory() / (each.path or "")), start_line=each.start_line, end_line=each.end_line
            )
        )
    return tuple(given)
