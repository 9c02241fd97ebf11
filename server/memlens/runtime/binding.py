"""From a folder to the Memory that it has, or may have once a person confirmed it (spec 2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from memlens.core.errors import InvalidInputError, MemLensError, UnconfirmedCloneError
from memlens.runtime.api import BindRequest
from memlens.storage.bindings import BindingStore, Claim, Standing
from memlens.workspace.identity import RepositoryIdentity


class KeptName(Protocol):
    """A name that is made once and then kept in a file."""

    def __call__(self, *, create: bool) -> str | None:
        """Return the name, or None when there is none yet. Raises HomeError. May touch the disk."""
        ...


class Binding(Protocol):
    """Finds the Artifact of one memory."""

    async def artifact_id(self) -> str | None:
        """Return the Artifact that may be read, reserved or real, or None."""
        ...

    async def reserve(self) -> str:
        """Return the Artifact that may be written, reserving one first if there is none."""
        ...


class PersonalBinding:
    """The person's own memory; once found it stays the same."""

    def __init__(self, key: KeptName, store: BindingStore, actor: str) -> None:
        """Bind the key that ``key`` finds."""
        self._key = key
        self._store = store
        self._actor = actor
        self._artifact_id: str | None = None

    async def artifact_id(self) -> str | None:
        """Return the bound Artifact, or None while nothing was ever written."""
        if self._artifact_id is None:
            key = await asyncio.to_thread(self._key, create=False)
            self._artifact_id = await self._store.artifact_of(key) if key else None
        return self._artifact_id

    async def reserve(self) -> str:
        """Return the bound Artifact, binding one first if there is none."""
        if await self.artifact_id() is None:
            key = await asyncio.to_thread(self._key, create=True)
            assert key is not None  # noqa: S101  that is what create asks for
            self._artifact_id = await self._store.reserve_key(key, self._actor)
        assert self._artifact_id is not None  # noqa: S101  found or reserved
        return self._artifact_id


class RepositoryBinding:
    """The memory of one repository root.

    What it stands at is read each time: another process may confirm or rebind it. Where that is allowed and the
    database can be written, an alias and a known clone are recorded as soon as they are met.
    """

    def __init__(
        self,
        identity: RepositoryIdentity,
        machine: KeptName,
        store: BindingStore,
        actor: str,
        is_writable: Callable[[], bool],
    ) -> None:
        """Bind ``identity``; ``machine`` names this machine, ``is_writable`` tells whether the database is."""
        self._identity = identity
        self._machine = machine
        self._store = store
        self._actor = actor
        self._is_writable = is_writable
        self._machine_name: str | None = None

    async def standing(self) -> Standing:
        """Return what the repository stands at, recording what is known of it by now."""
        claim = await self._claim(create=False)
        standing = await self._store.standing(claim)
        if claim.machine is None and standing.state != "unbound":
            # The name is made before it is stored anywhere: whoever bound this meanwhile has made it.
            standing = await self._store.standing(await self._claim(create=False))
        if standing.is_settled or not await asyncio.to_thread(self._is_writable):
            return standing
        with suppress(MemLensError):  # it reads as well without the record
            await self._store.reserve(await self._claim(create=True), self._actor)
        return standing

    async def artifact_id(self) -> str | None:
        """Return the Artifact that may be read, or None."""
        return (await self.standing()).artifact_id

    async def reserve(self) -> str:
        """Return the Artifact that may be written. Raises UnconfirmedCloneError."""
        standing = await self.standing()
        if standing.artifact_id is not None:
            return standing.artifact_id
        self.require_confirmed(standing)
        return await self._store.reserve(await self._claim(create=True), self._actor)

    def require_confirmed(self, standing: Standing) -> None:
        """Raise UnconfirmedCloneError, which says what to run, unless the clone may have its memory."""
        if standing.state == "unconfirmed":
            raise UnconfirmedCloneError(self.note(standing))

    def note(self, standing: Standing) -> str | None:
        """Say in words what a person should know about the binding, and what to do; None when all is as expected."""
        name = self._identity.remote or self._identity.key
        if standing.state == "unconfirmed":
            return f"{_unconfirmed(name, standing)} Until then nothing of that memory is read, shown or written here."
        if standing.apart is not None:
            return (
                f"This repository keeps the memory that it had before it got the remote {name}, which has another "
                "one: run `memlens bind --confirm` to change to that, and nothing to keep both apart."
            )
        if standing.formerly:
            return (
                f"Nothing is remembered of {name}, but this clone has the memory of {', '.join(standing.formerly)}: "
                f"if it is the same project under a new name, run `memlens bind --to {standing.formerly[0]}`."
            )
        return None

    async def change(self, request: BindRequest) -> str | None:
        """Do what ``request`` asks for; returns the Artifact that the key led to before a rebinding.

        Raises InvalidInputError, ArtifactNotFoundError.
        """
        asked = [request.confirm, request.to is not None, request.forget_clone is not None]
        if sum(asked) > 1:
            raise InvalidInputError("Ask for one thing at a time: confirm, bind to another memory, or forget a clone.")
        claim = await self._claim(create=any(asked))
        if request.confirm:
            await self._store.confirm(claim, self._actor)
        elif request.to is not None:
            return await self._store.rebind(claim, request.to, self._actor)
        elif request.forget_clone is not None and not await self._store.forget_clone(claim, request.forget_clone):
            raise InvalidInputError(f"{request.forget_clone} is no known clone: `memlens bind` lists them.")
        return None

    async def describe(self) -> dict[str, Any]:
        """Return the binding with every key and clone of its memory, ready for JSON."""
        standing = await self.standing()
        artifact_id = standing.artifact_id or standing.withheld
        names = await self._store.names(artifact_id) if artifact_id else None
        return {
            **self.summary(standing),
            "keys": [
                {"key": row.binding_key, "bound_at": row.created_at, "actor": row.actor}
                for row in (names.keys if names else ())
            ],
            "clones": [
                {
                    "place": row.place,
                    "this_machine": row.machine == self._machine_name,
                    "known_since": row.known_since,
                    "actor": row.actor,
                }
                for row in (names.clones if names else ())
            ],
        }

    def summary(self, standing: Standing) -> dict[str, Any]:
        """Return what status shows of the binding."""
        return {
            "state": standing.state,
            "artifact_id": standing.artifact_id,
            "clone": self._identity.place,
            "note": self.note(standing),
        }

    async def _claim(self, *, create: bool) -> Claim:
        identity = self._identity
        if self._machine_name is None:
            self._machine_name = await asyncio.to_thread(self._machine, create=create)
        return Claim(identity.key, identity.local_keys, self._machine_name, identity.place, identity.is_proven)


def _unconfirmed(name: str, standing: Standing) -> str:
    if standing.withheld is None:
        return (
            f"This folder claims to be {name} through a git directory that does not point back at it: run "
            "`git worktree repair` if it is a worktree that was moved, else `memlens bind --confirm` if it is yours."
        )
    whose = f"belongs to the clone {standing.elsewhere}" if standing.elsewhere else "has no known clone yet"
    return (
        f"The memory of {name} {whose}, and this clone was not confirmed: "
        "if you trust this folder, run `memlens bind --confirm` in it."
    )
