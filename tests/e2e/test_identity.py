"""Which repository a folder is, and whose memory it gets, by the real command on real repositories (spec 2.4; X5)."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from e2e.conftest import Project, make_repository

ORIGIN = "https://user:secret@example.invalid/team/app.git"
KEY = "repo:example.invalid/team/app"
NOTE = ("remember", "tests never sleep", "-k", "preference", "--json")


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "-c", "protocol.file.allow=always"]
    subprocess.run([*command, "-C", str(folder), *arguments], check=True, capture_output=True)


@pytest.fixture
def app(project: Project) -> Project:
    """A clone of a remote, in which one preference is remembered."""
    git(project.root, "remote", "add", "origin", ORIGIN)
    project.json(*NOTE)
    return project


def beside(project: Project, name: str, origin: str | None = None) -> Project:
    """Make another repository with the same home."""
    root = project.root.parent / name
    root.mkdir()
    make_repository(root, {"README.md": "hello\n"})
    if origin is not None:
        git(root, "remote", "add", "origin", origin)
    return replace(project, root=root)


def status(project: Project) -> dict[str, Any]:
    value = project.json("status", "--json")
    assert "secret" not in json.dumps(value)
    return dict(value)


def told(project: Project) -> tuple[str, str, str, int]:
    """Return what status says a folder is: key, basis, state, and how many entries it has."""
    value = status(project)
    entries = value["memory"]["active"] if value["memory"] else 0
    return value["repository"]["key"], value["repository"]["basis"], value["binding"]["state"], entries


def test_a_second_clone_confirms_first_and_once(app: Project) -> None:
    second = beside(app, "second", "git@example.invalid:team/app")
    assert told(second) == (KEY, "remote", "unconfirmed", 0)
    note = status(second)["binding"]["note"]
    assert "`memlens bind --confirm`" in note
    assert second.json("search", "sleep", "--json") == {"mode": "fts", "hits": [], "note": note}
    (shown,) = second.json("show", "README.md", "--json")
    assert (shown["file_level"], shown["line_level"]) == ([], [])
    said = second.memlens("changes", "--json")
    assert (said.returncode, json.loads(said.stdout)) == (0, [])
    assert note in said.stderr.decode()
    assert second.error("remember", "poison", "-k", "fact", "--json")["code"] == "unconfirmed_clone"
    assert second.error("import", stdin='{"kind": "fact", "text": "poison"}\n')["code"] == "unconfirmed_clone"
    assert note in second.memlens("status").stdout.decode()

    assert second.json("bind", "--confirm", "--json")["state"] == "bound"

    assert told(second) == (KEY, "remote", "bound", 1)
    second.json("remember", "from the second clone", "-k", "fact", "--json")
    assert told(app) == (KEY, "remote", "bound", 2)


def test_bind_shows_keys_and_clones_and_lets_one_be_forgotten(app: Project) -> None:
    second = beside(app, "second", ORIGIN)
    second.json("bind", "--confirm", "--json")
    described = app.json("bind", "--json")
    assert [key["key"] for key in described["keys"]] == [KEY]
    places = [clone["place"] for clone in described["clones"]]
    assert places == [str(app.root / ".git"), str(second.root / ".git")]
    printed = app.memlens("bind").stdout.decode()
    assert all(place in printed for place in places)
    app.json("bind", "--forget-clone", places[1], "--json")
    assert told(second)[2] == "unconfirmed"
    assert second.error("bind", "--to", "repo:no/where", "--json")["code"] == "artifact_not_found"
    assert second.error("bind", "--to", KEY, "--confirm", "--json")["code"] == "invalid_input"


def test_worktrees_are_never_asked_and_removing_one_loses_nothing(app: Project) -> None:
    git(app.root, "worktree", "add", "-q", "../fix", "-b", "fix")
    fix = replace(app, root=app.root.parent / "fix")
    assert told(fix) == (KEY, "remote", "bound", 1)
    fix.json("remember", "from the worktree", "-k", "fact", "--json")
    app.json("remember", "from the clone", "-k", "fact", "--json")
    assert fix.json("history", _only(fix, "worktree"), "--json")[0]["op"] == "add"
    git(app.root, "worktree", "remove", "--force", "../fix")
    assert told(app) == (KEY, "remote", "bound", 3)


def _only(project: Project, query: str) -> str:
    (hit,) = project.json("search", query, "--json")["hits"]
    return str(hit["entry_id"])


def test_a_fork_a_submodule_and_a_nested_repository_have_their_own(app: Project) -> None:
    fork = beside(app, "fork", "https://example.invalid/me/app.git")
    git(fork.root, "remote", "add", "upstream", ORIGIN)
    assert told(fork) == ("repo:example.invalid/me/app", "remote", "unbound", 0)

    library = beside(app, "library")
    git(app.root, "submodule", "--quiet", "add", str(library.root), "lib")
    submodule = replace(app, root=app.root / "lib")
    assert told(submodule) == (f"repo:file://{library.root}", "remote", "unbound", 0)

    nested = app.root / "vendor" / "tool"
    nested.mkdir(parents=True)
    make_repository(nested, {"README.md": "hello\n"})
    assert told(replace(app, root=nested)) == (f"repo:git-dir:{nested}/.git", "git-dir", "unbound", 0)
    assert told(replace(app, root=nested.parent)) == (KEY, "remote", "bound", 1)


def test_a_moved_folder_without_remote_is_bound_again_by_its_old_key(project: Project) -> None:
    project.json(*NOTE)
    old = status(project)["repository"]["key"]
    moved = replace(project, root=project.root.rename(project.root.parent / "moved"))
    assert told(moved) == (f"repo:git-dir:{moved.root}/.git", "git-dir", "unbound", 0)
    assert moved.json("bind", "--to", old, "--json")["previous_artifact_id"] is None
    assert told(moved)[2:] == ("bound", 1)


def test_a_folder_without_git_and_a_link_to_it_are_one(project: Project) -> None:
    folder = replace(project, root=project.root.parent / "notes")
    folder.root.mkdir()
    folder.json(*NOTE)
    (project.root.parent / "link").symlink_to(folder.root)
    linked = replace(project, root=project.root.parent / "link")
    assert told(linked) == told(folder) == (f"repo:folder:{folder.root}", "folder", "bound", 1)


def test_a_remote_that_is_added_later_keeps_the_memory(project: Project) -> None:
    project.json(*NOTE)
    git(project.root, "remote", "add", "origin", ORIGIN)
    assert told(project) == (KEY, "remote", "bound", 1)
    keys = [key["key"] for key in project.json("bind", "--json")["keys"]]
    assert keys == [f"repo:git-dir:{project.root}/.git", KEY]


@pytest.mark.parametrize("attack", ["config", "git file", "link"])
def test_an_unpacked_archive_that_claims_anothers_remote_reads_and_writes_nothing(app: Project, attack: str) -> None:
    app.json("remember", "Deploy with the key in the vault.", "-k", "fact", "-a", "**", "--json")
    archive = replace(app, root=app.root.parent / "archive")
    archive.root.mkdir()
    (archive.root / "README.md").write_text("hello\n")
    if attack == "config":
        git(archive.root, "init", "-q")
        shutil.copy(app.root / ".git" / "config", archive.root / ".git" / "config")
    elif attack == "git file":
        (archive.root / ".git").write_text(f"gitdir: {app.root}/.git\n")
    else:
        (archive.root / ".git").symlink_to(app.root / ".git")
    before = status(app)["memory"]

    outputs = [
        archive.memlens(*command)
        for command in (
            ("search", "deploy key vault", "--json"),
            ("show", "README.md", "--json"),
            ("show", "README.md"),
            ("changes", "--since", "0", "--json"),
            ("status", "--json"),
            ("doctor", "--json"),
            ("history", "mem_ent_x", "--json"),
            ("remember", "poison", "-k", "fact", "--json"),
        )
    ]

    assert all(b"vault" not in output.stdout + output.stderr for output in outputs)
    assert [output.returncode for output in outputs] == [0, 0, 0, 0, 0, 0, 1, 1]
    assert told(archive) == (KEY, "remote", "unconfirmed", 0)
    assert status(app)["memory"] == before


def test_doctor_finds_half_an_index_with_exit_code_3_and_mends_it(app: Project) -> None:
    import apsw

    connection = apsw.Connection(str(app.home / "data" / "memlens.db"))
    connection.execute("DELETE FROM memory_entry_search_fts")
    connection.close()
    done = app.memlens("doctor", "--json")
    assert (done.returncode, json.loads(done.stdout)["ok"]) == (3, False)
    assert b"memlens doctor --repair" in app.memlens("doctor").stdout
    assert app.json("doctor", "--repair", "--json")["ok"]
    assert len(app.json("search", "sleep", "--json")["hits"]) == 1
