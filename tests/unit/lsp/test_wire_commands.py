"""The workspace commands over real pipes: typed arguments, typed errors, never unanswered (spec 2.2, 2.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import entry, fake
from .wire_client import WireClient

CITATION = {"memory_ref": {"artifact_id": "memory-1", "revision": 1}, "entry_id": "e1", "entry_version_id": "e1-v1"}


@pytest.fixture
def session(client: WireClient, workspace: Path) -> WireClient:
    client.initialize(workspace, initializationOptions=fake(entry("e1"), entry("e2")))
    return client


def test_remember_returns_what_it_left_behind(session: WireClient) -> None:
    assert session.command("memlens.remember", {"kind": "fact", "text": "New."}) == {
        "entry_id": "entry-3",
        "entry_version_id": "entry-3-v1",
        "memory": {"artifact_id": "memory-1", "revision": 2},
        "changed": True,
    }


@pytest.mark.parametrize("argument", [None, {}, {"confirm": True}, {"to": "repo:x"}, {"forget_clone": "/x"}])
def test_bind_changes_what_it_is_asked_to_and_else_nothing(session: WireClient, argument: Any) -> None:
    asked_nothing = {"confirm": False, "to": None, "forget_clone": None}
    assert session.command("memlens.bind", argument) == {**asked_nothing, **(argument or {})}


@pytest.mark.parametrize("argument", [{"confirm": "yes"}, {"to": 1}, {"confirmed": True}])
def test_bind_with_arguments_of_the_wrong_shape_changes_nothing(session: WireClient, argument: Any) -> None:
    assert session.command_error("memlens.bind", argument).code == -32602


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((1, 0), (1, 0), [2, 2]),
        ((0, 0), (2, 0), [1, 2]),
        ((0, 3), (2, 1), [1, 3]),
        ((2, 1), (0, 3), [1, 3]),
        ((2, 0), (99, 0), [3, 4]),
    ],
)
def test_a_selection_is_evidence_from_the_open_text(
    session: WireClient, workspace: Path, start: tuple[int, int], end: tuple[int, int], lines: list[int]
) -> None:
    uri = (workspace / "a.py").as_uri()
    session.open(uri, "one\ntwo\nthree\n")
    selection = {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }
    session.command("memlens.remember", {"kind": "fact", "text": "one", "uri": uri, "range": selection})
    hover = session.hover(uri, 0)["contents"]["value"]
    assert f"a.py#L{lines[0]}" in hover


def test_a_selection_outside_of_the_repository_is_refused(shared: WireClient) -> None:
    selection = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    arguments = {"kind": "fact", "text": "x", "uri": "file:///elsewhere/a.py", "range": selection}
    assert shared.command_error("memlens.remember", {**arguments, "uri": "untitled:x"}).code == -32602
    assert shared.command_error("memlens.remember", {**arguments, "uri": None}).code == -32602


def test_the_other_commands(session: WireClient) -> None:
    revised = session.command("memlens.revise", {"entry_id": "e1", "text": "New wording.", "reason": "clearer"})
    assert (revised["entry_id"], revised["changed"]) == ("e1", True)
    assert session.command("memlens.expand", {"citations": [CITATION]}) == [{"entry_id": "e1", "text": "New wording."}]
    assert session.command("memlens.forget", {"entry_id": "e1"})["entry_id"] == "e1"
    assert session.command("memlens.reactivate", {"entry_id": "e1"})["changed"] is False
    assert [receipt["entry_id"] for receipt in session.command("memlens.forget", {"entry_ids": ["e2"]})] == ["e2"]
    found = session.command("memlens.search", {"query": "rule", "limit": 3})
    assert (found["mode"], found["limit"], found["hits"]) == ("auto", 3, [])
    assert session.command("memlens.status")["entries"] == 0
    assert session.command("memlens.status", {})["entries"] == 0


def test_restoring_undoing_and_organizing_answer_with_receipts(session: WireClient) -> None:
    restored = session.command("memlens.restore", {"entry_id": "e1", "version": 2, "reason": "it was right"})
    assert (restored["entry_id"], restored["entry_version_id"]) == ("e1", "e1-as-2")
    by_id = session.command("memlens.restore", {"entry_id": "e1", "version": "e1-v1"})
    assert by_id["entry_version_id"] == "e1-as-e1-v1"
    assert session.command("memlens.organize") == []
    assert session.command("memlens.organize", {"steps": "dedupe", "scope": "user"}) == []
    assert session.command_error("memlens.undo", {"scope": "user"}).data == {"code": "cannot_undo"}
    assert [receipt["entry_id"] for receipt in session.command("memlens.organize", {"steps": "dedupe"})] == ["e2"]
    assert [receipt["entry_id"] for receipt in session.command("memlens.undo", {})] == ["e1"]
    assert session.command("memlens.status")["entries"] == 0


def test_undoing_what_somebody_else_did_is_refused(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1"), elsewhere=True))
    error = client.command_error("memlens.undo")
    assert (error.code, error.data) == (-32803, {"code": "cannot_undo"})


def test_what_a_person_said_is_evidence(session: WireClient) -> None:
    session.command("memlens.remember", {"kind": "fact", "text": "New.", "note": "said once", "evidence": ["a.py"]})
    session.command("memlens.revise", {"entry_id": "e1", "text": "Newer.", "note": "said twice"})
    assert session.command("memlens.status")["notes"] == ["said once", "said twice"]


WRONG: list[tuple[str, Any, str]] = [
    ("memlens.remember", None, "kind: Field required"),
    ("memlens.remember", "text", "valid dictionary"),
    ("memlens.remember", [], "valid dictionary"),
    ("memlens.remember", {"kind": "fact"}, "text: Field required"),
    ("memlens.remember", {"kind": "fact", "text": 5}, "text: Value error, Input should be a valid string"),
    ("memlens.remember", {"kind": "fact", "text": "x", "scope": "all"}, "scope"),
    ("memlens.remember", {"kind": "fact", "text": "x", "unknown": 1}, "unknown: Extra inputs are not permitted"),
    ("memlens.remember", {"kind": "fact", "text": "x", "jsonrpc": "2.0"}, "jsonrpc: Extra inputs"),
    ("memlens.remember", {"kind": "fact", "text": "x", "evidence": [{"path": 5}]}, "evidence.0"),
    ("memlens.remember", {"kind": "fact", "text": "x", "applies": {"paths": "x"}}, "applies.paths"),
    ("memlens.revise", {"text": "x"}, "entry_id: Field required"),
    ("memlens.restore", {"entry_id": "a"}, "version"),
    ("memlens.restore", {"entry_id": "a", "version": 0}, "version"),
    ("memlens.restore", {"entry_id": "a", "version": True}, "version"),
    ("memlens.restore", {"entry_id": "a", "version": 1.5}, "version"),
    ("memlens.restore", {"version": 1}, "entry_id: Field required"),
    ("memlens.undo", {"entry_id": "a"}, "entry_id: Extra inputs"),
    ("memlens.undo", {"scope": "all"}, "scope"),
    ("memlens.organize", {"steps": "merge"}, "steps"),
    ("memlens.organize", {"steps": ["dedupe"]}, "steps"),
    ("memlens.forget", {}, "either entry_id or entry_ids"),
    ("memlens.forget", {"entry_id": "a", "entry_ids": ["b"]}, "either entry_id or entry_ids"),
    ("memlens.forget", {"entry_ids": []}, "entry_ids"),
    ("memlens.search", {"query": "x", "limit": 0}, "limit"),
    ("memlens.search", {"query": "x", "limit": "5"}, "limit"),
    ("memlens.search", {"query": "x", "limit": True}, "limit"),
    ("memlens.expand", {"citations": []}, "citations"),
    ("memlens.expand", {"citations": [{"memory_ref": "x"}]}, "citations.0.memory_ref"),
    ("memlens.status", {"uri": "untitled:x"}, "on this machine"),
    ("memlens.status", {"folder": "relative/path"}, "on this machine"),
    ("memlens.none", {}, "There is no command 'memlens.none'"),
]


@pytest.mark.parametrize(("name", "argument", "part"), WRONG)
def test_wrong_arguments_are_invalid_params_that_name_the_part(
    shared: WireClient, name: str, argument: Any, part: str
) -> None:
    error = shared.command_error(name, argument)
    assert (error.code, error.data) == (-32602, {"code": "invalid_arguments"})
    assert part in error.message


def test_more_than_one_argument_is_refused(shared: WireClient) -> None:
    error = shared.error_of("workspace/executeCommand", {"command": "memlens.status", "arguments": [{}, {}]})
    assert error.code == -32602


@pytest.mark.parametrize("nested", [{"jsonrpc": "2.0", "id": 9, "method": "exit"}, {"jsonrpc": "2.0", "result": 1}])
def test_an_argument_that_looks_like_a_message_is_an_argument(shared: WireClient, nested: dict[str, Any]) -> None:
    assert shared.command_error("memlens.search", nested).code == -32602
    assert shared.command("memlens.search", {"query": "after"})["query"] == "after"


@pytest.mark.parametrize(
    ("name", "argument", "code"),
    [
        ("memlens.search", {"query": "busy"}, "database_busy"),
        ("memlens.forget", {"entry_id": "none"}, "unknown_entry"),
        ("memlens.revise", {"entry_id": "none", "text": "x"}, "unknown_entry"),
        ("memlens.remember", {"kind": "fact", "text": "a\ud83db"}, "invalid_text"),
    ],
)
def test_a_refusal_of_the_domain_has_its_own_code_and_message(
    shared: WireClient, name: str, argument: Any, code: str
) -> None:
    error = shared.command_error(name, argument)
    assert (error.code, error.data) == (-32803, {"code": code})
    assert ":" in error.message


def test_a_defect_is_an_internal_error_that_quotes_nothing(shared: WireClient) -> None:
    error = shared.command_error("memlens.search", {"query": "bug"})
    assert error.code == -32603
    assert "secret" not in error.message


def test_lone_surrogates_in_a_query_are_replaced(shared: WireClient) -> None:
    assert shared.command("memlens.search", {"query": "a\ud83db"})["query"] == "a\ufffdb"


def test_without_a_folder_commands_say_what_they_need(client: WireClient, workspace: Path) -> None:
    client.initialize(None, initializationOptions=fake())
    assert "`folder`" in client.command_error("memlens.status").message
    assert client.command("memlens.status", {"folder": workspace.as_uri()})["entries"] == 0
