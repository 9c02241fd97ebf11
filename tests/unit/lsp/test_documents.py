"""Open documents: versions, snapshots, and what clients get wrong (spec 4)."""

from __future__ import annotations

import logging

import pytest

from memlens.anchors.shift import LineEdit
from memlens.lsp import documents
from memlens.lsp.documents import Change, Document, DocumentStore
from memlens.lsp.positions import PositionEncoding
from memlens.lsp.text import TextPosition

URI = "file:///w/a.py"


def insertion(line: int, text: str) -> Change:
    place = TextPosition(line, 0)
    return Change(text, place, place)


def lines(document: Document | None) -> tuple[str, ...] | None:
    return None if document is None else document.snapshot().lines


def test_a_snapshot_is_made_once_a_version() -> None:
    document = Document(URI, 1, "a\n")
    first = document.snapshot()
    assert document.snapshot() is first
    document.apply(2, [insertion(0, "x\n")], PositionEncoding.UTF16)
    assert (first.version, first.lines) == (1, ("a\n", ""))
    assert (document.snapshot().version, document.snapshot().lines) == (2, ("x\n", "a\n", ""))


def test_changes_of_one_notification_build_on_each_other() -> None:
    document = Document(URI, 1, "a")
    document.apply(
        2, [insertion(0, "b\n"), insertion(1, "c\n"), Change("new\ntext"), insertion(1, "my ")], PositionEncoding.UTF16
    )
    assert document.snapshot().lines == ("new\n", "my text")


def test_line_edits_are_kept_until_nobody_needs_them() -> None:
    document = Document(URI, 1, "a\nb")
    document.apply(2, [insertion(0, "x\n")], PositionEncoding.UTF16)
    document.apply(3, [insertion(1, "y\n")], PositionEncoding.UTF16)
    assert document.edits_since(0) == [LineEdit(0, 0, 1), LineEdit(1, 1, 1)]
    document.forget_edits(1)
    assert document.edits_since(1) == [LineEdit(1, 1, 1)]
    assert document.edits_since(0) is None
    assert document.sequence == 2


def test_edits_that_nobody_asks_for_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_MAX_EDITS", 10)
    document = Document(URI, 1, "a")
    for version in range(100):
        document.apply(version, [insertion(0, "x")], PositionEncoding.UTF16)
    assert document.sequence == 100
    assert document.edits_since(0) is None


def test_a_document_beyond_the_hard_limit_is_not_kept_until_it_shrinks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "HARD_SIZE_LIMIT", 5)
    document = Document(URI, 1, "too large")
    assert (document.is_kept, document.size > 5, document.line_count, document.line(0)) == (False, True, 1, "")
    document.apply(2, [insertion(0, "x")], PositionEncoding.UTF16)
    assert not document.is_kept
    document.apply(3, [Change("a\nb")], PositionEncoding.UTF16)
    assert (document.is_kept, document.snapshot().lines) == (True, ("a\n", "b"))
    document.apply(4, [Change("too large")], PositionEncoding.UTF16)
    assert not document.is_kept


@pytest.mark.parametrize("other", ["file:///W/a.py", "file:///w/A.py", "untitled:a.py", "git:/w/a.py"])
def test_different_documents_are_different(other: str) -> None:
    store = DocumentStore()
    store.open(URI, 1, "a")
    assert store.get(other) is None


def test_a_document_is_found_in_every_spelling_and_replies_use_the_last_one() -> None:
    store = DocumentStore()
    store.open("file:///c%3A/Repo/App.py", 1, "a")
    found = store.get("file:///C:/Repo/App.py")
    assert found is not None
    assert found.uri == "file:///c%3A/Repo/App.py"


def test_a_second_didopen_replaces_the_text_and_keeps_what_is_known() -> None:
    store = DocumentStore()
    first = store.open(URI, 1, "a\nb\nc")
    assert store.open(URI, 5, "a\nx\nb\nc") is first
    assert (first.version, lines(first)) == (5, ("a\n", "x\n", "b\n", "c"))
    assert first.edits_since(0) == [LineEdit(1, 1, 1)]


def test_didchange_before_didopen_waits_for_a_whole_text() -> None:
    store = DocumentStore()
    assert store.change(URI, 1, [insertion(0, "x")]) is None
    assert lines(store.change(URI, 2, [insertion(0, "x"), Change("a\nb"), insertion(1, "y")])) == ("a\n", "yb")
    assert lines(store.change(URI, 3, [insertion(0, "z")])) == ("za\n", "yb")


def test_didclose_of_an_unknown_document_is_tolerated() -> None:
    assert DocumentStore().close(URI) is None


def test_each_mistake_is_logged_once_and_without_text(caplog: pytest.LogCaptureFixture) -> None:
    store = DocumentStore()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            store.close(URI)
            store.change(URI, 1, [insertion(0, "secret")])
    assert len(caplog.records) == 2
    assert "secret" not in caplog.text
