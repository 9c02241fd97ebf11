"""What each command does: arguments checked, one call of the repository, a JSON-ready result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memlens.lsp.commands.arguments import (
    BindArguments,
    ChangesArguments,
    CommandArguments,
    EntriesArguments,
    ExpandArguments,
    HistoryArguments,
    NoArguments,
    OrganizeArguments,
    RememberArguments,
    RestoreArguments,
    ReviseArguments,
    ScopeArguments,
    SearchArguments,
    ShowArguments,
    checked,
)
from memlens.lsp.commands.evidence import evidence_of
from memlens.lsp.commands.shown import shown_file
from memlens.lsp.errors import InvalidArguments
from memlens.runtime import views
from memlens.runtime.api import BindRequest, Receipt, RememberRequest, ReviseRequest

if TYPE_CHECKING:
    from memlens.lsp.runtime_port import RepositoryPort
    from memlens.lsp.server import MemLensServer

Command = Callable[["MemLensServer", str, Any], Awaitable[Any]]


async def run(ls: MemLensServer, name: str, argument: Any) -> Any:
    """Run the command ``name``, which exists."""
    return await _COMMANDS[name](ls, name, argument)


async def _remember(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(RememberArguments, name, argument)
    repository = await _repository(ls, arguments)
    request = RememberRequest(
        kind=arguments.kind,
        text=arguments.text,
        evidence=await evidence_of(ls, repository, arguments),
        reason=arguments.reason,
        applies=arguments.applies.stated() if arguments.applies else None,
        personal=arguments.scope == "user",
    )
    return views.receipt(await ls.finish(repository.remember(request)))


async def _revise(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(ReviseArguments, name, argument)
    repository = await _repository(ls, arguments)
    request = ReviseRequest(
        entry_id=arguments.entry_id,
        text=arguments.text,
        kind=arguments.kind,
        entry_version_id=arguments.entry_version_id,
        evidence=await evidence_of(ls, repository, arguments),
        reason=arguments.reason,
    )
    return views.receipt(await ls.finish(repository.revise(request)))


async def _restore(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(RestoreArguments, name, argument)
    repository = await _repository(ls, arguments)
    return views.receipt(await ls.finish(repository.restore(arguments.entry_id, arguments.version, arguments.reason)))


async def _undo(ls: MemLensServer, name: str, argument: Any) -> Sequence[Mapping[str, Any]]:
    arguments = checked(ScopeArguments, name, argument)
    repository = await _repository(ls, arguments)
    receipts = await ls.finish(repository.undo(personal=arguments.scope == "user"))
    return [views.receipt(receipt) for receipt in receipts]


async def _organize(ls: MemLensServer, name: str, argument: Any) -> Sequence[Mapping[str, Any]]:
    arguments = checked(OrganizeArguments, name, argument)
    repository = await _repository(ls, arguments)
    receipts = await ls.finish(repository.organize(arguments.steps, personal=arguments.scope == "user"))
    return [views.receipt(receipt) for receipt in receipts]


async def _forget(ls: MemLensServer, name: str, argument: Any) -> Any:
    arguments = checked(EntriesArguments, name, argument)
    repository = await _repository(ls, arguments)
    receipts = await ls.finish(repository.forget(_entry_ids(arguments, name), arguments.reason))
    return _receipts_json(arguments, receipts)


async def _reactivate(ls: MemLensServer, name: str, argument: Any) -> Any:
    arguments = checked(EntriesArguments, name, argument)
    repository = await _repository(ls, arguments)
    receipts = await ls.finish(repository.reactivate(_entry_ids(arguments, name), arguments.reason))
    return _receipts_json(arguments, receipts)


async def _search(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(SearchArguments, name, argument)
    repository = await _repository(ls, arguments)
    return await repository.search(arguments.query, arguments.mode, arguments.limit)


async def _expand(ls: MemLensServer, name: str, argument: Any) -> Sequence[Mapping[str, Any]]:
    arguments = checked(ExpandArguments, name, argument)
    repository = await _repository(ls, arguments)
    return list(await repository.expand([citation.citation() for citation in arguments.citations]))


async def _changes(ls: MemLensServer, name: str, argument: Any) -> Sequence[Mapping[str, Any]]:
    arguments = checked(ChangesArguments, name, argument)
    return await (await _repository(ls, arguments)).changes(arguments.since_revision)


async def _history(ls: MemLensServer, name: str, argument: Any) -> Sequence[Mapping[str, Any]]:
    arguments = checked(HistoryArguments, name, argument)
    return await (await _repository(ls, arguments)).history(arguments.entry_id)


async def _show(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    return await shown_file(ls, checked(ShowArguments, name, argument).uri)


async def _overview(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(CommandArguments, name, argument)
    return await (await _repository(ls, arguments)).documents.overview_json()


async def _verify(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    checked(NoArguments, name, argument)
    return await (await ls.memory.retried_runtime()).verify()


async def _bind(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(BindArguments, name, argument)
    repository = await _repository(ls, arguments)
    request = BindRequest(arguments.confirm, arguments.to, arguments.forget_clone)
    return await ls.finish(repository.bind(request))


async def _status(ls: MemLensServer, name: str, argument: Any) -> Mapping[str, Any]:
    arguments = checked(CommandArguments, name, argument)
    return await (await _repository(ls, arguments)).status()


async def _repository(ls: MemLensServer, arguments: CommandArguments) -> RepositoryPort:
    return await ls.memory.for_command(arguments.uri, arguments.folder)


def _entry_ids(arguments: EntriesArguments, name: str) -> Sequence[str]:
    if (arguments.entry_id is None) == (arguments.entry_ids is None):
        raise InvalidArguments(f"The argument of {name} is wrong: give either entry_id or entry_ids.")
    return [arguments.entry_id] if arguments.entry_id is not None else list(arguments.entry_ids or ())


def _receipts_json(arguments: EntriesArguments, receipts: Sequence[Receipt]) -> Any:
    """Return one object for ``entry_id`` and a list of them for ``entry_ids``."""
    results = [views.receipt(receipt) for receipt in receipts]
    return results[0] if arguments.entry_id is not None else results


_COMMANDS: Mapping[str, Command] = {
    "memlens.remember": _remember,
    "memlens.revise": _revise,
    "memlens.restore": _restore,
    "memlens.undo": _undo,
    "memlens.forget": _forget,
    "memlens.reactivate": _reactivate,
    "memlens.organize": _organize,
    "memlens.search": _search,
    "memlens.expand": _expand,
    "memlens.changes": _changes,
    "memlens.history": _history,
    "memlens.show": _show,
    "memlens.overview": _overview,
    "memlens.verify": _verify,
    "memlens.bind": _bind,
    "memlens.status": _status,
}
