"""Untrusted text in Markdown renders as itself, whatever it holds (spec 3.2, invariant 5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memlens.queries.escape import escape_inline, escape_markdown
from memlens.queries.visible import visible

PARSERS = [
    MarkdownIt("commonmark"),
    MarkdownIt("commonmark").enable(["table", "strikethrough"]),
    MarkdownIt("default", {"html": True}),
]
HARMLESS = {"paragraph_open", "paragraph_close", "inline"}

HOSTILE = [
    "[click](command:workbench.action.terminal.new)",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "<!-- hidden -->",
    "<https://evil.example>",
    "https://evil.example/path",
    "www.evil.example",
    "mail me at someone@evil.example",
    "[label][ref]\n\n[ref]: command:x",
    "[ref]: https://evil.example",
    "```\ncode\n```",
    "~~~\ncode",
    "    indented code",
    "\tindented code",
    "`code`",
    "# heading",
    "heading\n===",
    "heading\n---",
    "***",
    "- item\n+ item\n* item",
    "1. item\n2) item",
    "> quote",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a | b\n:-- | --:\n1 | 2",
    "*emphasis* __strong__ ~~struck~~",
    "&lt;b&gt; &amp; &#42; &copy;",
    "$(trash) $x^2$",
    "\\*not emphasis\\*",
    "ends with a backslash\\",
    "two blanks  \nat the end",
    "a\n\n\n\nb",
    "\u202etxet desrever",
    "\u2028# heading",
    "\x0c# heading",
    "\u00a0# heading",
    "\ud83d[x](y)",
    "- [ ] task",
    "[^1]: footnote",
    "+++\ntoml = 1\n+++",
    ": definition",
    "9999999999. item",
]


def rendered(markdown: str, parser: MarkdownIt) -> str:
    """Return the text that ``markdown`` renders as; fails when anything but text is in it."""
    tokens = parser.parse(markdown)
    assert {token.type for token in tokens} <= HARMLESS, [token.type for token in tokens]
    return "\n".join("".join(map(text_of, token.children or ())) for token in tokens if token.type == "inline")


def text_of(token: Any) -> str:
    assert token.type in {"text", "text_special", "hardbreak", "softbreak"}, token.type
    return "\n" if token.type.endswith("break") else str(token.content)


def words(text: str) -> list[str]:
    return visible(text.replace("\r\n", "\n").replace("\r", "\n")).split()


@pytest.mark.parametrize("parser", PARSERS, ids=["commonmark", "tables", "default with html"])
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_renders_as_itself(text: str, parser: MarkdownIt) -> None:
    assert rendered(escape_markdown(text), parser).split() == words(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_renders_as_itself_inside_a_line_of_ours(text: str) -> None:
    for parser in PARSERS:
        tokens = parser.parse(f"Why: {escape_inline(text)} · more")
        assert {token.type for token in tokens} <= HARMLESS
        inline = "".join(map(text_of, tokens[1].children or ()))
        assert inline.split() == ["Why:", *words(text), "·", "more"]


ACTIVE_CHARACTERS = st.sampled_from([*"\\`*_{}[]()<>#+-.!|~&$@:/= \t\n\r1a;^\"'", "\u202e", "www.", "http://", "\r\n"])


@given(st.lists(ACTIVE_CHARACTERS, max_size=30).map("".join))
@example("a@\n=")
def test_any_mix_of_active_characters_renders_as_itself(text: str) -> None:
    for parser in PARSERS:
        assert rendered(escape_markdown(text), parser).split() == words(text)


@given(st.text(max_size=60))
def test_any_text_renders_as_itself(text: str) -> None:
    for parser in PARSERS:
        assert rendered(escape_markdown(text), parser).split() == words(text)


@given(st.lists(ACTIVE_CHARACTERS, max_size=30).map("".join))
def test_lines_stay_lines(text: str) -> None:
    lines = [line for line in visible(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n") if line.strip()]
    shown = [line for line in rendered(escape_markdown(text), PARSERS[0]).split("\n") if line.strip()]
    assert len(shown) == len(lines)


@pytest.mark.parametrize(
    ("written", "active"),
    [
        ("https://x.example", "https:/"),
        ("HTTP://x.example", "HTTP:/"),
        ("www.x.example", "www."),
        ("_WWW.x.example", "WWW."),
        ("a@b.example", "a@b"),
    ],
)
def test_bare_addresses_do_not_survive_for_renderers_that_link_them(written: str, active: str) -> None:
    assert active not in escape_markdown(f"see {written} there")


def test_indentation_stays_visible_and_is_no_code() -> None:
    assert escape_markdown("if x:\n    y") == "if x:  \n\u00a0\u00a0\u00a0\u00a0y"


def test_ordinary_prose_is_hardly_touched() -> None:
    assert (
        escape_markdown("Use tabs, not spaces; see section 2.1 (why).")
        == "Use tabs, not spaces; see section 2.1 (why)."
    )
