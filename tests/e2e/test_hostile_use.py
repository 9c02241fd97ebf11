"""What goes wrong around the command line, and must not show a traceback or lose anything (spec 2.6)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from e2e.conftest import Project


def run(project: Project, *arguments: str | bytes, **more: object) -> subprocess.CompletedProcess[bytes]:
    """Run the command as it is, for what :class:`Project` would not do."""
    options = {"env": project.environ, "capture_output": True, "stdin": subprocess.DEVNULL, "cwd": project.root}
    command = [sys.executable, "-m", "memlens", *arguments]
    return subprocess.run(command, check=False, **{**options, **more})  # type: ignore[call-overload]


def expect_typed(done: subprocess.CompletedProcess[bytes], code: str | None = None) -> None:
    """A failure has exit code 1 and one error in words."""
    assert done.returncode == 1, done.stderr.decode("utf-8", "replace")
    assert b"Traceback" not in done.stderr
    if code is not None:
        assert json.loads(done.stderr)["error"]["code"] == code


def alter(project: Project, sql: str) -> None:
    connection = apsw.Connection(str(project.home / "data" / "memlens.db"))
    for _ in connection.execute(sql):
        pass
    connection.close()


def test_a_deleted_current_directory_is_said(project: Project, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = (
        f"import os, runpy, sys; os.rmdir({str(gone)!r}); sys.argv[1:] = ['status', '--json']; "
        "runpy.run_module('memlens', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=gone, env=project.environ, capture_output=True, check=False
    )
    expect_typed(done, "invalid_input")


@pytest.mark.parametrize("path", ["x" * 300, "\udcff", "a\nb"])
def test_names_that_no_file_can_have_are_no_file_here(project: Project, path: str) -> None:
    expect_typed(run(project, "show", "--json", os.fsencode(path)), "invalid_input")


@pytest.mark.parametrize(
    "citation",
    [
        "memlens:a@9223372036854775808/b/c",
        "memlens:a@+1/b/c",
        "memlens:a@01/b/c",
        "memlens:a@１/b/c",
        "memlens:a@0/b/c",
        "memlens:a @1/b/c",
        "memlens:a@1/b",
    ],
)
def test_a_citation_has_one_spelling(project: Project, citation: str) -> None:
    expect_typed(run(project, "expand", citation, "--json"), "invalid_citation")


def test_what_a_terminal_cannot_spell_is_escaped(project: Project) -> None:
    project.json("remember", "构建 🚦 \u202eevil", "-k", "fact", "--json")
    done = run(project, "search", "构建", env={**project.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert rb"\u6784" in done.stdout
    assert b"\\u{202E}" in done.stdout


def test_escape_sequences_never_reach_the_terminal(project: Project) -> None:
    (project.root / "esc\x1b[31m.py").write_text("x = 1\n")
    shown = run(project, "show", "esc\x1b[31m.py", "miss\x1b[31m.py")
    assert b"\x1b" not in shown.stdout + shown.stderr
    project.json("remember", "kept", "-k", "fact", "--json")
    alter(project, "UPDATE artifact_revisions SET actor = char(27) || '[31m', created_at = char(27)")
    assert b"\x1b" not in run(project, "changes").stdout + run(project, "status").stdout


def test_a_closed_standard_input_is_said(project: Project) -> None:
    command = f"{sys.executable} -m memlens remember - -k fact --json <&-"
    done = subprocess.run(command, shell=True, cwd=project.root, env=project.environ, capture_output=True, check=False)
    expect_typed(done, "invalid_input")


def test_an_import_that_cannot_be_answered_is_refused_before_anything_is_kept(project: Project) -> None:
    done = project.memlens("import", stdin='{"kind": "fact", "text": "k", "key": 99999999999999999999}\n')
    expect_typed(done, "invalid_input")
    assert project.json("status", "--json")["memory"] is None


def test_what_an_entry_applies_to_is_kept_with_it_or_not_at_all(project: Project) -> None:
    project.json("remember", "first", "-k", "fact", "--json")
    alter(project, "DROP TABLE entry_applicability")
    expect_typed(run(project, "remember", "second", "-k", "fact", "-a", "docs/**", "--json"))
    assert project.json("status", "--json")["memory"]["active"] == 1


def test_damaged_applicability_is_proposed_anew(project: Project) -> None:
    project.json("remember", "Run `make test`.", "-k", "fact", "--json")
    alter(project, "UPDATE entry_applicability SET targets = '[null]'")
    (shown,) = project.json("show", "Makefile", "--json")
    assert [anchor["rule"] for anchor in shown["line_level"]] == ["command"]


def test_an_altered_source_anchors_nothing(project: Project) -> None:
    project.json("remember", "Greet first.", "-k", "fact", "-e", "docs/guide.md#L3", "--json")
    alter(project, "UPDATE sources SET content = replace(content, 'docs/guide.md', 'Makefile')")
    for path in ("Makefile", "docs/guide.md"):
        (shown,) = project.json("show", path, "--json")
        assert shown["file_level"] == shown["line_level"] == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE bindings SET artifact_id = ''",
        "DELETE FROM artifact_heads",
        "UPDATE artifact_heads SET artifact_id = 'other'",
    ],
)
def test_a_memory_that_lost_its_head_or_binding_is_never_taken_for_a_new_one(project: Project, damage: str) -> None:
    project.json("remember", "kept", "-k", "fact", "--json")
    alter(project, f"PRAGMA foreign_keys = OFF; {damage}")
    for arguments in (("status",), ("remember", "more", "-k", "fact")):
        expect_typed(run(project, *arguments, "--json"), "integrity_violation")


def test_a_search_that_finds_nothing_says_when_its_index_is_damaged(project: Project) -> None:
    project.json("remember", "walnut", "-k", "fact", "--json")
    alter(project, "DELETE FROM memory_entry_search_fts")
    found = project.json("search", "walnut", "--json")
    assert found["hits"] == []
    assert "index lacks entries" in found["note"]


@pytest.mark.parametrize("sql", ["DROP TABLE memory_entry_search_fts", "DROP TABLE sources"])
def test_verify_reports_a_database_that_refuses_to_be_read(project: Project, sql: str) -> None:
    project.json("remember", "kept", "-k", "fact", "-e", "Makefile", "--json")
    alter(project, sql)
    done = project.memlens("verify", "--json")
    assert done.returncode == 3, done.stderr.decode()
    assert "database_damage" in {problem["code"] for problem in json.loads(done.stdout)["problems"]}


@pytest.mark.parametrize("home", ["h" * 300, "h\udcff"])
def test_a_home_that_cannot_be_named_is_said(project: Project, home: str) -> None:
    environ = {**project.environ, "MEMLENS_HOME": str(project.home / home)}
    expect_typed(run(project, "remember", "x", "-k", "fact", "--json", env=environ), "home_not_writable")


def test_a_database_path_that_cannot_be_used_is_never_replaced_by_another(project: Project) -> None:
    environ = {**project.environ, "MEMLENS_DATABASE_PATH": "relative.db"}
    expect_typed(run(project, "remember", "x", "-k", "fact", "--json", env=environ), "invalid_settings")
    assert not project.home.exists()


def test_a_fifo_in_place_of_the_persons_name_does_not_hang(project: Project) -> None:
    project.json("remember", "kept", "-k", "fact", "--json")
    (project.home / "config").mkdir(exist_ok=True)
    os.mkfifo(project.home / "config" / "user")
    expect_typed(run(project, "search", "kept", "--json", timeout=20), "home_not_writable")
