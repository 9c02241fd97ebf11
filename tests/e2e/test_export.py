"""``memlens export`` and ``import`` are each other's inverse; ``memlens overview`` shows what there is."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from e2e.conftest import FILES, Project, make_repository

HOSTILE = (
    "<img src=x onerror=alert(1)> [go](command:memlens.forget)\n# Heading\n\n- item `code` ![i](http://x)\n\u202e1. one"
)
ENTRIES = [
    {
        "key": 1,
        "kind": "fact",
        "text": "`docs/guide.md` comes first.",
        "evidence": ["docs/guide.md", "AGENTS.md#L3-L4"],
    },
    {"key": 2, "kind": "constraint", "text": "No floats.", "applies": {"paths": ["src/**"], "symbols": ["Pay.send"]}},
    {"key": 3, "kind": "constraint", "text": "No floats.", "applies": {"paths": ["docs/"], "origin": "pinned"}},
    {"key": 4, "kind": "constraint", "text": "No floats.", "applies": {"paths": ["site/"], "origin": "muted"}},
    {"key": 5, "kind": "preference", "text": "Short lines.", "scope": "user", "evidence": ["docs/guide.md"]},
    {"key": 6, "kind": "house rule", "text": HOSTILE},
]


def lines(project: Project, *options: str) -> list[dict[str, Any]]:
    done = project.memlens("export", *options)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.splitlines()]


def bare(exported: list[dict[str, Any]]) -> list[str]:
    """Everything but the identifiers of the entries, which each memory makes anew."""
    return sorted(json.dumps({**line, "key": None}, sort_keys=True) for line in exported)


@pytest.fixture
def filled(project: Project) -> Project:
    project.json("import", stdin="\n".join(map(json.dumps, ENTRIES)))
    return project


def other(project: Project, tmp_path: Path) -> Project:
    root = tmp_path / "other"
    root.mkdir()
    make_repository(root, FILES)
    return replace(project, root=root, home=tmp_path / "other-home")


def test_what_is_exported_is_imported_as_it_was(filled: Project, tmp_path: Path) -> None:
    exported = lines(filled)
    target = other(filled, tmp_path)
    target.json("import", stdin="\n".join(map(json.dumps, exported)))
    assert bare(lines(target)) == bare(exported)
    assert len(exported) == len(ENTRIES)


def test_the_evidence_goes_along_byte_by_byte(filled: Project) -> None:
    (guide,) = [line for line in lines(filled) if line["text"] == ENTRIES[0]["text"]]
    assert {source["content"]["path"] for source in guide["evidence"]} == {"docs/guide.md", "AGENTS.md"}
    assert all(source["source_id"] and source["content_hash"] for source in guide["evidence"])


def test_what_a_person_decided_stays_what_it_was_of_each_origin(filled: Project) -> None:
    applies = [line["applies"] for line in lines(filled, "--repo-only") if line["text"] == "No floats."]
    assert sorted(applies, key=lambda each: str(each["origin"])) == [
        {"paths": ["src/**"], "symbols": ["Pay.send"], "origin": "confirmed"},
        {"paths": ["site/"], "origin": "muted"},
        {"paths": ["docs/"], "origin": "pinned"},
    ]


def test_importing_again_changes_nothing(filled: Project, tmp_path: Path) -> None:
    target = other(filled, tmp_path)
    sent = filled.memlens("export").stdout
    target.json("import", stdin=sent)
    before = target.json("status", "--json")
    target.json("import", stdin=sent)
    filled.json("import", stdin=sent)
    after = target.json("status", "--json")
    assert (after["memory"], after["personal_memory"]) == (before["memory"], before["personal_memory"])
    assert filled.memlens("export").stdout == sent


def test_one_memory_alone(filled: Project) -> None:
    assert [line["text"] for line in lines(filled, "--personal")] == ["Short lines."]
    assert not [line for line in lines(filled, "--repo-only") if "scope" in line]
    assert filled.error("export", "--personal", "--repo-only")["code"] == "invalid_input"


def test_where_nothing_is_remembered_nothing_is_exported_or_created(project: Project) -> None:
    assert lines(project) == []
    assert project.json("overview", "--json")["entries"] == []
    assert b"Nothing is remembered here yet." in project.memlens("overview").stdout
    assert not project.home.exists()


def test_the_overview_tells_where_entries_apply_and_what_went_stale(filled: Project) -> None:
    (filled.root / "docs/guide.md").unlink()
    forgotten = filled.json("remember", "Gone.", "-k", "fact", "--json")
    filled.json("forget", forgotten["entry_id"], "--json")
    found = filled.json("overview", "--json")
    assert found["kinds"] == {"constraint": 1, "preference": 1, "fact": 1, "house rule": 1}
    assert found["inactive"] == 1
    by_text = {entry["text"]: entry for entry in found["entries"]}
    guide = by_text["`docs/guide.md` comes first."]
    assert (guide["orphans"], guide["changed_evidence"]) == (["docs/guide.md"], ["docs/guide.md"])
    assert by_text["No floats."]["applies"] == ["src/**", "docs/", "Pay.send"]
    assert by_text["Short lines."]["scope"] == "user"


def test_the_overview_and_doctor_name_the_same_stale_entries(filled: Project) -> None:
    shutil.rmtree(filled.root / "docs")
    checks = {check["check"]: check for check in json.loads(filled.memlens("doctor", "--json").stdout)["checks"]}
    found = filled.json("overview", "--json")["entries"]
    assert {each["entry_id"] for each in checks["targets"]["details"]} == {
        entry["entry_id"] for entry in found if entry["orphans"]
    }
    assert {each["entry_id"] for each in checks["evidence"]["details"]} == {
        entry["entry_id"] for entry in found if entry["changed_evidence"]
    }


def test_the_plain_overview_is_a_document_in_which_memory_is_only_text(filled: Project) -> None:
    document = filled.memlens("overview").stdout.decode()
    assert document.startswith("# Memory of ")
    headings = [line for line in document.splitlines() if line.startswith("#")]
    assert headings[1:] == [
        "## To look at",
        "## Constraint (1)",
        "## Preference (1)",
        "## Fact (1)",
        "## House rule (1)",
    ]
    assert "<img" not in document.replace("\\<img", "")
    assert "](command:" not in document.replace("\\](", "")
    assert "\u202e" not in document


def test_damaged_entries_are_left_out_and_named(filled: Project) -> None:
    connection = apsw.Connection(str(filled.home / "data" / "memlens.db"))
    connection.execute("UPDATE memory_entry_versions SET text = 'altered' WHERE text = 'No floats.'")
    connection.close()
    found = filled.json("overview", "--json")
    done = filled.memlens("export")
    assert done.returncode == 3
    assert found["damaged_entries"][0].encode() in done.stderr
    assert b"altered" not in done.stdout
    assert len(done.stdout.splitlines()) == 3
    document = filled.memlens("overview").stdout.decode()
    assert f"Damaged and not shown: `{found['damaged_entries'][0]}`." in document
    assert "altered" not in document
