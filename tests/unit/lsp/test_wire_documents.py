"""Documents over real pipes: every URI, every encoding, what clients get wrong, edits that move anchors (spec 4)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from .conftest import entry, fake
from .wire_client import FULL_CAPABILITIES, WireClient


def insertion(line: int, character: int, text: str) -> dict[str, Any]:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


def encodings(*offered: str) -> dict[str, Any]:
    return {**FULL_CAPABILITIES, "general": {"positionEncodings": list(offered)} if offered else {}}


@pytest.mark.parametrize(
    ("offered", "chosen", "column"),
    [
        (["utf-8"], "utf-8", 24),
        (["utf-32"], "utf-32", 16),
        ([], "utf-16", 17),
        (["utf-32", "utf-16"], "utf-32", 16),
        (["utf-16", "utf-8"], "utf-16", 17),
        (["utf-7", "utf-8"], "utf-8", 24),
    ],
)
@pytest.mark.parametrize("before", ["", "😋\n"])
def test_columns_are_right_in_the_clients_first_encoding(
    client: WireClient, workspace: Path, offered: list[str], chosen: str, column: int, before: str
) -> None:
    """An edit behind an emoji, then the hint at the end of the line: both columns are in the client's unit (W1)."""
    options = fake(entry("e1", "  X# note"))
    result = client.initialize(workspace, capabilities=encodings(*offered), initializationOptions=options)
    assert result["capabilities"]["positionEncoding"] == chosen
    uri, line = (workspace / "a.py").as_uri(), before.count("\n")
    client.open(uri, before + 'label = "🚦é队列"  # note')
    client.change(uri, 2, insertion(line, column, "X"))
    (hint,) = client.hints(uri)
    assert hint["position"] == {"line": line, "character": column + len("X# note")}


def test_only_lf_crlf_and_cr_end_a_line(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.txt").as_uri()
    client.open(uri, "a\x0cb\x85c\u2028d\x0b\x1cX\r\nX\rX\nlast X")
    assert client.hover_lines(uri, 6) == [0, 1, 2, 3]
    client.change(uri, 2, insertion(1, 1, "\n"))
    assert client.hover_lines(uri, 6) == [0, 1, 3, 4]


def test_the_buffer_wins_over_the_disk_and_anchors_move_with_edits(client: WireClient, workspace: Path) -> None:
    """A3: before anything is saved the note is on the line it moved to, and nothing is on the old one."""
    client.initialize(workspace, initializationOptions=fake(entry("e1", "anchor here")))
    file = workspace / "a.py"
    text = "".join(f"line {number}\n" if number != 50 else "anchor here\n" for number in range(200))
    file.write_text(text)
    client.open(file.as_uri(), text)
    assert client.hover(file.as_uri(), 50) is not None
    client.change(file.as_uri(), 2, insertion(10, 0, "\n"))
    assert client.hover(file.as_uri(), 51) is not None
    assert client.hover(file.as_uri(), 50) is None
    file.write_text("changed on disk\n")
    assert client.hover(file.as_uri(), 51) is not None


def test_while_anchors_are_computed_the_shifted_ones_are_shown_and_then_corrected(
    client: WireClient, workspace: Path, tmp_path: Path
) -> None:
    gate, uri = tmp_path / "gate", (workspace / "a.py").as_uri()
    gate.touch()
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X"), compute_gate=str(gate)))
    client.open(uri, "a\nX\n")
    assert client.hover_lines(uri, 3) == [1]
    gate.unlink()
    client.change(uri, 2, insertion(0, 0, "X new\n"))
    client.change(uri, 3, insertion(0, 0, "one more\n"))
    assert client.hover_lines(uri, 5) == [3]
    gate.touch()
    client.wait_for("workspace/inlayHint/refresh")
    client.poll(lambda: client.hover_lines(uri, 5), lambda lines: lines == [1, 3])


def test_typing_that_moves_nothing_asks_for_no_refresh(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "a\nX\n")
    assert client.hover_lines(uri, 3) == [1]
    deadline, version = time.monotonic() + 0.6, 2
    while time.monotonic() < deadline:
        client.change(uri, version, insertion(0, 0, "y\n"))
        version += 1
        assert client.hover(uri, version - 1) is not None
    assert client.count("workspace/inlayHint/refresh") == 0


OTHER_URIS = [
    "untitled:Untitled-1",
    "vscode-notebook-cell://dev-container+7b2/w/n.ipynb#W0",
    'git:/w/a.py?{"ref":"HEAD"}',
    "vscode-chat-code-block:/c%3A/x",
    "buffer:3",
    "zipfile:///x.jar::/a",
    "vscode-remote://wsl+Ubuntu/w/a.py",
    "not a uri at all",
    "",
    "file://",
    "file:///%00",
]


@pytest.mark.parametrize("uri", OTHER_URIS)
def test_a_document_that_is_no_file_gets_empty_answers(shared: WireClient, uri: str) -> None:
    shared.open(uri, "x\n")
    shared.change(uri, 2, insertion(0, 0, "y"))
    assert (shared.hover(uri, 0), shared.lenses(uri), shared.hints(uri)) == (None, None, None)
    shared.close_document(uri)
    saved = (shared.folder / "a.py").as_uri()
    shared.open(saved, "x\n")
    assert shared.hover(saved, 0) is not None
    shared.close_document(saved)


def test_a_diff_view_of_an_open_file_gets_nothing(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "x\n")
    assert client.hover(uri.replace("file://", "git:") + "?ref", 0) is None


def test_one_document_in_every_spelling_and_replies_in_the_clients_own(client: WireClient, tmp_path: Path) -> None:
    folder = tmp_path / "Ünï (1)+c"
    (folder / ".git").mkdir(parents=True)
    file = folder / "a#b.py"
    spelled = file.as_uri().replace("%28", "(").replace("%29", ")").replace("%2B", "+").replace("%C3%9C", "Ü")
    encoded = file.as_uri().replace("(", "%28").replace(")", "%29").replace("+", "%2b")
    assert spelled != encoded
    client.initialize(folder, initializationOptions=fake(entry("e1", path="a#b.py")))
    client.open(spelled, "x\n")
    client.change(encoded, 2, insertion(0, 0, "\n"))
    assert client.hover(encoded, 0) is not None
    (lens,) = client.lenses(encoded)
    assert lens["command"]["arguments"][0]["uri"] == spelled
    evidence_root = spelled.removesuffix("a%23b.py")
    assert "a%23b.py" in client.hover(encoded, 0)["contents"]["value"]
    assert evidence_root.startswith("file://")


def test_drive_letters_are_one_document_whichever_way_they_are_spelled(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1")))
    client.open("file:///c%3A/Repo/Src/App.py", "x\n")
    client.change("file:///C:/Repo/Src/App.py", 2, insertion(0, 0, "y\n"))
    client.change("file:///c:/Repo/Src/App.py", 3, insertion(0, 0, "z\n"))
    assert client.hover("file:///C:/Repo/Src/App.py", 0) is not None
    assert client.hover("file:///C:/Repo/Src/app.py", 0) is None
    client.close_document("file:///C%3a/Repo/Src/App.py")
    assert client.hover("file:///c%3A/Repo/Src/App.py", 0) is None


def test_a_document_opened_through_a_link_is_found_by_its_real_path(client: WireClient, workspace: Path) -> None:
    link = workspace.parent / "link"
    link.symlink_to(workspace)
    (workspace / "a.py").write_text("x\n")
    client.initialize(link, initializationOptions=fake(entry("e1")))
    client.open((link / "a.py").as_uri(), "x\n")
    assert client.hover((workspace / "a.py").as_uri(), 0) is not None


def test_changes_before_open_second_opens_and_unknown_closes_are_tolerated(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.close_document(uri)
    client.change(uri, 1, insertion(0, 0, "lost"))
    assert client.hover(uri, 0) is None
    client.open(uri, "X\n")
    client.open(uri, "\nX\n", version=2)
    assert client.hover_lines(uri, 3) == [1]
    client.close_document(uri)
    client.close_document(uri)
    assert client.hover(uri, 1) is None
    client.open(uri, "\n\nX\n")
    assert client.hover_lines(uri, 3) == [2]
    assert client.leave() == 0
    assert client.stderr.count(b"WARNING") == 3


def test_positions_beyond_any_number_are_the_end(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "a\nb")
    start, end = {"line": 0, "character": 0}, {"line": 2**31, "character": 2**53}
    client.change(uri, 2, {"range": {"start": start, "end": end}, "text": "\nX"})
    assert client.hover_lines(uri, 3) == [1]
    assert client.hover(uri, 2**32) is None


def test_lone_surrogates_in_a_document_keep_positions(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1", "X")))
    uri = (workspace / "a.py").as_uri()
    client.open(uri, "a\ud83d\n")
    client.change(uri, 2, insertion(0, 2, "X"))
    (hint,) = client.hints(uri)
    assert hint["position"] == {"line": 0, "character": 3}


def test_a_file_beyond_the_size_limit_gets_nothing_and_that_is_said_once(client: WireClient, workspace: Path) -> None:
    client.allow("window/logMessage")
    client.initialize(workspace, initializationOptions=fake(entry("e1"), max_size=10))
    uri = (workspace / "large.py").as_uri()
    client.open(uri, "x" * 11)
    assert client.hover(uri, 0) is None
    assert client.lenses(uri) is None
    client.change(uri, 2, {"text": "small"})
    assert client.hover(uri, 0) is not None
    client.change(uri, 3, {"text": "é" * 9})
    client.shut_down()
    messages = [message["params"]["message"] for message in client.received if message["method"] == "window/logMessage"]
    assert messages == ["MemLens shows nothing on large.py: it is larger than files.maxSize."]


def test_ignored_files_get_nothing(client: WireClient, workspace: Path) -> None:
    client.initialize(workspace, initializationOptions=fake(entry("e1")))
    uri = (workspace / "ignored" / "a.py").as_uri()
    client.open(uri, "x")
    assert (client.hover(uri, 0), client.lenses(uri), client.hints(uri)) == (None, None, None)


def test_a_folder_that_cannot_be_looked_at_gets_nothing_and_no_message(shared: WireClient) -> None:
    uri = (shared.folder / "locked" / "a.py").as_uri()
    shared.open(uri, "x")
    assert (shared.hover(uri, 0), shared.lenses(uri), shared.hints(uri)) == (None, None, None)
    shared.close_document(uri)


@pytest.mark.parametrize("path", ["a" * 5_000 + "/a.py", "d/" * 3_000 + "a.py"], ids=["long name", "deep path"])
def test_a_path_that_no_file_can_have_is_answered(shared: WireClient, path: str) -> None:
    uri = (shared.folder / path).as_uri()
    shared.open(uri, "x")
    assert shared.hints(uri) == []
    shared.close_document(uri)


def test_a_file_that_was_never_opened_gets_nothing(client: WireClient, workspace: Path) -> None:
    (workspace / "a.py").write_text("x")
    client.initialize(workspace, initializationOptions=fake(entry("e1")))
    assert client.hover((workspace / "a.py").as_uri(), 0) is None
