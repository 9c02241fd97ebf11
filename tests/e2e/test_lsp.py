"""The language server as an editor runs it: ``memlens lsp`` over stdio, driven by pytest-lsp."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from e2e.conftest import Project
from e2e.editor import Editor, plain, session
from e2e.rfc import BUILD, CHECKS, CHECKS_REVISED, IMPORT, QUESTION, SITE, USER_NOTE

REFRESH_SECONDS = 1.0


@pytest.fixture(params=["visual_studio_code", "neovim"])
def client_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def editor(project: Project, client_name: str) -> AsyncIterator[Editor]:
    """A running server, initialized with the capabilities of a real editor."""
    async with session(project, client_name) as running:
        yield running


async def eventually(read: Any, wanted: Any, seconds: float = REFRESH_SECONDS) -> float:
    """Ask until the answer is ``wanted``; returns after how long it was, fails when it takes longer."""
    begun = time.monotonic()
    while True:
        answer = await read()
        took = time.monotonic() - begun
        if answer == wanted:
            return took
        assert took < seconds, f"{answer!r} is not {wanted!r} after {took:.2f} s"
        await asyncio.sleep(0.02)


async def test_hover_lens_and_hints_show_english_and_chinese_entries(editor: Editor) -> None:
    editor.project.json("import", stdin=IMPORT)
    editor.project.json("remember", "For documentation run `make docs-test`.", "-k", "constraint", "--json")
    editor.open("Makefile")
    assert await editor.lenses("Makefile") == [(0, "1 constraint · 1 preference")]
    hints = await editor.hints("Makefile")
    assert [(line, column) for line, column, _ in hints] == [(0, 5), (3, 6), (6, 10)]
    assert "验证约定" in hints[0][2]
    assert "For documentation run" in hints[2][2]
    shown = await editor.hover("Makefile", 6)
    assert shown is not None
    assert "constraint" in shown
    assert "is defined on this line" in shown
    assert await editor.hover("Makefile", 4) is None


async def test_a_directory_named_in_an_entry_shows_on_every_file_below_it(editor: Editor) -> None:
    editor.project.json("import", stdin=IMPORT)
    editor.open("site/index.html")
    assert await editor.lenses("site/index.html") == [(0, "1 constraint")]
    shown = await editor.hover("site/index.html", 0)
    assert shown is not None
    assert "site/ 是生成输出，不作为源材料修改。" in shown.replace("\\", "")


async def test_a_commit_of_another_process_shows_in_the_open_editor_within_a_second(editor: Editor) -> None:
    editor.project.json("remember", "The first entry.", "-k", "fact", "--json")
    editor.open("Makefile")
    assert await editor.lenses("Makefile") == []
    editor.project.json("remember", "Run `make check` first.", "-k", "preference", "--json")
    committed = time.monotonic()
    await eventually(lambda: editor.lenses("Makefile"), [(0, "1 preference")])
    params = plain(await asyncio.wait_for(editor.changes.get(), REFRESH_SECONDS))
    assert time.monotonic() - committed < REFRESH_SECONDS
    assert "heads" in params


async def test_the_first_commit_ever_shows_in_an_editor_that_was_open_before_it(editor: Editor) -> None:
    editor.open("Makefile")
    assert await editor.lenses("Makefile") == []
    editor.project.json("remember", "Run `make check` first.", "-k", "preference", "--json")
    await eventually(lambda: editor.lenses("Makefile"), [(0, "1 preference")])


async def test_the_worked_example_of_the_rfc_through_commands(editor: Editor) -> None:
    texts = {"build": ("fact", BUILD), "checks": ("preference", CHECKS), "site": ("constraint", SITE)}
    kept = {
        key: await editor.command("remember", kind=kind, text=text, evidence=["AGENTS.md"])
        for key, (kind, text) in texts.items()
    }
    checks, site = kept["checks"], kept["site"]
    revised = await editor.command(
        "revise", entry_id=checks["entry_id"], text=CHECKS_REVISED, note=USER_NOTE, reason="user_corrected"
    )
    forgotten = await editor.command("forget", entry_id=site["entry_id"], reason="user_requested")
    assert forgotten["entry_version_id"] == site["entry_version_id"]
    found = await editor.command("search", query=QUESTION, mode="fts", uri=editor.uri("Makefile"))
    assert {hit["text"] for hit in found["hits"]} == {BUILD, CHECKS_REVISED}
    citation = {
        "memory_ref": revised["memory"],
        "entry_id": revised["entry_id"],
        "entry_version_id": revised["entry_version_id"],
    }
    (cited,) = await editor.command("expand", citations=[citation])
    assert (cited["text"], cited["version"]) == (CHECKS_REVISED, 2)
    assert {source["type"] for source in cited["sources"]} == {"DocumentSource", "UserNoteSource"}
    back = await editor.command("reactivate", entry_id=site["entry_id"], reason="user_restored")
    assert back["entry_version_id"] == site["entry_version_id"]
    status = await editor.command("status")
    assert (status["memory"]["revision"], status["memory"]["active"]) == (6, 3)
    assert editor.project.json("verify", "--json")["ok"]


async def test_remembering_a_selection_anchors_the_entry_to_the_selected_lines(editor: Editor) -> None:
    editor.open("docs/guide.md")
    selection = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 5}}
    await editor.command(
        "remember", kind="decision", text="We greet first.", uri=editor.uri("docs/guide.md"), range=selection
    )
    await eventually(lambda: editor.lenses("docs/guide.md"), [(0, "1 decision")])
    assert [(line, column) for line, column, _ in await editor.hints("docs/guide.md")] == [(2, 6)]


async def test_hints_stay_on_their_lines_while_the_text_above_is_edited(editor: Editor) -> None:
    editor.project.json("remember", "Run `make docs-test` first.", "-k", "constraint", "--json")
    editor.open("Makefile")
    await eventually(lambda: lines_of(editor, "Makefile"), [6])
    editor.type("Makefile", 2, 0, 0, "# one\n# two\n")
    assert await lines_of(editor, "Makefile") == [8]
    assert await editor.hover("Makefile", 6) is None
    assert await editor.hover("Makefile", 8) is not None


async def lines_of(editor: Editor, path: str) -> list[int]:
    return [line for line, _, _ in await editor.hints(path)]


@pytest.mark.parametrize("separator", ["\f", "\x85", "\u2028", "\v", "\x1c"])
async def test_only_lf_crlf_and_cr_end_a_line(editor: Editor, separator: str) -> None:
    editor.project.json("remember", "Run `make docs-test` first.", "-k", "constraint", "--json")
    text = f"# a{separator}b\r# c\r\n{separator}test:\n\ndocs-test:\n"
    editor.open("Makefile", text)
    assert await lines_of(editor, "Makefile") == [4]
    editor.type("Makefile", 2, 1, 0, f"# d{separator}\r\n")
    assert await lines_of(editor, "Makefile") == [5]


async def test_columns_after_an_emoji_are_counted_as_the_client_counts(editor: Editor) -> None:
    editor.project.json("remember", "Run `make docs-test` first.", "-k", "constraint", "--json")
    editor.open("Makefile", "# 🚦é队列\ndocs-test: # 😋\n")
    line = "docs-test: # 😋"
    end = {"utf-8": len(line.encode()), "utf-16": len(line.encode("utf-16-le")) // 2, "utf-32": len(line)}
    assert [(line, column) for line, column, _ in await editor.hints("Makefile")] == [(1, end[editor.encoding])]


@pytest.mark.parametrize(
    ("name", "argument", "code", "data"),
    [
        ("remember", {"kind": "fact", "text": ""}, -32803, "invalid_text"),
        ("remember", {"kind": "fact", "text": "x" * 8193}, -32803, "invalid_text"),
        ("remember", {"kind": "fact", "text": "a\0b"}, -32803, "invalid_text"),
        ("remember", {"kind": "k" * 65, "text": "x"}, -32803, "invalid_kind"),
        ("remember", {"kind": "fact"}, -32602, None),
        ("remember", {"kind": 7, "text": "x"}, -32602, None),
        ("remember", {"kind": "fact", "text": "x", "surprise": 1}, -32602, None),
        ("forget", {"entry_id": "mem_ent_nope"}, -32803, "unknown_entry"),
        ("revise", {"entry_id": "mem_ent_nope", "text": "x"}, -32803, "unknown_entry"),
        ("search", {"query": "x", "mode": "hybrid"}, -32803, "capability_not_supported"),
        ("search", {"query": 5}, -32602, None),
    ],
)
async def test_bad_arguments_are_answered_with_a_typed_error_and_the_session_goes_on(
    editor: Editor, name: str, argument: dict[str, Any], code: int, data: str | None
) -> None:
    with pytest.raises(JsonRpcException) as caught:
        await editor.command(name, **argument)
    assert caught.value.code == code
    if data is not None:
        assert plain(caught.value.data) == {"code": data}
    assert (await editor.command("status"))["memory"] is None


async def test_the_teams_switches_reach_the_editor_and_what_the_team_may_not_set_is_said(project: Project) -> None:
    (project.root / ".memlens.toml").write_text("[codeLens]\nlines = true\n[database]\npath = '/tmp/theirs.db'\n")
    project.json("remember", "Run `make check`.", "-k", "constraint", "--json")
    async with session(project, "visual_studio_code") as editor:
        editor.open("Makefile")
        lenses = await editor.lenses("Makefile")
        assert [line for line, _ in lenses] == [0, 3]
        assert [log for log in editor.client.log_messages if ".memlens.toml" in log.message]


async def test_with_a_damaged_database_commands_say_so_and_surfaces_stay_empty(project: Project) -> None:
    project.json("remember", "Run `make test`.", "-k", "fact", "--json")
    (project.home / "data" / "memlens.db").write_bytes(b"no database" * 1000)
    async with session(project, "neovim") as editor:
        editor.open("Makefile")
        assert await editor.lenses("Makefile") == []
        with pytest.raises(JsonRpcException) as caught:
            await editor.command("search", query="x")
        assert plain(caught.value.data) == {"code": "corrupt_database"}
