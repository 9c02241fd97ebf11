"""Documents tell what is remembered here, and nothing of any other repository (spec 2.2, 2.4)."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace.conftest import NewRepository, git, new_repository, own_git_configuration

from memlens.core.errors import ArtifactNotFoundError, UnconfirmedCloneError, UnknownEntryError
from memlens.core.refs import ArtifactRef
from memlens.runtime import documents
from memlens.runtime.api import RememberRequest
from memlens.runtime.runtime import Runtime

__all__ = ["git", "new_repository", "own_git_configuration"]

ORIGIN = "https://example.invalid/team/app.git"


async def test_a_withheld_memory_is_in_no_document(runtime: Runtime, new_repository: NewRepository) -> None:
    known = await runtime.repository(new_repository("known", ORIGIN))
    receipt = await known.remember(RememberRequest("fact", "A secret of the team."))
    unknown = await runtime.repository(new_repository("unknown", ORIGIN))
    await unknown.refresh()
    written = unknown.documents
    assert (await written.overview()).note
    for text in (await written.overview_markdown(), await written.changes_markdown()):
        assert "secret" not in text
    with pytest.raises(UnconfirmedCloneError):
        await written.entry_markdown(receipt.entry_id)
    with pytest.raises(UnconfirmedCloneError):
        await written.revision_markdown(receipt.memory_ref)


async def test_the_memory_of_another_repository_is_not_found(
    runtime: Runtime, new_repository: NewRepository, root: Path
) -> None:
    other = await runtime.repository(new_repository("other", ORIGIN))
    receipt = await other.remember(RememberRequest("fact", "Elsewhere."))
    here = (await runtime.repository(root)).documents
    with pytest.raises(ArtifactNotFoundError):
        await here.revision_markdown(receipt.memory_ref)
    with pytest.raises(UnknownEntryError):
        await here.entry_markdown(receipt.entry_id)


async def test_ones_own_entries_have_documents_too(runtime: Runtime, root: Path) -> None:
    repository = await runtime.repository(root)
    receipt = await repository.remember(RememberRequest("preference", "Short lines.", personal=True))
    assert "Short lines." in await repository.documents.entry_markdown(receipt.entry_id)
    assert "Short lines." in await repository.documents.revision_markdown(receipt.memory_ref)
    overview = await repository.documents.overview_markdown()
    assert "Personal." in overview
    with pytest.raises(ArtifactNotFoundError):
        await repository.documents.revision_markdown(ArtifactRef(receipt.memory_ref.artifact_id, 2))


async def test_a_long_log_is_cut_at_its_beginning(
    runtime: Runtime, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_LOGGED_REVISIONS", 2)
    repository = await runtime.repository(root)
    for number in range(4):
        await repository.remember(RememberRequest("fact", f"Number {number}."))
    log = await repository.documents.changes_markdown()
    assert [number for number in range(4) if f"Number {number}." in log] == [2, 3]
    assert log.index("Number 3.") < log.index("Number 2.")
