"""The documentation names everything that there is to use, and its links lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer

from memlens.cli.main import application
from memlens.lsp.commands.dispatch import COMMAND_NAMES
from memlens.workspace.settings import SETTING_DEFAULTS, TEAM_SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(ROOT / name for name in ("README.md", "CHANGELOG.md", "vscode-client/README.md"))]
)

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_UNIVERSAL = {"--help"}


def _page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _commands() -> dict[str, Any]:
    group: Any = typer.main.get_command(application)
    return dict(group.commands)


def _options(command: Any) -> set[str]:
    return {spelling for parameter in command.params for spelling in parameter.opts if spelling.startswith("-")}


def _section(page: str, command: str) -> str:
    """Return what stands under the heading that names the command."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    found = [text for title, text in zip(parts[1::2], parts[2::2], strict=True) if command in title.split()]
    assert len(found) == 1, f"one heading names {command}"
    return found[0]


@pytest.mark.parametrize("name", _commands())
def test_every_command_has_a_section_with_all_its_options(name: str) -> None:
    section = _section(_page("cli.md"), name)

    assert {option for option in _options(_commands()[name]) if f"`{option}" not in section} <= _UNIVERSAL


def test_every_command_is_in_the_overview() -> None:
    overview = _page("cli.md").partition("## Exit codes")[0]

    assert set(re.findall(r"^\| \[`(\w+)`\]", overview, re.MULTILINE)) == set(_commands())


def test_the_options_before_the_command_are_named() -> None:
    group = typer.main.get_command(application)

    assert [option for option in _options(group) if f"| `{option}" not in _page("cli.md")] == []


def test_no_command_is_documented_that_does_not_exist() -> None:
    used = set(re.findall(r"^(?:    |\$ )memlens (?!lsp\b)(?:-C \S+ )?([a-z]+)\b", _all_text(), re.MULTILINE))

    assert used <= set(_commands())


def test_the_settings_page_names_every_setting_and_no_other() -> None:
    assert set(_setting_rows()) == set(SETTING_DEFAULTS)


def test_the_settings_page_says_which_settings_a_repository_may_set() -> None:
    assert {name for name, row in _setting_rows().items() if row.rstrip(" |").endswith("yes")} == TEAM_SETTINGS


def test_the_language_server_page_has_a_section_for_every_command_and_no_other() -> None:
    assert re.findall(r"^### (memlens\.\w+)$", _page("lsp.md"), re.MULTILINE) == list(COMMAND_NAMES)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_relative_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    assert [target for target in _relative_links(page) if not _exists(page, target)] == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_fences_are_closed(page: Path) -> None:
    fences = re.findall(r"^```", page.read_text(encoding="utf-8"), re.MULTILINE)

    assert len(fences) % 2 == 0


def _all_text() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def _setting_rows() -> dict[str, str]:
    table = _page("settings.md").partition("| setting |")[2].partition("\n\n")[0]
    return {found[1]: found[0] for found in re.finditer(r"^\| `([\w.]+)` \|.*$", table, re.MULTILINE)}


def _relative_links(page: Path) -> Iterator[str]:
    for target in _LINK.findall(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z][a-z0-9+.-]*:", target):
            yield target


def _exists(page: Path, target: str) -> bool:
    name, _, heading = target.partition("#")
    file = (page.parent / unquote(name)).resolve() if name else page
    if not file.exists() or not file.is_relative_to(ROOT):
        return False
    return not heading or heading in map(_slug, _HEADING.findall(_FENCE.sub("", file.read_text(encoding="utf-8"))))


def _slug(heading: str) -> str:
    """Return the fragment that a heading gets where Markdown is rendered."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
