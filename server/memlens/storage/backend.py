"""DatabaseMemoryBackend: the domain half of every database backend (spec 1.2).

It alone serialises asynchronous callers, holds the unit of work, checks canonical bytes, references and manifests,
and filters search results. An adapter only opens sessions and names its driver's errors.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from memlens.core.errors import CorruptDatabaseError, EvidenceError, StorageError
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.core.sources import Source, is_intact
from memlens.memory.models import (
    Memory,
    MemoryContent,
    MemoryEntryVersion,
    MemoryRevisionChanges,
    SearchResult,
)
from memlens.memory.ports import MemoryCapabilities, MemorySearchRequest, NewRevision, Projections
from memlens.storage import reading
from memlens.storage.citing import entries_citing
from memlens.storage.executor import SessionThreads
from memlens.storage.rebuilding import examine_database
from memlens.storage.searching import search
from memlens.storage.session import DatabaseSession
from memlens.storage.unit_of_work import commit_revision

Result = TypeVar("Result")

READER_THREADS = 2


class DatabaseMemoryBackend(ABC):
    """A MemoryBackend over any database for which an adapter opens sessions.

    Open it with the adapter's own ``open`` and close it with :meth:`close`. Every public method may be awaited from
    any task; work runs on the backend's own threads, one of which writes.
    """

    driver_errors: tuple[type[Exception], ...] = ()
    """The driver's errors, which :meth:`database_error` turns into typed ones."""

    def __init__(self) -> None:
        """Prepare the threads; sessions are opened on first use."""
        self._reader = reading.RevisionReader()
        self._writing = SessionThreads("write", 1, self.connect)
        self._reading = SessionThreads("read", READER_THREADS, self.connect)
        self._watching = SessionThreads("watch", 1, self.connect)

    @abstractmethod
    def connect(self) -> DatabaseSession:
        """Open a session. Raises StorageError, or an error of the driver."""

    @abstractmethod
    def database_error(self, error: Exception) -> StorageError:
        """Return the typed error, with its way out, that an error of the driver stands for."""

    @abstractmethod
    async def capabilities(self) -> MemoryCapabilities:
        """Return what probing found."""

    @abstractmethod
    def describe(self) -> dict[str, object]:
        """Return what status shows of the database: never a credential (docs/cli.md)."""

    async def close(self) -> None:
        """Finish work under way and close every session."""
        for threads in (self._watching, self._reading, self._writing):
            await asyncio.to_thread(threads.close)

    async def read(self, work: Callable[[DatabaseSession], Result]) -> Result:
        """Run ``work`` in one read transaction. Raises StorageError for errors of the driver."""
        return await self._reading.run(lambda session: self._in_transaction(session, session.begin_read, work))

    async def write(self, work: Callable[[DatabaseSession], Result]) -> Result:
        """Run ``work`` in one write transaction; it is durable when this returns. Raises StorageError."""
        return await self._writing.run(lambda session: self._in_transaction(session, session.begin_write, work))

    async def change_token(self) -> object:
        """Return a value that differs after any other connection, of this process or another, committed."""
        return await self._watching.run(lambda session: self.typed(session.change_token))

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[DatabaseUnitOfWork]:
        """Open a unit of work for one Revision."""
        unit = DatabaseUnitOfWork(self, self._reader)
        try:
            yield unit
        finally:
            await unit.rollback()

    async def head(self, artifact_id: str) -> Memory | None:
        """Return the current Revision, or None when the Artifact has none yet."""
        return await self.read(lambda session: self._reader.head(session, artifact_id))

    async def revision(self, ref: ArtifactRef) -> Memory:
        """Return one exact Revision. Raises ArtifactNotFoundError, IntegrityError."""
        return await self.read(lambda session: self._reader.revision(session, ref))

    async def entries(self, memory: Memory, entry_ids: Sequence[str] | None = None) -> tuple[MemoryEntryVersion, ...]:
        """Return the versions that the Revision points at. Raises UnknownEntryError, IntegrityError."""
        if entry_ids is not None and not entry_ids:
            return ()
        return await self.read(lambda session: reading.read_entries(session, memory, entry_ids))

    async def version(self, memory: Memory, entry_id: str, version: int | str) -> MemoryEntryVersion:
        """Return one version that the Revision knows. Raises UnknownEntryError, UnknownVersionError, IntegrityError."""
        return await self.read(lambda session: reading.read_version(session, self._reader, memory, entry_id, version))

    async def entries_citing(
        self, memory: Memory, sources: Sequence[Source], artifacts: Sequence[ArtifactRef], limit: int
    ) -> tuple[str, ...]:
        """Return active entries whose evidence is related to the given, the nearest first."""
        return await self.read(lambda session: entries_citing(session, memory, sources, artifacts)[:limit])

    async def find_statements(
        self, memory: Memory, statements: Sequence[tuple[str, str]]
    ) -> dict[tuple[str, str], tuple[MemoryEntryVersion, ...]]:
        """Return the entries whose current version says exactly one of the (kind, text) pairs."""
        if not statements:
            return {}
        return await self.read(lambda session: reading.find_statements(session, memory, statements))

    async def changes(self, memory: ArtifactRef, since_revision: int | None) -> tuple[MemoryRevisionChanges, ...]:
        """Return changes by Revision, reading no bodies."""
        return await self.read(lambda session: reading.read_changes(session, memory, since_revision))

    async def search(self, request: MemorySearchRequest) -> SearchResult:
        """Return admitted hits, checked in the same transaction.

        Raises CorruptDatabaseError, which names the rebuild when it is only the index that is damaged.
        """
        try:
            return await self.read(lambda session: search(session, self._reader, request))
        except CorruptDatabaseError as error:
            if (await self.read(examine_database)).file_problems:
                raise
            raise CorruptDatabaseError(
                "The full-text index is damaged; no memory is lost: `memlens doctor --repair` builds it anew."
            ) from error

    async def expand(self, citations: Sequence[EntryCitation]) -> tuple[MemoryEntryVersion, ...]:
        """Return exactly the cited versions. Raises InvalidCitationError."""
        return await self.read(lambda session: reading.expand_citations(session, self._reader, citations))

    async def store_sources(self, sources: Sequence[Source]) -> None:
        """Store Sources; storing one that is there is no change. Raises EvidenceError for an altered one."""
        for source in sources:
            if not is_intact(source):
                raise EvidenceError(f"Source {source.source_id} is not what its hash and identifier commit to.")
        if sources:
            await self.write(lambda session: session.insert_sources(sources))

    def _in_transaction(
        self, session: DatabaseSession, begin: Callable[[], None], work: Callable[[DatabaseSession], Result]
    ) -> Result:
        def run() -> Result:
            begin()
            try:
                result = work(session)
                session.commit()
            except BaseException:
                session.rollback()
                raise
            return result

        return self.typed(run)

    def typed(self, work: Callable[[], Result]) -> Result:
        """Run ``work``, raising an error of the driver as the StorageError that it stands for."""
        try:
            return work()
        except self.driver_errors as error:
            raise self.database_error(error) from error


class DatabaseUnitOfWork:
    """One commit of one Revision. Nothing is held open before :meth:`commit` runs it as one transaction."""

    def __init__(self, backend: DatabaseMemoryBackend, reader: reading.RevisionReader) -> None:
        """Commit through ``backend``; ``reader`` keeps what was committed."""
        self._backend = backend
        self._reader = reader
        self._is_over = False

    async def commit(
        self,
        revision: NewRevision,
        base: Memory | None,
        content: MemoryContent,
        entry_versions: Sequence[MemoryEntryVersion],
        projections: Projections,
    ) -> Memory:
        """Validate and write one Revision (see MemoryUnitOfWork.commit)."""
        if self._is_over:
            raise StorageError("A unit of work commits once: open another one.")
        self._is_over = True
        memory = await self._backend.write(
            lambda session: commit_revision(session, self._reader, revision, base, content, entry_versions, projections)
        )
        self._reader.keep(memory)
        return memory

    async def rollback(self) -> None:
        """Give up; what was committed stays."""
        self._is_over = True
