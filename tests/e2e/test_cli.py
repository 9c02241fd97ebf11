"""The command line as programs use it: stable JSON, exit codes, typed errors (spec 2.5, 2.6)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.conftest import Project

NOTE = ("remember", "tests never sleep", "--kind", "preference", "--json")


def test_looking_where_nothing_was_remembered_leaves_nothing_behind(project: Project) -> None:
    assert project.json("search", "anything", "--json")["hits"] == []
    assert project.json("changes", "--json") == []
    assert project.json("verify", "--json")["ok"]
    (shown,) = project.json("show", "Makefile", "--json")
    assert shown == {"path": "Makefile", "file_level": [], "line_level": []}
    assert project.json("status", "--json")["memory"] is None
    assert not project.home.exists()


def test_remember_answers_with_the_citation_of_what_it_kept(project: Project) -> None:
    receipt = project.json(*NOTE)
    assert receipt["changed"] is True
    assert receipt["memory"]["revision"] == 1
    assert project.json(*NOTE) == {**receipt, "changed": False}


def test_show_gives_one_line_a_path_in_the_order_asked_with_lines_from_1(project: Project) -> None:
    project.json("remember", "Edit sources, not `site/`; then run `make docs-test`.", "-k", "constraint", "--json")
    shown = project.json("show", "site/index.html", "Makefile", "docs/guide.md", "--json")
    assert [row["path"] for row in shown] == ["site/index.html", "Makefile", "docs/guide.md"]
    assert [anchor["rule"] for anchor in shown[0]["file_level"]] == ["path"]
    assert [(a["line"], a["end_line"], a["rule"]) for a in shown[1]["line_level"]] == [(7, 7, "command")]
    assert shown[2]["file_level"] == shown[2]["line_level"] == []


def test_show_for_people_prints_the_reason_beside_the_line(project: Project) -> None:
    project.json("remember", "Run `make docs-test` for documentation.", "-k", "preference", "--json")
    out = project.memlens("show", "Makefile").stdout.decode()
    assert "docs-test:" in out
    assert "`make docs-test` is defined on this line" in out


def test_show_says_which_paths_are_not_there_and_shows_the_others(project: Project) -> None:
    done = project.memlens("show", "nope.txt", "Makefile", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["path"] == "Makefile"
    assert "nope.txt" in json.loads(done.stderr)["error"]["message"]


def test_show_gives_nothing_for_ignored_binary_and_too_large_files(project: Project) -> None:
    (project.root / ".gitignore").write_text("*.log\n")
    (project.root / "a.log").write_text("text\n")
    (project.root / "b.bin").write_bytes(b"\x00\x01")
    (project.root / "c.txt").write_text("x" * 2_000_001)
    project.json("remember", "Everything counts.", "-k", "fact", "-a", "*.log", "-a", "*.bin", "-a", "*.txt", "--json")
    shown = project.json("show", "a.log", "b.bin", "c.txt", "--json")
    assert [row["file_level"] for row in shown] == [[], [], []]


def test_evidence_lines_show_on_those_lines_wherever_they_move(project: Project) -> None:
    project.json("remember", "The generator is mkdocs.", "-k", "fact", "-e", "Makefile#L8", "--json")
    text = (project.root / "Makefile").read_text()
    (project.root / "Makefile").write_text("# new first line\r\n" + text.replace("\n", "\r\n"))
    (shown,) = project.json("show", "Makefile", "--json")
    assert [(a["line"], a["rule"]) for a in shown["line_level"]] == [(9, "evidence")]


def test_import_keeps_all_in_one_revision_and_personal_entries_apart(project: Project) -> None:
    lines = [
        {"key": 1, "kind": "fact", "text": "one"},
        {"key": "p", "kind": "preference", "text": "mine", "scope": "user"},
        {"kind": "fact", "text": "two", "applies": {"paths": ["docs/**"]}},
    ]
    rows = project.json("import", stdin="\ufeff" + "\r\n".join(map(json.dumps, lines)) + "\n\n")
    assert [row["key"] for row in rows] == [1, "p", None]
    assert rows[0]["memory"] == rows[2]["memory"] != rows[1]["memory"]
    (shown,) = project.json("show", "docs/guide.md", "--json")
    assert [(a["text"], a["rule"]) for a in shown["file_level"]] == [("two", "stated")]
    other = Project(project.root.parent / "other", project.home)
    other.root.mkdir()
    assert [hit["text"] for hit in other.json("search", "mine one", "--json")["hits"]] == ["mine"]


def test_two_clones_of_one_remote_share_a_memory_once_confirmed_and_a_fork_has_its_own(project: Project) -> None:
    def clone(name: str, remote: str) -> Project:
        root = project.root.parent / name
        root.mkdir()
        for arguments in (("init", "-q"), ("remote", "add", "origin", remote)):
            subprocess.run(["git", "-C", str(root), *arguments], check=True)
        return Project(root, project.home)

    first = clone("a", "https://user:secret@example.invalid/team/app.git")
    second = clone("b", "git@example.invalid:team/app")
    fork = clone("c", "https://example.invalid/me/app.git")
    first.json(*NOTE)
    assert second.json("search", "sleep", "--json")["hits"] == []
    second.json("bind", "--confirm", "--json")
    assert len(second.json("search", "sleep", "--json")["hits"]) == 1
    assert fork.json("search", "sleep", "--json")["hits"] == []
    assert "secret" not in json.dumps(first.json("status", "--json"))


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        (("remember", "", "-k", "fact", "--json"), b"", "invalid_text"),
        (("remember", "-", "-k", "fact", "--json"), b"x" * 8193, "invalid_text"),
        (("remember", "-", "-k", "fact", "--json"), b"a\x00b", "invalid_text"),
        (("remember", "-", "-k", "fact", "--json"), b"a\xed\xa0\x80b", "invalid_text"),
        (("remember", "x", "-k", "", "--json"), b"", "invalid_kind"),
        (("remember", "x", "-k", "k" * 65, "--json"), b"", "invalid_kind"),
        (("remember", "x", "-k", "事实", "--json"), b"", "invalid_kind"),
        (("remember", "x", "-k", "fact", "--reason", "r" * 513, "--json"), b"", "invalid_text"),
        (("remember", "x", "-k", "fact", "-e", "nope.md", "--json"), b"", "invalid_evidence"),
        (("remember", "x", "-k", "fact", "-e", "/etc/passwd", "--json"), b"", "invalid_evidence"),
        (("remember", "x", "-k", "fact", "-e", "Makefile#L99", "--json"), b"", "invalid_evidence"),
        (("remember", "x", "-k", "fact", "-a", "../../x", "--json"), b"", "invalid_input"),
        (("forget", "mem_ent_nope", "--json"), b"", "unknown_entry"),
        (("revise", "mem_ent_nope", "y", "--json"), b"", "unknown_entry"),
        (("history", "", "--json"), b"", "unknown_entry"),
        (("restore", "mem_ent_nope", "1", "--json"), b"", "unknown_entry"),
        (("organize", "--steps", "merge", "--json"), b"", "invalid_input"),
        (("undo", "--personal", "--json"), b"", "cannot_undo"),
        (("search", "x", "--mode", "hybrid", "--json"), b"", "capability_not_supported"),
        (("search", "x", "--mode", "magic", "--json"), b"", "invalid_input"),
        (("search", "x", "--limit", "0", "--json"), b"", "invalid_input"),
        (("changes", "--since", "-1", "--json"), b"", "invalid_input"),
        (("expand", "memlens:nonsense", "--json"), b"", "invalid_citation"),
        (("import",), b"not json\n", "invalid_input"),
        (("import",), b'{"kind": "fact"}\n', "invalid_input"),
        (("import",), b'{"kind": "fact", "text": "x", "evidence": ["../../etc/passwd"]}\n', "invalid_evidence"),
        (("import", "nope.jsonl"), b"", "invalid_input"),
    ],
)
def test_bad_input_is_a_typed_error_and_changes_nothing(
    project: Project, arguments: tuple[str, ...], stdin: bytes, code: str
) -> None:
    project.json(*NOTE)
    before = project.json("status", "--json")["memory"]
    error = project.error(*arguments, stdin=stdin)
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert project.json("status", "--json")["memory"] == before


def test_a_stale_inactive_or_foreign_entry_is_refused_with_the_way_out(project: Project) -> None:
    first = project.json(*NOTE)
    project.json("revise", first["entry_id"], "tests never sleep, they poll", "--json")
    stale = project.error("revise", first["entry_id"], "x", "--version", first["entry_version_id"], "--json")
    assert stale["code"] == "stale_entry"
    project.json("forget", first["entry_id"], "--json")
    assert project.error("revise", first["entry_id"], "x", "--json")["code"] == "inactive_entry"
    twin = project.error("remember", "tests never sleep, they poll", "-k", "preference", "--json")
    assert (twin["code"], twin["entry_id"]) == ("duplicate_of_inactive", first["entry_id"])
    other = Project(project.root.parent / "elsewhere", project.home)
    other.root.mkdir()
    assert other.error("forget", first["entry_id"], "--json")["code"] == "unknown_entry"


def test_undo_restore_and_organize_answer_with_receipts(project: Project) -> None:
    first = project.json(*NOTE)
    project.json("revise", first["entry_id"], "tests poll", "--json")

    restored = project.json("restore", first["entry_id"][-8:], "1", "--reason", "it was right", "--json")
    assert (restored["entry_id"], restored["memory"]["revision"], restored["changed"]) == (first["entry_id"], 3, True)
    (undone,) = project.json("undo", "--json")
    assert (undone["memory"]["revision"], undone["changed"]) == (4, True)
    (hit,) = project.json("search", "tests", "--json")["hits"]
    assert hit["text"] == "tests poll"
    by_id = project.json("restore", first["entry_id"], first["entry_version_id"], "--json")
    assert by_id["changed"]

    twin = project.json("remember", "something else", "-k", "preference", "--json")
    project.json("revise", twin["entry_id"], "tests never sleep", "--json")
    (gone,) = project.json("organize", "--json")
    assert gone["entry_id"] == max(first["entry_id"], twin["entry_id"])
    assert project.json("organize", "--steps", "dedupe", "--json") == []
    assert b"Nothing to organize." in project.memlens("organize").stdout
    (change,) = project.json("changes", "--json")[0]["changes"]
    assert (change["op"], change["reason"]) == ("deactivate", "dedupe")


def test_undo_leaves_alone_what_somebody_else_did_last(project: Project) -> None:
    project.json(*NOTE)
    done = subprocess.run(
        [sys.executable, "-m", "memlens", "-C", str(project.root), "undo", "--json"],
        env={**project.environ, "MEMLENS_ACTOR": "Bob"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    error = json.loads(done.stderr)["error"]
    assert error["code"] == "cannot_undo"
    assert "was made by Ada at 20" in error["message"]


def database(project: Project) -> Path:
    return project.home / "data" / "memlens.db"


def corrupt(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 400)


def foreign(path: Path) -> None:
    import apsw

    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()


def newer(path: Path) -> None:
    import apsw

    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 9999)
    connection.close()


@pytest.mark.parametrize(
    ("damage", "code"),
    [(corrupt, "corrupt_database"), (foreign, "foreign_database"), (newer, "newer_schema")],
    ids=["corrupt", "foreign", "newer"],
)
def test_a_database_that_cannot_be_used_is_left_alone(project: Project, damage: object, code: str) -> None:
    project.json(*NOTE)
    damage(database(project))  # type: ignore[operator]
    before = project.bytes_of_home()
    for arguments in (NOTE, ("search", "x", "--json"), ("verify", "--json"), ("status", "--json")):
        error = project.error(*arguments)
        assert error["code"] == code
        assert str(database(project)) in error["message"]
    assert project.bytes_of_home() == before


def test_a_read_only_database_is_read_and_refuses_writes(project: Project) -> None:
    project.json(*NOTE)
    database(project).chmod(0o400)
    database(project).parent.chmod(0o500)
    assert len(project.json("search", "sleep", "--json")["hits"]) == 1
    assert project.json("status", "--json")["database"]["read_only"] is True
    before = project.bytes_of_home()
    assert project.error("remember", "more", "-k", "fact", "--json")["code"] == "read_only_database"
    assert project.bytes_of_home() == before


def test_an_unwritable_home_is_named_with_the_way_out(project: Project) -> None:
    project.home.write_text("a file, no directory")
    error = project.error(*NOTE)
    assert error["code"] == "home_not_writable"
    assert "MEMLENS_HOME" in error["message"]


def test_wrong_usage_has_exit_code_2(project: Project) -> None:
    assert project.memlens("bogus").returncode == 2
    assert project.memlens("remember").returncode == 2


def test_verify_names_problems_with_exit_code_3(project: Project) -> None:
    import apsw

    receipt = project.json(*NOTE)
    connection = apsw.Connection(str(database(project)))
    connection.execute("UPDATE memory_entry_versions SET text = 'sleep a lot'")
    connection.close()
    done = project.memlens("verify", "--json")
    assert done.returncode == 3
    (problem,) = [each for each in json.loads(done.stdout)["problems"] if each["code"] == "altered_body"]
    assert problem["entry_version_id"] == receipt["entry_version_id"]
    assert project.json("search", "sleep", "--json")["hits"] == []
    assert project.json("status", "--json")["damaged_entries"] == [receipt["entry_id"]]
    assert b"is damaged and not shown" in project.memlens("status").stdout


def test_files_of_ours_are_for_their_owner_alone(project: Project) -> None:
    project.json(*NOTE)
    modes = {path.stat().st_mode & 0o077 for path in project.home.rglob("*")}
    assert modes == {0}


def test_a_reader_that_closes_the_pipe_early_sees_no_traceback(project: Project) -> None:
    lines = "".join(json.dumps({"kind": "fact", "text": f"entry {number}"}) + "\n" for number in range(300))
    project.json("import", stdin=lines)
    command = f"{sys.executable} -m memlens -C '{project.root}' changes --since 0 | head -c 10"
    done = subprocess.run(command, shell=True, env=project.environ, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


def test_remember_says_where_the_entry_will_be_shown(project: Project) -> None:
    named = project.memlens("remember", "Never edit `site/`; run `make docs-test`.", "-k", "constraint")
    assert "applies to site/, make docs-test" in named.stdout.decode()
    nowhere = project.memlens("remember", "Commit messages say why.", "-k", "preference")
    assert "names nothing it could be shown on" in nowhere.stdout.decode()
    shown = project.memlens("remember", "Greet first.", "-k", "fact", "-e", "docs/guide.md#L3")
    assert "names nothing" not in shown.stdout.decode()


def test_an_entry_is_named_as_show_prints_it_and_a_query_needs_no_quotes(project: Project) -> None:
    receipt = project.json("remember", "Never edit `site/` by hand.", "-k", "constraint", "--json")
    printed = project.memlens("show", "site/index.html").stdout.decode()
    ending = "…" + receipt["entry_id"][-6:]
    assert ending in printed
    assert project.json("history", ending, "--json")[0]["entry_id"] == receipt["entry_id"]
    assert len(project.json("search", "edit", "by", "hand", "--json")["hits"]) == 1
