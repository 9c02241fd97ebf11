"""Errors that say which of several things they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memlens.core.errors import InvalidInputError


@contextmanager
def named(label: str | None) -> Iterator[None]:
    """Put ``label`` in front of the message of an input error that is raised inside."""
    try:
        yield
    except InvalidInputError as error:
        if label is not None and error.args:
            error.args = (f"{label}: {error.args[0]}", *error.args[1:])
        raise
