"""One document has one key, in whichever spelling; only files of this machine have a path (spec 4, E1, E3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlens.lsp.uris import document_key, local_path, root_uri, same_file

SAME = [
    ("file:///c%3A/Repo/Src/App.py", "file:///C:/Repo/Src/App.py"),
    ("file:///c:/Repo/App.py", "file:///C%3a/Repo/App.py"),
    ("file:///w/%C3%9Cn%C3%AF%20(1)/a%23b.py", "file:///w/Ünï (1)/a%23b.py"),
    ("file:///w/a%2Bb.py", "file:///w/a+b.py"),
    ("file://SRV/share/x.py", "file://srv/share/x.py"),
    ("file://localhost/w/a.py", "file:///w/a.py"),
    ("FILE:///w/a.py", "file:///w/a.py"),
    ("file:/w/a.py", "file:///w/a.py"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_document_have_one_key(one: str, other: str) -> None:
    assert document_key(one) == document_key(other)


DIFFERENT = [
    ("file:///w/App.py", "file:///w/app.py"),
    ("file:///C:/Repo/App.py", "file:///C:/repo/App.py"),
    ("file:///w/a%23b.py", "file:///w/a#b.py"),
    ("file://srv/share/x.py", "file:///share/x.py"),
    ('git:/w/a.py?{"ref":"HEAD"}', "git:/w/a.py"),
    ("untitled:Untitled-1", "untitled:Untitled-2"),
    ("file:///w/a.py?x", "file:///w/a.py"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_documents_have_different_keys(one: str, other: str) -> None:
    assert document_key(one) != document_key(other)


@pytest.mark.parametrize(
    ("uri", "posix", "windows"),
    [
        ("file:///w/a.py", "/w/a.py", None),
        ("file:///w/%C3%9Cn%C3%AF%20(1)/a%23b%25.py", "/w/Ünï (1)/a#b%.py", None),
        ("file:///w/a;b=c.py", "/w/a;b=c.py", None),
        ("file:///c%3A/Repo/App.py", "/C:/Repo/App.py", "C:\\Repo\\App.py"),
        ("file:///C:/Repo/App.py", "/C:/Repo/App.py", "C:\\Repo\\App.py"),
        ("file://srv/share/x.py", None, "\\\\srv\\share\\x.py"),
        ("untitled:Untitled-1", None, None),
        ("untitled:/w/a.py", None, None),
        ("vscode-notebook-cell://dev-container+7b2/w/n.ipynb#W0", None, None),
        ("vscode-notebook-cell:/w/n.ipynb#W0", None, None),
        ('git:/w/a.py?{"ref":"HEAD"}', None, None),
        ("vscode-chat-code-block:/c%3A/x", None, None),
        ("vscode-remote://wsl+Ubuntu/w/a.py", None, None),
        ("buffer:3", None, None),
        ("zipfile:///x.jar::/a", None, None),
        ("file:///w/a.py?ref=HEAD", None, None),
        ("file:///w/n.ipynb#W0", None, None),
        ("file:///w/a%00b", None, None),
        ("file:///w/%FF.py", None, None),
        ("file:relative.py", None, None),
        ("file:///w/\ud83d.py", None, None),
        ("", None, None),
        ("/w/a.py", None, None),
        ("file://[bad/x", None, "\\\\[bad\\x"),
    ],
)
def test_only_a_file_uri_has_a_path(uri: str, posix: str | None, windows: str | None) -> None:
    assert local_path(uri, windows=False) == posix
    assert local_path(uri, windows=True) == windows


@pytest.mark.parametrize(
    ("uri", "relative", "root"),
    [
        ("file:///c%3A/Repo/Src/App.py", "Src/App.py", "file:///c%3A/Repo/"),
        ("file:///w/%C3%9C/a%20b.py", "Ü/a b.py", "file:///w/"),
        ("file:///w/a.py", "a.py", "file:///w/"),
        ("file:///link/a.py", "elsewhere/a.py", None),
    ],
)
def test_the_root_is_spelled_as_the_client_spells_its_document(uri: str, relative: str, root: str | None) -> None:
    assert root_uri(uri, relative) == root


def test_a_file_reached_through_a_link_is_the_same_file(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    (real / "a.py").write_text("a")
    link.symlink_to(real)
    candidates = [("other", tmp_path / "b.py"), ("linked", link / "a.py")]
    assert same_file((real / "a.py").as_uri(), candidates) == "linked"
    assert same_file((real / "c.py").as_uri(), candidates) is None
    assert same_file("untitled:a.py", candidates) is None
