"""Hover, lenses, hints, refresh and folders over real pipes (spec 2.2, E5)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import entry, fake
from .wire_client import FULL_CAPABILITIES, WireClient

Connect = Callable[..., WireClient]


def capabilities(**text_document: Any) -> dict[str, Any]:
    return {"textDocument": text_document}


def test_the_surfaces_of_a_file(client: WireClient, workspace: Path) -> None:
    options = fake(entry("e1", "make"), entry("e2", kind="preference"), line_lenses=True)
    client.initialize(workspace, initializationOptions=options)
    uri = (workspace / "src" / "a.py").as_uri()
    client.open(uri, "x\nmake\n")
    hover = client.hover(uri, 1)["contents"]
    assert hover["kind"] == "markdown"
    assert hover["value"].startswith("**constraint**\n\nRule e1.\n\n*Why here:* names src/a.py")
    assert [(lens["range"]["start"]["line"], lens["command"]["title"]) for lens in client.lenses(uri)] == [
        (0, "1 constraint · 1 preference"),
        (1, "■ Rule e1."),
    ]
    (hint,) = client.hints(uri)
    assert hint["position"] == {"line": 1, "character": 4}
    assert hint["label"][0]["value"] == "■ Rule e1."
    assert hint["label"][0]["tooltip"] == "constraint: Rule e1."


def test_lens_and_hint_commands_can_be_sent_back_as_they_are(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "make")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "make\n")
    commands = [client.lenses(uri)[0]["command"], client.hints(uri)[0]["label"][0]["command"]]
    for command in commands:
        result = client.request("workspace/executeCommand", {key: command[key] for key in ("command", "arguments")})
        assert result == [{"entry_id": "e1", "text": "Rule e1."}]


def test_hints_of_the_asked_range_alone(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "X\nX\nX\nX\n")
    assert [hint["position"]["line"] for hint in client.hints(uri, 1, 3)] == [1, 2]


def test_no_memory_is_null_and_empty_lists(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "a\n")
    assert (client.hover(uri, 0), client.lenses(uri), client.hints(uri)) == (None, [], [])


@pytest.mark.parametrize(
    ("content_format", "kind"),
    [(["markdown", "plaintext"], "markdown"), (["plaintext"], "plaintext"), (["plaintext", "markdown"], "plaintext")],
)
def test_hover_is_in_the_format_that_the_client_prefers(
    client: WireClient, workspace: Path, content_format: list[str], kind: str
) -> None:
    client.initialize(
        workspace,
        capabilities=capabilities(hover={"contentFormat": content_format}),
        initializationOptions=fake(entry("e1", text="*text*")),
    )
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "x")
    contents = client.hover(uri, 0)["contents"]
    assert contents["kind"] == kind
    assert ("\\*text\\*" in contents["value"]) == (kind == "markdown")


def test_what_the_client_cannot_use_is_not_offered(client: WireClient) -> None:
    offered = client.initialize(None, capabilities={})["capabilities"]
    assert not {"hoverProvider", "codeLensProvider", "inlayHintProvider"} & offered.keys()
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2}
    assert "memlens.remember" in offered["executeCommandProvider"]["commands"]


def test_each_surface_can_be_turned_off_alone(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X"), no_hover=True))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "X")
    assert client.hover(uri, 0) is None
    assert len(client.hints(uri)) == 1


@pytest.mark.parametrize("trusted", [True, False])
def test_command_links_need_a_client_that_trusts_them(client: WireClient, workspace: Path, trusted: bool) -> None:
    trusting = {"experimental": {"memlens": {"commandLinks": trusted}}}
    client.initialize(
        workspace, capabilities={**FULL_CAPABILITIES, **trusting}, initializationOptions=fake(entry("e1"))
    )
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "x")
    assert ("(command:memlens." in client.hover(uri, 0)["contents"]["value"]) is trusted


def test_evidence_links_are_spelled_as_the_client_spells_the_document(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", path="src/a b.py", lines=[3, 4])))
    uri = (workspace / "src" / "a b.py").as_uri().replace("/w/", "/%77/")
    client.open(uri, "x")
    assert f"({uri.removesuffix('src/a%20b.py')}src/a%20b.py#L3)" in client.hover(uri, 0)["contents"]["value"]


def test_a_write_refreshes_what_is_shown(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake())
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "a\nNever\n")
    assert client.hints(uri) == []
    selection = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}}
    client.command("memlens.remember", {"kind": "constraint", "text": "Never do it.", "uri": uri, "range": selection})
    changed = client.wait_for("memlens/changed")
    client.wait_for("workspace/inlayHint/refresh")
    client.wait_for("workspace/codeLens/refresh")
    assert changed["params"] == {"heads": [{"artifact_id": "memory-1", "revision": 2}]}
    assert client.lenses(uri)[0]["command"]["title"] == "1 constraint"


def test_a_client_without_refresh_is_not_asked_to_refresh(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, capabilities=capabilities(inlayHint={}), initializationOptions=fake())
    client.command("memlens.remember", {"kind": "fact", "text": "x"})
    client.wait_for("memlens/changed")
    client.shut_down()
    assert {message["method"] for message in client.received} == {"memlens/changed"}


def test_many_writes_at_once_are_few_refreshes(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake())
    for number in range(30):
        client.command("memlens.remember", {"kind": "fact", "text": f"fact {number}"})
    last = {"heads": [{"artifact_id": "memory-1", "revision": 31}]}
    client.poll(
        lambda: (client.command("memlens.status"), client.received[-1:])[1] and client.received,
        lambda received: any(message.get("params") == last for message in received),
    )
    assert client.count("memlens/changed") < 25


def test_when_the_memory_cannot_be_opened_it_is_said_once_and_nothing_is_shown(
    client: WireClient, workspace: Path
) -> None:
    client.allow("window/showMessage")
    client.initialize(workspace, initializationOptions=fake(open_error=True))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "x")
    for _ in range(3):
        assert (client.hover(uri, 0), client.lenses(uri), client.hints(uri)) == (None, None, None)
    error = client.command_error("memlens.status")
    assert (error.code, error.data) == (-32803, {"code": "storage_error"})
    assert error.message == "The database cannot be opened: check MEMLENS_HOME."
    assert client.leave() == 0
    assert client.count("window/showMessage") == 1


def test_why_a_repository_shows_nothing_is_said_once_however_many_files_are_opened(
    client: WireClient, workspace: Path
) -> None:
    client.allow("window/showMessage")
    client.initialize(workspace, initializationOptions=fake(notice="Run `memlens bind --confirm`."))
    for name in "abc":
        uri = (workspace / f"{name}.py").as_uri()
        client.open(uri, "x")
        assert not client.hints(uri)
    message = client.wait_for("window/showMessage")["params"]
    assert message == {"type": 2, "message": "MemLens: Run `memlens bind --confirm`."}
    assert client.leave() == 0
    assert client.count("window/showMessage") == 1


def test_when_the_memory_cannot_be_read_the_surfaces_are_empty(client: WireClient, workspace: Path) -> None:
    client.allow("window/showMessage")
    client.initialize(workspace, initializationOptions=fake(unreadable=True))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "x")
    assert client.hover(uri, 0) is None
    client.wait_for("window/showMessage")
    assert client.leave() == 0


def test_several_folders_have_a_memory_each(client: WireClient, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / ".git").mkdir(parents=True)
    client.initialize(one, initializationOptions=fake())
    added = [{"uri": two.as_uri(), "name": "two"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    assert "several" in client.command_error("memlens.status").message.lower()
    client.command("memlens.remember", {"kind": "fact", "text": "of two", "folder": two.as_uri()})
    assert client.command("memlens.status", {"folder": str(one)})["entries"] == 0
    assert client.command("memlens.status", {"uri": (two / "a.py").as_uri()})["entries"] == 1
    removed = [{"uri": one.as_uri(), "name": "one"}]
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": removed}})
    assert client.command("memlens.status")["entries"] == 1
    client.wait_for("workspace/inlayHint/refresh", 3)


def test_a_folder_without_git_is_one_repository_as_a_whole(client: WireClient, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    client.initialize(folder, initializationOptions=fake())
    assert client.command("memlens.status", {"uri": (folder / "sub" / "a.py").as_uri()})["root"] == str(folder)
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    assert client.command("memlens.status", {"uri": (outside / "a.py").as_uri()})["root"] == str(outside)


def test_a_folder_given_as_root_path_alone_is_understood(client: WireClient, workspace: Path) -> None:
    params = {"processId": None, "rootUri": None, "rootPath": str(workspace), "capabilities": {}}
    client.request("initialize", {**params, "initializationOptions": fake()})
    assert client.command("memlens.status")["root"] == str(workspace)
