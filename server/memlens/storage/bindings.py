"""Which Memory belongs to a repository, and which clones may have it (spec 2.4).

A key by remote is what a folder's files say; anybody can write that. So a key that is bound already gives its Memory
to *known* clones only. A clone becomes known when it creates the Memory, or when a person confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memlens.core.clock import utc_now
from memlens.core.errors import ArtifactNotFoundError, InvalidInputError, UnconfirmedCloneError
from memlens.core.ids import new_artifact_id
from memlens.storage.backend import DatabaseMemoryBackend
from memlens.storage.rows import BindingRow, CloneRow
from memlens.storage.session import DatabaseSession

State = Literal["bound", "unbound", "unconfirmed"]

REPOSITORY_PREFIX = "repo:"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a folder says it is (``key``), and what it cannot make up: where it lies on this machine.

    ``local_keys`` are the keys that only this place can have. ``machine`` is None while the machine has no name yet;
    it then knows no clone. ``is_proven`` tells whether ``key`` is the folder's own, and no mere claim.
    """

    key: str
    local_keys: tuple[str, ...]
    machine: str | None
    place: str
    is_proven: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What a claim comes to.

    Attributes:
        state: ``bound``: ``artifact_id`` is its Memory, or reserved for it. ``unbound``: nothing is remembered.
            ``unconfirmed``: somebody must confirm the clone first; nothing may be read or written.
        artifact_id: the Artifact that may be read; None unless bound.
        withheld: the Artifact that waits for the confirmation; None when the key is bound to none.
        apart: another Artifact, that the key by remote is bound to while this clone keeps the one of its own.
        elsewhere: where a clone that has the withheld Memory lies.
        formerly: the names of other Memories that this clone has had under other keys; only when unbound.
        is_settled: whether everything that should be recorded of the claim is.
    """

    state: State
    artifact_id: str | None = None
    withheld: str | None = None
    apart: str | None = None
    elsewhere: str | None = None
    formerly: tuple[str, ...] = ()
    is_settled: bool = True


@dataclass(frozen=True, slots=True)
class BoundNames:
    """Every key that leads to an Artifact, and every clone that has it."""

    keys: tuple[BindingRow, ...]
    clones: tuple[CloneRow, ...]


class BindingStore:
    """Reads and writes bindings and known clones through a backend's own transactions."""

    def __init__(self, backend: DatabaseMemoryBackend) -> None:
        """Work on ``backend``."""
        self._backend = backend

    async def standing(self, claim: Claim) -> Standing:
        """Return what ``claim`` comes to."""
        return await self._backend.read(lambda session: _standing(session, claim))

    async def names(self, artifact_id: str) -> BoundNames:
        """Return the keys and clones of an Artifact."""
        return await self._backend.read(
            lambda session: BoundNames(tuple(session.bindings_of(artifact_id)), tuple(session.clones_of(artifact_id)))
        )

    async def artifact_of(self, binding_key: str) -> str | None:
        """Return the Artifact that a person's key is bound to, reserved or real."""
        row = await self._backend.read(lambda session: session.binding(binding_key))
        return row.artifact_id if row else None

    async def reserve_key(self, binding_key: str, actor: str) -> str:
        """Return the Artifact that a person's key is bound to, binding it to a fresh one first if it is not.

        Of several processes that reserve one key, all get the same Artifact (spec 1.5).
        """
        return await self._backend.write(lambda session: _reserve(session, binding_key, actor))

    async def reserve(self, claim: Claim, actor: str) -> str:
        """Return the Artifact that the claim may write to, reserving one and recording what is missing.

        ``claim.machine`` is given. Raises UnconfirmedCloneError.
        """
        return await self._backend.write(lambda session: _settle(session, claim, actor))

    async def confirm(self, claim: Claim, actor: str) -> bool:
        """Make the clone known for the Memory that its key is bound to; returns whether that changed anything."""
        return await self._backend.write(lambda session: _confirm(session, claim, actor))

    async def rebind(self, claim: Claim, target: str, actor: str) -> str | None:
        """Bind the claim's key to the Memory that ``target``, a key or an Artifact ID, names.

        Returns the Artifact that the key led to before. Raises ArtifactNotFoundError when there is no such Memory,
        InvalidInputError for a person's own.
        """
        return await self._backend.write(lambda session: _rebind(session, claim, target, actor))

    async def forget_clone(self, claim: Claim, place: str) -> bool:
        """Let the clone at ``place`` be unknown again for the claim's Memory; returns whether it was known.

        Raises UnconfirmedCloneError.
        """
        return await self._backend.write(lambda session: _forget_clone(session, claim, place))


def _standing(session: DatabaseSession, claim: Claim) -> Standing:
    bound = session.binding(claim.key)
    own = _own_binding(session, claim)
    knows = {row.artifact_id for row in session.clones_at(claim.machine, claim.place)} if claim.machine else set()
    if bound is not None and bound.artifact_id in knows:
        return Standing("bound", bound.artifact_id)
    if own is not None:
        apart = bound.artifact_id if bound and bound.artifact_id != own.artifact_id else None
        is_settled = own.artifact_id in knows and (bound is not None or not claim.is_proven)
        return Standing("bound", own.artifact_id, apart=apart, is_settled=is_settled)
    if bound is not None:
        clones = session.clones_of(bound.artifact_id)
        elsewhere = clones[0].place if clones else None
        return Standing("unconfirmed", withheld=bound.artifact_id, elsewhere=elsewhere)
    if not claim.is_proven:
        return Standing("unconfirmed")
    return Standing("unbound", formerly=tuple(sorted(_name(session, artifact_id) for artifact_id in knows)))


def _own_binding(session: DatabaseSession, claim: Claim) -> BindingRow | None:
    """Return the binding of a key that only this place can have, unless another machine's like place made it."""
    for key in claim.local_keys:
        row = session.binding(key)
        if row is None:
            continue
        machines = {clone.machine for clone in session.clones_of(row.artifact_id) if clone.place == claim.place}
        if not machines or claim.machine in machines:
            return row
    return None


def _name(session: DatabaseSession, artifact_id: str) -> str:
    rows = session.bindings_of(artifact_id)
    return rows[0].binding_key if rows else artifact_id


def _reserve(session: DatabaseSession, key: str, actor: str) -> str:
    row = session.binding(key)
    if row is None:
        row = BindingRow(key, new_artifact_id(), utc_now(), actor)
        session.insert_binding(row)
    return row.artifact_id


def _settle(session: DatabaseSession, claim: Claim, actor: str) -> str:
    """Record the key and the clone of a claim that is free to have them; this is also how an alias comes about."""
    standing = _standing(session, claim)
    if standing.state == "unconfirmed":
        raise UnconfirmedCloneError("This clone has no memory before it is confirmed: run `memlens bind --confirm`.")
    if standing.artifact_id is None:
        artifact_id = _reserve(session, claim.key, actor)
    else:
        artifact_id = standing.artifact_id
        if claim.is_proven:
            session.insert_binding(BindingRow(claim.key, artifact_id, utc_now(), actor))
    _know(session, claim, artifact_id, actor)
    return artifact_id


def _know(session: DatabaseSession, claim: Claim, artifact_id: str, actor: str) -> None:
    assert claim.machine is not None  # noqa: S101  whoever records gives the machine its name first
    session.insert_clone(CloneRow(artifact_id, claim.machine, claim.place, utc_now(), actor))


def _confirm(session: DatabaseSession, claim: Claim, actor: str) -> bool:
    standing = _standing(session, claim)
    if (standing.state == "bound" and standing.apart is None) or standing.state == "unbound":
        return False
    artifact_id = standing.withheld or standing.apart or _reserve(session, claim.key, actor)
    _know(session, claim, artifact_id, actor)
    return True


def _rebind(session: DatabaseSession, claim: Claim, target: str, actor: str) -> str | None:
    artifact_id = _target(session, target)
    before = session.binding(claim.key)
    if before is None or before.artifact_id != artifact_id:
        session.replace_binding(BindingRow(claim.key, artifact_id, utc_now(), actor))
    _know(session, claim, artifact_id, actor)
    return before.artifact_id if before else None


def _target(session: DatabaseSession, target: str) -> str:
    """Return the repository's Artifact that a key (with or without ``repo:``) or an Artifact ID names."""
    row = session.binding(target) or session.binding(REPOSITORY_PREFIX + target)
    artifact_id = row.artifact_id if row else target
    keys = [each.binding_key for each in session.bindings_of(artifact_id)]
    if any(not key.startswith(REPOSITORY_PREFIX) for key in keys):
        raise InvalidInputError(f"{target} is a person's own memory: no repository can have it.")
    if not keys and session.head_revision(artifact_id) is None:
        raise ArtifactNotFoundError(
            f"There is no memory {target} here: give a key, such as repo:github.com/owner/name or "
            "repo:git-dir:/where/it/was/.git, or the artifact_id that `memlens status --json` shows."
        )
    return artifact_id


def _forget_clone(session: DatabaseSession, claim: Claim, place: str) -> bool:
    standing = _standing(session, claim)
    artifact_id = standing.artifact_id or standing.withheld
    return artifact_id is not None and session.delete_clones(artifact_id, place) > 0
