"""Documents are ours in structure, and show memory as the text that it is."""

from __future__ import annotations

import re

import pytest

from memlens.core.refs import ArtifactRef
from memlens.queries.documents.markdown import (
    change_log_document,
    entry_document,
    overview_document,
    revision_document,
)
from memlens.queries.documents.model import LoggedChange, LoggedRevision, Overview, OverviewEntry, VersionStep
from memlens.queries.model import EntryCard, EvidenceCard

REF = ArtifactRef("mem_art_1", 7)
HOSTILE = [
    "<script>alert(1)</script>",
    "[go](command:memlens.forget)",
    "![i](https://x.example/i.png)",
    "# Heading",
    "- item",
    "1. item",
    "> quote",
    "---",
    "a\n===",
    "```\nfenced\n```",
    "    indented",
    "| a | b |\n| - | - |",
    "https://x.example",
    "$(trash)",
]
ACTIVE = [
    re.compile(r"(?<!\\)<"),
    re.compile(r"(?<!\\)\]\("),
    re.compile(r"^#{1,6} Heading", re.MULTILINE),
    re.compile(r"^\s*(?:- )*- item|^(?:- )?1\. item|^>|^={3}|^```|^ {4}|^\|", re.MULTILINE),
    re.compile(r"https://"),
    re.compile(r"(?<!\\)\$"),
]


def card(text: str, kind: str = "fact", actor: str = "Ada") -> EntryCard:
    evidence = EvidenceCard("src_1", "UserNoteSource", f"note: {text}")
    return EntryCard(REF, "mem_ent_1", "mem_ver_1", 2, kind, text, (evidence,), "2026-12-01T10:00:00Z", actor)


def documents(text: str) -> list[str]:
    entry = OverviewEntry(card(text, kind=text, actor=text), (text,), (text,), (text,))
    step = VersionStep(3, "add", 1, text, text, text, "2026-12-01T10:00:00Z", text)
    change = LoggedChange("add", "mem_ent_1", text, text, text)
    return [
        overview_document(Overview(text, (REF,), (entry,), 1, note=text)),
        entry_document("mem_ent_1", [step]),
        revision_document(REF, [card(text, kind=text, actor=text)]),
        change_log_document([LoggedRevision(REF, "2026-12-01T10:00:00Z", text, (change,))]),
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_memory_is_active_in_any_document(text: str) -> None:
    for document in documents(text):
        assert [pattern.pattern for pattern in ACTIVE if pattern.search(document)] == []


def test_identifiers_are_shown_as_they_are_and_cannot_leave_their_code() -> None:
    assert "`mem_ent_1`" in overview_document(Overview("r", (REF,), (OverviewEntry(card("x")),)))
    assert entry_document("a` [b](c)\n# d", []).startswith("# Entry `a??[b](c)?#?d`")
    assert "of `mem_art_1`" in revision_document(REF, [])


def test_what_is_stale_comes_first_and_kinds_in_their_order() -> None:
    entries = (OverviewEntry(card("one")), OverviewEntry(card("two", "constraint"), orphans=("src/",)))
    document = overview_document(Overview("repo:x", (REF,), entries, inactive=2))
    assert re.findall(r"^#+ .*$", document, re.MULTILINE) == [
        "# Memory of repo:x",
        "## To look at",
        "## Constraint (1)",
        "## Fact (1)",
    ]
    assert "1 constraint · 1 fact; 2 forgotten, at Revision 7." in document
    assert "nothing matches src/ now" in document


def test_the_latest_comes_first_in_logs_and_histories() -> None:
    steps = [VersionStep(n, "revise", n, "fact", f"said {n}", None, "2026-12-01", "Ada") for n in (1, 2)]
    document = entry_document("mem_ent_1", steps)
    assert document.index("said 2") < document.index("said 1")
    logged = [
        LoggedRevision(ArtifactRef("a", n), "2026-12-01", "Ada", (LoggedChange("add", f"mem_ent_{n}", None),))
        for n in (1, 2)
    ]
    log = change_log_document(logged)
    assert log.index("`mem_ent_2`") < log.index("`mem_ent_1`")
    assert "Nothing is remembered" in change_log_document([])
