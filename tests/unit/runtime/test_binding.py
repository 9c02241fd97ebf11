"""Which memory a folder gets, and when somebody must confirm it first (spec 2.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import apsw
import pytest
from workspace.conftest import Git, NewRepository, git, new_repository, own_git_configuration

from memlens.app import open_runtime
from memlens.core.errors import (
    ArtifactNotFoundError,
    InvalidInputError,
    MemLensError,
    UnconfirmedCloneError,
)
from memlens.core.refs import ArtifactRef, EntryCitation
from memlens.runtime.api import BindRequest, EvidenceInput, RememberRequest, ReviseRequest
from memlens.runtime.repository import RepositoryMemory
from memlens.storage.bindings import BindingStore, Claim, Standing

__all__ = ["git", "new_repository", "own_git_configuration"]

ORIGIN = "https://example.invalid/team/app.git"
KEY = "repo:example.invalid/team/app"

At = Callable[[Path], "asyncio.Future[RepositoryMemory]"]


def fact(text: str, **more: object) -> RememberRequest:
    return RememberRequest("fact", text, **more)  # type: ignore[arg-type]


@pytest.fixture
async def at(environ: dict[str, str]) -> AsyncIterator[At]:
    """Open the memory of a folder as a process that starts there would."""
    opened = []

    async def open_at(folder: Path) -> RepositoryMemory:
        runtime = await open_runtime(environ=environ, watch=True)
        opened.append(runtime)
        repository = await runtime.repository(folder)
        await repository.refresh()
        return repository

    yield open_at  # type: ignore[misc]
    for runtime in opened:
        await runtime.close()


def give_machine_another_name(environ: dict[str, str]) -> None:
    Path(environ["MEMLENS_HOME"], "data", "machine").write_text("another\n")


def database(environ: dict[str, str]) -> Path:
    return Path(environ["MEMLENS_HOME"], "data", "memlens.db")


def make_read_only(path: Path) -> None:
    path.chmod(0o400)


def texts(repository: RepositoryMemory) -> list[str]:
    return sorted(card.text for card in repository.snapshot().cards.values())


async def state(repository: RepositoryMemory) -> str:
    return str((await repository.status())["binding"]["state"])


async def test_a_second_clone_gets_nothing_of_the_memory_before_it_is_confirmed(
    at: At, new_repository: NewRepository
) -> None:
    first = await at(new_repository("first", ORIGIN))
    kept = await first.remember(fact("tests poll"))
    await first.remember(fact("mine", personal=True))
    second = await at(new_repository("second", ORIGIN))

    status = await second.status()
    assert status["memory"] is None
    assert (status["binding"]["state"], status["binding"]["artifact_id"]) == ("unconfirmed", None)
    assert "`memlens bind --confirm`" in status["binding"]["note"]
    assert str(first.root / ".git") in status["binding"]["note"], "whose memory it is, so that a person can judge"
    assert texts(second) == ["mine"], "a person's own memory is theirs everywhere"
    found = await second.search("tests poll mine")
    assert [hit["text"] for hit in found["hits"]] == ["mine"]
    assert found["note"] == status["binding"]["note"] == second.notice
    assert await second.changes(0) == []
    with pytest.raises(UnconfirmedCloneError, match="bind --confirm"):
        await second.history(kept.entry_id)
    with pytest.raises(UnconfirmedCloneError):
        await second.resolve(kept.entry_id[-8:])
    with pytest.raises(UnconfirmedCloneError):
        await second.expand([EntryCitation(kept.memory_ref, kept.entry_id, kept.entry_version_id)])


async def test_an_unconfirmed_clone_writes_nothing_but_the_persons_own(
    at: At, new_repository: NewRepository, environ: dict[str, str]
) -> None:
    first = await at(new_repository("first", ORIGIN))
    kept = await first.remember(fact("tests poll"))
    second = await at(new_repository("second", ORIGIN))
    evidence = (EvidenceInput(note="poison"),)

    for attempt in (
        second.remember(fact("poison", evidence=evidence)),
        second.remember_all([fact("mine too", personal=True), fact("poison", evidence=evidence)]),
        second.revise(ReviseRequest(kept.entry_id, "poison")),
        second.forget([kept.entry_id]),
        second.reactivate([kept.entry_id]),
    ):
        with pytest.raises(UnconfirmedCloneError, match="bind --confirm"):
            await attempt
    stored = apsw.Connection(str(database(environ)))
    assert stored.execute("SELECT count(*) FROM sources").get == 0
    assert stored.execute("SELECT count(*) FROM artifact_revisions").get == 1
    await second.remember(fact("mine", personal=True))
    assert texts(second) == ["mine"]


async def test_once_confirmed_a_clone_shares_the_memory_for_ever(at: At, new_repository: NewRepository) -> None:
    first, root = await at(new_repository("first", ORIGIN)), new_repository("second", ORIGIN)
    await first.remember(fact("tests poll"))
    second = await at(root)

    described = await second.bind(BindRequest(confirm=True))

    assert (described["state"], described["note"], second.notice) == ("bound", None, None)
    assert [clone["place"] for clone in described["clones"]] == [str(first.root / ".git"), str(root / ".git")]
    assert all(clone["this_machine"] for clone in described["clones"])
    assert [key["key"] for key in described["keys"]] == [KEY]
    assert texts(second) == ["tests poll"]
    await second.remember(fact("sleep is for people"))
    again = await at(root)
    assert texts(again) == ["sleep is for people", "tests poll"]
    assert await again.bind(BindRequest(confirm=True)) == described, "confirming again changes nothing"


async def test_worktrees_of_a_known_clone_are_never_asked(
    at: At, new_repository: NewRepository, git: Git, tmp_path: Path
) -> None:
    """Case X5: seen in both, written from both, and nothing lost when one is removed."""
    root = new_repository("app", ORIGIN)
    git(root, "worktree", "add", "-q", "../fix", "-b", "fix")
    main = await at(root)
    await main.remember(fact("from main"))
    fix = await at(tmp_path / "fix")
    assert texts(fix) == ["from main"]
    await asyncio.gather(
        *(main.remember(fact(f"main {number}")) for number in range(5)),
        *(fix.remember(fact(f"fix {number}")) for number in range(5)),
    )
    git(root, "worktree", "remove", "--force", "../fix")
    after = await at(root)
    assert len(texts(after)) == 11
    assert len((await after.bind(BindRequest()))["clones"]) == 1


async def test_the_worktree_may_come_first_too(at: At, new_repository: NewRepository, git: Git, tmp_path: Path) -> None:
    root = new_repository("app", ORIGIN)
    git(root, "worktree", "add", "-q", "../fix", "-b", "fix")
    await (await at(tmp_path / "fix")).remember(fact("from the worktree"))
    assert texts(await at(root)) == ["from the worktree"]


@pytest.mark.parametrize("is_bound", [True, False])
async def test_a_folder_that_borrows_anothers_git_directory_is_never_known_by_itself(
    at: At, new_repository: NewRepository, tmp_path: Path, is_bound: bool
) -> None:
    victim, hostile = new_repository("victim", ORIGIN), tmp_path / "hostile"
    hostile.mkdir()
    (hostile / ".git").write_text(f"gitdir: {victim}/.git\n")
    if is_bound:
        await (await at(victim)).remember(fact("secret plan"))
    folder = await at(hostile)

    assert await state(folder) == "unconfirmed"
    assert texts(folder) == []
    with pytest.raises(UnconfirmedCloneError, match="bind --confirm"):
        await folder.remember(fact("poison"))

    await folder.bind(BindRequest(confirm=True))
    await folder.remember(fact("it was mine"))
    assert texts(folder) == ["it was mine"] + ["secret plan"] * is_bound


async def test_an_unpacked_archive_that_claims_a_remote_reads_nothing(at: At, new_repository: NewRepository) -> None:
    await (await at(new_repository("victim", ORIGIN))).remember(fact("secret plan"))
    archive = await at(new_repository("archive", "git@EXAMPLE.invalid:team/app"))
    assert archive.key == KEY
    assert (await state(archive), texts(archive)) == ("unconfirmed", [])


async def test_of_two_clones_that_write_first_at_once_one_is_known_and_the_other_asked(
    at: At, new_repository: NewRepository
) -> None:
    clones = [await at(new_repository(name, ORIGIN)) for name in "abcd"]
    outcomes = await asyncio.gather(*(clone.remember(fact("first")) for clone in clones), return_exceptions=True)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Receipt"] + ["UnconfirmedCloneError"] * 3


async def test_a_remote_that_is_added_later_keeps_the_memory_and_records_an_alias(
    at: At, new_repository: NewRepository, git: Git
) -> None:
    root = new_repository("app")
    before = await at(root)
    await before.remember(fact("tests poll"))
    git(root, "remote", "add", "origin", ORIGIN)

    after = await at(root)

    assert (after.key, texts(after)) == (KEY, ["tests poll"])
    assert [key["key"] for key in (await after.bind(BindRequest()))["keys"]] == [before.key, KEY]
    clone = await at(new_repository("clone", ORIGIN))
    assert (await state(clone), texts(clone)) == ("unconfirmed", [])
    await clone.bind(BindRequest(confirm=True))
    assert texts(clone) == ["tests poll"]


async def test_a_folder_that_becomes_a_repository_and_gets_a_remote_keeps_its_memory(
    at: At, git: Git, tmp_path: Path
) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    await (await at(root)).remember(fact("tests poll"))
    git(root, "init", "-q")
    repository = await at(root)
    assert (repository.identity.basis, texts(repository)) == ("git-dir", ["tests poll"])
    git(root, "remote", "add", "origin", ORIGIN)
    repository = await at(root)
    assert (repository.key, texts(repository)) == (KEY, ["tests poll"])


async def test_a_remote_that_has_a_memory_already_is_kept_apart_until_a_person_says_otherwise(
    at: At, new_repository: NewRepository, git: Git
) -> None:
    root = new_repository("app")
    await (await at(root)).remember(fact("of this folder"))
    await (await at(new_repository("other", ORIGIN))).remember(fact("of the remote"))
    git(root, "remote", "add", "origin", ORIGIN)

    apart = await at(root)

    assert texts(apart) == ["of this folder"]
    status = await apart.status()
    assert status["binding"]["state"] == "bound"
    assert "keeps the memory that it had" in status["binding"]["note"]
    assert "note" not in await apart.search("folder")
    await apart.remember(fact("still of this folder"))
    await apart.bind(BindRequest(confirm=True))
    assert texts(apart) == ["of the remote"]


async def test_a_changed_remote_takes_no_memory_along_by_itself_and_status_says_how(
    at: At, new_repository: NewRepository, git: Git
) -> None:
    """Under a new address it may be the same project, a fork, or another project at the same path."""
    root = new_repository("app", ORIGIN)
    await (await at(root)).remember(fact("tests poll"))
    git(root, "remote", "set-url", "origin", "https://example.invalid/new/app.git")
    moved = await at(root)
    assert texts(moved) == []
    note = (await moved.status())["binding"]["note"]
    assert f"`memlens bind --to {KEY}`" in note

    described = await moved.bind(BindRequest(to=KEY))

    assert (texts(moved), described["note"], described["previous_artifact_id"]) == (["tests poll"], None, None)
    assert [key["key"] for key in described["keys"]] == [KEY, "repo:example.invalid/new/app"]
    git(root, "remote", "set-url", "origin", ORIGIN)
    assert texts(await at(root)) == ["tests poll"]


async def test_a_fork_stays_apart(at: At, new_repository: NewRepository, git: Git) -> None:
    await (await at(new_repository("first", ORIGIN))).remember(fact("tests poll"))
    root = new_repository("fork", "https://example.invalid/me/app.git")
    git(root, "remote", "add", "upstream", ORIGIN)
    fork = await at(root)
    assert (await state(fork), texts(fork)) == ("unbound", [])
    await fork.remember(fact("of the fork"))
    assert texts(fork) == ["of the fork"]


async def test_after_a_move_without_remote_a_person_binds_the_old_memory(
    at: At, new_repository: NewRepository, tmp_path: Path
) -> None:
    old = new_repository("app")
    before = await at(old)
    await before.remember(fact("tests poll"))
    moved = await at(old.rename(tmp_path / "moved"))
    assert texts(moved) == []
    own = await moved.remember(fact("said after the move"))

    described = await moved.bind(BindRequest(to=before.key.removeprefix("repo:")))

    assert texts(moved) == ["tests poll"]
    assert described["previous_artifact_id"] == own.memory_ref.artifact_id
    await moved.bind(BindRequest(to=described["previous_artifact_id"]))
    assert texts(moved) == ["said after the move"], "nothing is lost, and there is a way back"


async def test_what_cannot_be_bound_is_refused(at: At, new_repository: NewRepository) -> None:
    app = await at(new_repository("app"))
    mine = await app.remember(fact("mine", personal=True))
    wrong: list[tuple[BindRequest, type[MemLensError]]] = [
        (BindRequest(to="repo:github.com/no/where"), ArtifactNotFoundError),
        (BindRequest(to="mem_art_none"), ArtifactNotFoundError),
        (BindRequest(to=""), ArtifactNotFoundError),
        (BindRequest(to=mine.memory_ref.artifact_id), InvalidInputError),
        (BindRequest(confirm=True, to=KEY), InvalidInputError),
        (BindRequest(forget_clone="/nowhere"), InvalidInputError),
    ]
    for request, error in wrong:
        with pytest.raises(error):
            await app.bind(request)
    assert await state(app) == "unbound"


async def test_a_clone_can_be_forgotten_again(at: At, new_repository: NewRepository) -> None:
    first = await at(new_repository("first", ORIGIN))
    await first.remember(fact("tests poll"))
    second = await at(new_repository("second", ORIGIN))
    await second.bind(BindRequest(confirm=True))
    await first.bind(BindRequest(forget_clone=str(second.root / ".git")))
    await second.refresh()
    assert (await state(second), texts(second)) == ("unconfirmed", [])
    assert texts(first) == ["tests poll"]


async def test_the_same_path_on_another_machine_is_another_place(
    at: At, new_repository: NewRepository, environ: dict[str, str]
) -> None:
    """One database can serve several machines, on each of which /home/dev/app is something else."""
    plain, cloned = new_repository("plain"), new_repository("cloned", ORIGIN)
    for root in (plain, cloned):
        await (await at(root)).remember(fact("tests poll"))
    give_machine_another_name(environ)
    for root in (plain, cloned):
        other = await at(root)
        assert (await state(other), texts(other)) == ("unconfirmed", [])
        described = await other.bind(BindRequest(confirm=True))
        assert [clone["this_machine"] for clone in described["clones"]] == [False, True]
        assert texts(other) == ["tests poll"]


async def test_processes_that_name_the_machine_at_once_are_one_clone(
    at: At, environ: dict[str, str], new_repository: NewRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading the machine's name and the binding, another process of this clone makes both."""
    root = new_repository("app", ORIGIN)
    late, early = await at(root), await at(root)
    standing = BindingStore.standing

    async def after_the_other(store: BindingStore, claim: Claim) -> Standing:
        monkeypatch.setattr(BindingStore, "standing", standing)
        await early.remember(fact("first"))
        return await store.standing(claim)

    monkeypatch.setattr(BindingStore, "standing", after_the_other)
    await late.remember(fact("second"))
    await early.refresh()
    assert texts(early) == ["first", "second"]


async def test_a_confirmation_by_another_process_reaches_a_server_that_runs(
    at: At, environ: dict[str, str], new_repository: NewRepository
) -> None:
    await (await at(new_repository("first", ORIGIN))).remember(fact("tests poll"))
    root = new_repository("second", ORIGIN)
    watching = await open_runtime(environ=environ, watch=True)
    shown = await watching.repository(root)
    assert (texts(shown), shown.notice is not None) == ([], True)
    told = asyncio.Event()
    watching.subscribe(told.set)
    await (await at(root)).bind(BindRequest(confirm=True))
    await asyncio.wait_for(told.wait(), 10)
    assert texts(shown) == ["tests poll"]
    await watching.close()


async def test_a_database_that_cannot_be_written_is_read_through_an_alias_that_is_not_recorded(
    at: At, new_repository: NewRepository, git: Git, environ: dict[str, str]
) -> None:
    root = new_repository("app")
    await (await at(root)).remember(fact("tests poll"))
    git(root, "remote", "add", "origin", ORIGIN)
    make_read_only(database(environ))
    assert texts(await at(root)) == ["tests poll"]
    rows = apsw.Connection(str(database(environ))).execute("SELECT binding_key FROM bindings").fetchall()
    assert (KEY,) not in rows


async def test_citations_of_other_memories_stay_readable_in_an_unconfirmed_clone(
    at: At, new_repository: NewRepository
) -> None:
    other = await at(new_repository("other"))
    kept = await other.remember(fact("of another project"))
    await (await at(new_repository("first", ORIGIN))).remember(fact("tests poll"))
    second = await at(new_repository("second", ORIGIN))
    ref = ArtifactRef(kept.memory_ref.artifact_id, kept.memory_ref.revision)
    (found,) = await second.expand([EntryCitation(ref, kept.entry_id, kept.entry_version_id)])
    assert found["text"] == "of another project"
