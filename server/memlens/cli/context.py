"""Running a command: the directory it runs in, the runtime it opens, the errors it reports."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import typer

from memlens.app import open_runtime
from memlens.cli.output import EXIT_FAILED, error_details, write_error, write_warning
from memlens.core.errors import InvalidInputError, MemLensError
from memlens.runtime.repository import RepositoryMemory
from memlens.runtime.runtime import Runtime

Result = TypeVar("Result")


def change_directory(directory: Path) -> None:
    """Run as if started in ``directory``, like git's ``-C``. Raises InvalidInputError."""
    try:
        os.chdir(directory)
    except OSError as error:
        raise InvalidInputError(f"-C {directory}: {error.strerror}.") from error


def current_directory() -> Path:
    """Return the current directory. Raises InvalidInputError when it was deleted."""
    try:
        return Path.cwd()
    except OSError as error:
        raise InvalidInputError(f"The current directory is not there ({error.strerror}): change it.") from error


def with_repository(
    work: Callable[[RepositoryMemory], Awaitable[Result]], *, as_json: bool, writes: bool = False, notes: bool = True
) -> Result:
    """Run ``work`` on the memory of the current directory's repository.

    A command that reads says on stderr, once it is done, why there was nothing where somebody must confirm the
    clone; one whose result says so itself does without (``notes``).
    """

    async def on_runtime(runtime: Runtime) -> Result:
        repository = await runtime.repository(current_directory())
        if not as_json:
            for warning in repository.warnings:
                write_warning(f"{warning.source}: {warning.message}")
        result = await work(repository)
        if notes and not writes and (notice := await repository.unconfirmed()):
            write_warning(notice)
        return result

    return with_runtime(on_runtime, as_json=as_json, writes=writes)


def with_runtime(work: Callable[[Runtime], Awaitable[Result]], *, as_json: bool, writes: bool = False) -> Result:
    """Run ``work`` on an open runtime; a typed error ends the command with its message and exit code 1."""

    async def run() -> Result:
        runtime = await open_runtime(create=writes)
        try:
            return await work(runtime)
        finally:
            await runtime.close()

    return reported(lambda: asyncio.run(run()), as_json=as_json)


def reported(work: Callable[[], Result], *, as_json: bool) -> Result:
    """Run ``work``, turning a typed error into a message and an exit code."""
    try:
        return work()
    except MemLensError as error:
        write_error(error.code, str(error), as_json=as_json, **error_details(error))
        raise typer.Exit(EXIT_FAILED) from error
    except (OSError, UnicodeError, MemoryError) as error:
        # What no layer below has a better word for; a broken pipe is the reader's business.
        if isinstance(error, BrokenPipeError):
            raise
        write_error("system_error", f"{_system_cause(error)}.", as_json=as_json)
        raise typer.Exit(EXIT_FAILED) from error


def _system_cause(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return "There is not enough memory for this" if isinstance(error, MemoryError) else str(error)
