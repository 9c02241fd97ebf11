"""The names of the commands, and the way to what they do, which is loaded only when it is needed."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from concurrent.futures import Executor
from types import ModuleType
from typing import TYPE_CHECKING, Any

from memlens.lsp.errors import InvalidArguments

if TYPE_CHECKING:
    from memlens.lsp.server import MemLensServer

COMMAND_NAMES = tuple(
    f"memlens.{name}"
    for name in (
        *("remember", "revise", "restore", "undo", "forget", "reactivate", "organize"),
        *("search", "expand", "changes", "history", "show", "overview", "verify", "bind", "status"),
    )
)

_IMPLEMENTATION = "memlens.lsp.commands.table"


class CommandDispatcher:
    """Runs commands by name. Validation brings pydantic, which would cost a fifth of the start-up time."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._loading: asyncio.Future[ModuleType] | None = None

    def preload(self) -> asyncio.Future[ModuleType]:
        """Load the implementation in the background, once."""
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = loop.run_in_executor(self._executor, importlib.import_module, _IMPLEMENTATION)
        return self._loading

    async def execute(self, ls: MemLensServer, name: str, arguments: Sequence[Any]) -> Any:
        """Run a command and return its JSON-ready result.

        Raises:
            InvalidArguments: there is no such command, or its arguments are not one object of the right shape.
            MemLensError: the command was refused.
        """
        if name not in COMMAND_NAMES:
            raise InvalidArguments(f"There is no command {name!r}. Known: {', '.join(COMMAND_NAMES)}.")
        if len(arguments) > 1:
            raise InvalidArguments(f"{name} takes one object with named arguments, not {len(arguments)} values.")
        table = await asyncio.shield(self.preload())
        argument = arguments[0] if arguments else {}
        return await table.run(ls, name, {} if argument is None else argument)
