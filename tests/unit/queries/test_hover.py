"""Hover: what applies to this line, why, and how it is written down (spec 2.2)."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from memlens.queries.hover import HoverContent, hover
from memlens.queries.hover_text import TRUSTED_COMMANDS, HoverLinks, hover_markdown, hover_plain
from memlens.queries.model import EntryCard, FileView

from .builders import card, evidence, on_file, on_lines, view

CARDS = [card("e1", text="Only uv."), card("e2", "preference", "Tabs."), card("e3", "fact", "Slow.")]


def entries(found: HoverContent | None) -> list[str]:
    return [item.card.entry_id for item in found.items] if found else []


def content(shown: EntryCard, why: str = "names it", *, weak: bool = False) -> HoverContent:
    found = hover(view([shown], [on_lines(shown.entry_id, 0, why=why, weak=weak)]), 0)
    assert found is not None
    return found


def links_in(markdown: str) -> list[str]:
    parser = MarkdownIt("commonmark", {"html": True})
    parser.validateLink = lambda _url: True  # type: ignore[method-assign]
    tokens = parser.parse(markdown)
    children = [child for token in tokens for child in token.children or ()]
    assert not [child.type for child in children if "html" in child.type or child.type == "image"]
    return [str(child.attrs["href"]) for child in children if child.type == "link_open"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [(0, ["e1"]), (1, []), (4, ["e2"]), (5, ["e2", "e3"]), (6, ["e2"]), (7, []), (999, [])],
)
def test_a_line_shows_what_is_anchored_on_it_and_line_0_what_is_on_the_file(line: int, expected: list[str]) -> None:
    document = view(CARDS, [on_file("e1"), on_lines("e2", 4, 6), on_lines("e3", 5, weak=True)])
    assert entries(hover(document, line)) == expected


def test_nothing_is_none() -> None:
    assert hover(view([], []), 0) is None
    assert hover(view([], [on_file("unknown")]), 0) is None


def test_strong_comes_before_weak_and_the_line_before_the_file() -> None:
    document: FileView = view(
        CARDS, [on_file("e1"), on_file("e2", weak=True), on_lines("e3", 0), on_lines("e1", 0, weak=True)]
    )
    assert entries(hover(document, 0)) == ["e3", "e1", "e2"]


def test_an_entry_is_shown_once_with_every_reason() -> None:
    found = hover(view(CARDS, [on_lines("e1", 0, why="names make"), on_file("e1", "names src/")]), 0)
    assert found is not None
    assert [item.whys for item in found.items] == [("names make", "names src/")]


def test_markdown_tells_kind_text_reason_evidence_version_and_revision() -> None:
    shown = card(
        "e1",
        text="Only uv.",
        version=3,
        evidence=(evidence("docs/how to.md", 12), evidence(label="you, 2026")),
        created_at="2026-12-01T10:00:00Z",
        actor="Ann",
    )
    assert hover_markdown(content(shown), HoverLinks(root_uri="file:///c%3A/Repo/")) == (
        "**constraint**\n\n"
        "Only uv.\n\n"
        "*Why here:* names it  \n"
        "*Evidence:* [docs/how to.md:12](file:///c%3A/Repo/docs/how%20to.md#L12) · you, 2026  \n"
        "version 3 · Revision 7 · 2026-12-01 · Ann"
    )


def test_plain_text_has_no_markup() -> None:
    shown = card("e1", text="Only *uv*.\nAlways.", evidence=(evidence("a_b.md", 1),))
    assert hover_plain(content(shown, "names `x`")) == (
        "constraint\nOnly *uv*.\nAlways.\nWhy here: names `x`\nEvidence: a_b.md:1\nversion 1 · Revision 7"
    )


def test_weak_and_personal_entries_say_so() -> None:
    shown = content(card("e1", "working_note", personal=True), weak=True)
    assert hover_markdown(shown, HoverLinks()).startswith("**working note** (your own, may apply)\n")
    assert hover_plain(shown).startswith("working note (your own, may apply)\n")


HOSTILE = "[x](command:evil) <img src=x> https://evil.example \u202e"


def test_no_untrusted_field_makes_a_link_an_image_or_html() -> None:
    hostile = card(
        "e1",
        kind="[k](command:evil)",
        text=HOSTILE,
        evidence=(evidence(label=HOSTILE),),
        actor=HOSTILE,
        created_at=HOSTILE,
    )
    markdown = hover_markdown(content(hostile, why=HOSTILE), HoverLinks(root_uri="file:///r/"))
    assert links_in(markdown) == []
    assert "\u202e" not in markdown + hover_plain(content(hostile, why=HOSTILE))


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("a#b (1).py", "file:///r/a%23b%20%281%29.py"),
        ("Ünï/x.py", "file:///r/%C3%9Cn%C3%AF/x.py"),
        ("x](command:evil)", "file:///r/x%5D%28command%3Aevil%29"),
        ("../../etc/passwd", None),
        ("/etc/passwd", None),
        ("a/../../b", None),
    ],
)
def test_links_to_evidence_are_encoded_and_stay_in_the_repository(path: str, target: str | None) -> None:
    markdown = hover_markdown(content(card("e1", evidence=(evidence(path),))), HoverLinks(root_uri="file:///r/"))
    assert links_in(markdown) == ([target] if target else [])


def test_command_links_are_off_unless_the_client_trusts_them() -> None:
    shown = content(card("e1"))
    assert "command:" not in hover_markdown(shown, HoverLinks(root_uri="file:///r/"))


def test_command_links_name_only_our_commands_with_all_they_need() -> None:
    markdown = hover_markdown(content(card("e1")), HoverLinks(document_uri="file:///r/a.py", commands=True))
    links = [link.removeprefix("command:").partition("?") for link in links_in(markdown)]
    assert tuple(name for name, _, _ in links) == TRUSTED_COMMANDS
    details, forget = (json.loads(unquote(argument)) for _, _, argument in links)
    ref = {"artifact_id": "memory-1", "revision": 7}
    citation = {"memory_ref": ref, "entry_id": "e1", "entry_version_id": "e1-v1"}
    assert details == [{"citations": [citation], "uri": "file:///r/a.py"}]
    assert forget == [{"entry_id": "e1", "uri": "file:///r/a.py"}]
