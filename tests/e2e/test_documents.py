"""Virtual documents, workspace symbols and the commands that read, in an editor (spec 2.2)."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from e2e.conftest import FILES, Project, make_repository
from e2e.editor import Editor, plain, session

HOSTILE = "<img src=x> [go](command:memlens.forget)\n# Heading\n- item"
SITE = "`site/` is generated output."
MODERN = types.WorkspaceClientCapabilities(
    symbol=types.WorkspaceSymbolClientCapabilities(),
    text_document_content=types.TextDocumentContentClientCapabilities(),
)


@pytest.fixture
async def editor(project: Project) -> AsyncIterator[Editor]:
    """A client of LSP 3.18."""
    async with session(project, "visual_studio_code", MODERN) as running:
        yield running


@pytest.fixture
async def remembered(editor: Editor) -> dict[str, Any]:
    """Two Revisions: an entry with evidence, and a hostile one."""
    site = await editor.command(
        "remember", kind="constraint", text=SITE, evidence=[{"path": "AGENTS.md", "start_line": 4}]
    )
    hostile = await editor.command("remember", kind="fact", text=HOSTILE)
    return {"site": site, "hostile": hostile}


def uri(editor: Editor, path: str) -> str:
    return f"memlens:/{path}.md?root={quote(editor.project.root.as_uri(), safe='')}"


async def custom(editor: Editor, address: Any) -> Any:
    return plain(await editor.client.protocol.send_request_async("memlens/textDocumentContent", {"uri": address}))


async def text_of(editor: Editor, address: str) -> str:
    """Return a document; both requests must answer the same."""
    answer = await editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(address))
    assert await custom(editor, address) == {"text": answer.text}
    return answer.text


async def symbols(editor: Editor, query: str) -> Any:
    found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams(query))
    return [(each.name, each.container_name, each.location.uri, each.location.range.start.line) for each in found or []]


async def code_of(request: Any) -> int:
    with pytest.raises(JsonRpcException) as caught:
        await request
    return caught.value.code


async def test_what_is_offered_is_what_the_client_can_use(editor: Editor) -> None:
    assert editor.offered.workspace_symbol_provider is True
    assert editor.offered.workspace is not None
    content = editor.offered.workspace.text_document_content
    assert list(getattr(content, "schemes", ())) == ["memlens"]


async def test_a_client_without_either_is_offered_neither_but_can_ask(project: Project) -> None:
    async with session(project, "neovim", types.WorkspaceClientCapabilities()) as editor:
        assert editor.offered.workspace_symbol_provider is None
        assert editor.offered.workspace is not None
        assert editor.offered.workspace.text_document_content is None
        assert "Nothing is remembered" in (await custom(editor, uri(editor, "overview")))["text"]


async def test_the_overview_is_that_of_the_command_line(editor: Editor, remembered: dict[str, Any]) -> None:
    document = await text_of(editor, uri(editor, "overview"))
    assert document == editor.project.memlens("overview").stdout.decode()
    assert "## Constraint (1)" in document
    assert remembered["site"]["entry_id"] in document


async def test_an_entry_shows_its_history(editor: Editor, remembered: dict[str, Any]) -> None:
    entry_id = remembered["site"]["entry_id"]
    await editor.command("revise", entry_id=entry_id, text="Never edit site.", reason="clearer")
    document = await text_of(editor, uri(editor, f"entry/{entry_id}"))
    assert document.index("Never edit site") < document.index("is generated output")
    assert "clearer" in document


async def test_an_exact_revision_stays_what_it_was(editor: Editor, remembered: dict[str, Any]) -> None:
    memory = remembered["site"]["memory"]
    address = uri(editor, f"revision/{memory['artifact_id']}@{memory['revision']}")
    before = await text_of(editor, address)
    await editor.command("forget", entry_id=remembered["site"]["entry_id"])
    assert await text_of(editor, address) == before
    assert "1 active entry." in before
    assert "generated output" in before


async def test_the_change_log_has_every_revision_and_also_what_was_forgotten(
    editor: Editor, remembered: dict[str, Any]
) -> None:
    await editor.command("forget", entry_id=remembered["site"]["entry_id"], reason="wrong")
    document = await text_of(editor, uri(editor, "changes"))
    assert [line.split(",")[0] for line in document.splitlines() if line.startswith("## ")] == [
        "## Revision 3",
        "## Revision 2",
        "## Revision 1",
    ]
    assert "(wrong)" in document


async def test_memory_is_text_in_every_document(editor: Editor, remembered: dict[str, Any]) -> None:
    memory, entry_id = remembered["hostile"]["memory"], remembered["hostile"]["entry_id"]
    revision = f"revision/{memory['artifact_id']}@{memory['revision']}"
    for path in ("overview", "changes", f"entry/{entry_id}", revision):
        document = (await text_of(editor, uri(editor, path))).replace("\\<", "").replace("\\]", "")
        assert "Heading" in document
        assert "<" not in document
        assert "](" not in document
        assert not [line for line in document.splitlines() if line.startswith(("# Heading", "- item"))]


@pytest.mark.parametrize("respell", [unquote, lambda address: address.replace("root=", "root%3D")])
async def test_a_uri_that_comes_back_in_another_spelling_is_the_same(editor: Editor, respell: Any) -> None:
    address = uri(editor, "overview")
    assert await text_of(editor, respell(address)) == await text_of(editor, address)


@pytest.mark.parametrize(
    "address",
    [
        "memlens:/nothing.md?root={root}",
        "memlens:/overview.md",
        "memlens:/overview.md?root=",
        "memlens:/overview.md?root=https%3A%2F%2Fx.example",
        "memlens:/overview.md?root=relative",
        "memlens:/entry/mem_ent_nope.md?root={root}",
        "memlens:/entry/a%2Fb.md?root={root}",
        "memlens:/entry/%FF.md?root={root}",
        "memlens:/entry/..%2F..%2Fetc%2Fpasswd.md?root={root}",
        "memlens:/revision/mem_art_nope@1.md?root={root}",
        "memlens:/revision/{artifact}@99.md?root={root}",
        "memlens:/revision/{artifact}@0.md?root={root}",
        "memlens:/revision/{artifact}.md?root={root}",
        "file:///etc/passwd",
        "",
    ],
)
async def test_a_uri_of_no_document_is_refused(editor: Editor, remembered: dict[str, Any], address: str) -> None:
    root = quote(editor.project.root.as_uri(), safe="")
    given = address.format(root=root, artifact=remembered["site"]["memory"]["artifact_id"])
    params = types.TextDocumentContentParams(given)
    assert await code_of(editor.client.workspace_text_document_content_async(params)) == -32602
    assert await code_of(custom(editor, given)) == -32602


@pytest.mark.parametrize("params", [None, [], {}, {"uri": 5}, {"uri": None}])
async def test_params_of_the_wrong_shape_are_refused(editor: Editor, params: Any) -> None:
    request = editor.client.protocol.send_request_async("memlens/textDocumentContent", params)
    assert await code_of(request) == -32602


async def test_the_memory_of_another_repository_is_not_to_be_read(
    editor: Editor, remembered: dict[str, Any], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    make_repository(other, FILES)
    memory = remembered["site"]["memory"]
    path = f"memlens:/revision/{memory['artifact_id']}@{memory['revision']}.md"
    assert await code_of(custom(editor, f"{path}?root={quote(other.as_uri(), safe='')}")) == -32602


async def test_symbols_are_entries_at_their_evidence_or_their_document(
    editor: Editor, remembered: dict[str, Any]
) -> None:
    assert await symbols(editor, "mem generated") == [(f"mem {SITE}", "constraint", editor.uri("AGENTS.md"), 3)]
    ((name, _, location, line),) = await symbols(editor, "mem item")
    assert "\n" not in name
    assert (location, line) == (uri(editor, f"entry/{remembered['hostile']['entry_id']}"), 0)
    assert "Heading" in await text_of(editor, location)


async def test_symbols_follow_evidence_that_moved_and_leave_that_which_is_gone(
    editor: Editor, remembered: dict[str, Any]
) -> None:
    file = editor.project.root / "AGENTS.md"
    file.write_text("one\ntwo\n" + file.read_text())
    ((_, _, location, line),) = await symbols(editor, "mem generated")
    assert (location, line) == (editor.uri("AGENTS.md"), 5)
    file.unlink()
    ((_, _, location, _),) = await symbols(editor, "mem generated")
    assert location == uri(editor, f"entry/{remembered['site']['entry_id']}")


@pytest.mark.parametrize(
    "query", ["generated", "", "mem", "mem ", "mem   ", "memory generated", " mem generated", "MEM x"]
)
async def test_every_other_query_finds_nothing(editor: Editor, remembered: dict[str, Any], query: str) -> None:
    assert await symbols(editor, query) == []


async def test_every_other_query_is_answered_while_the_database_cannot_be_read(project: Project) -> None:
    project.json("remember", SITE, "-k", "fact", "--json")
    (project.home / "data" / "memlens.db").write_bytes(b"no database" * 1000)
    async with session(project, "neovim", MODERN) as editor:
        assert await symbols(editor, "generated") == []
        assert await code_of(symbols(editor, "mem generated")) == -32803


async def test_the_commands_that_read_answer_as_the_command_line_does(
    editor: Editor, remembered: dict[str, Any]
) -> None:
    entry_id = remembered["site"]["entry_id"]
    assert await editor.command("changes") == editor.project.json("changes", "--json")
    assert await editor.command("changes", since_revision=0) == editor.project.json("changes", "--since", "0", "--json")
    assert await editor.command("history", entry_id=entry_id) == editor.project.json("history", entry_id, "--json")
    assert await editor.command("overview") == editor.project.json("overview", "--json")
    assert await editor.command("verify") == editor.project.json("verify", "--json")
    (shown,) = editor.project.json("show", "site/index.html", "--json")
    assert shown["file_level"]
    assert await editor.command("show", uri=editor.uri("site/index.html")) == shown


async def test_show_takes_an_open_file_as_it_is_in_the_editor(editor: Editor) -> None:
    await editor.command("remember", kind="preference", text="Run `make docs-test` first.")
    editor.open("Makefile", "# new\n\ndocs-test:\n")
    shown = await editor.command("show", uri=editor.uri("Makefile"))
    assert [anchor["line"] for anchor in shown["line_level"]] == [3]


@pytest.mark.parametrize(
    ("name", "argument", "code"),
    [
        ("show", {}, -32602),
        ("show", {"uri": "untitled:x"}, -32602),
        ("history", {}, -32602),
        ("history", {"entry_id": "mem_ent_nope"}, -32803),
        ("changes", {"since_revision": -1}, -32602),
        ("overview", {"surprise": 1}, -32602),
        ("verify", {"surprise": 1}, -32602),
    ],
)
async def test_wrong_arguments_are_refused(editor: Editor, name: str, argument: dict[str, Any], code: int) -> None:
    assert await code_of(editor.command(name, **argument)) == code


async def test_show_of_what_is_ignored_binary_or_missing_has_no_anchors(editor: Editor) -> None:
    await editor.command("remember", kind="fact", text="All.", applies={"paths": ["**"]})
    (editor.project.root / "blob").write_bytes(os.urandom(64) + b"\0")
    for path in ("blob", "missing.txt"):
        shown = await editor.command("show", uri=editor.uri(path))
        assert shown == {"path": path, "file_level": [], "line_level": []}


async def test_a_long_command_reports_progress_to_a_client_that_gave_a_token(
    editor: Editor, remembered: dict[str, Any]
) -> None:
    editor.client.progress_reports["t1"] = []
    params = types.ExecuteCommandParams("memlens.verify", [], work_done_token="t1")
    assert plain(await editor.client.workspace_execute_command_async(params))["ok"] is True
    assert [type(report) for report in editor.client.progress_reports["t1"]] == [
        types.WorkDoneProgressBegin,
        types.WorkDoneProgressEnd,
    ]
    quick = types.ExecuteCommandParams("memlens.status", [], work_done_token="t2")
    await editor.client.workspace_execute_command_async(quick)
    assert "t2" not in editor.client.progress_reports
