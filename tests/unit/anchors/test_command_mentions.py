"""Which commands are read from a text, and where in the tree they are meant (spec 2.1)."""

import pytest

from memlens.anchors.command_lines import parse_command_line
from memlens.anchors.commands import Command, Runner
from memlens.anchors.model import Rule, TargetKind
from memlens.anchors.proposal import propose
from memlens.anchors.tree import ListedTree

ROOT_FILES = ListedTree(
    ["Makefile", "package.json", "tox.ini", "noxfile.py", "justfile", "pyproject.toml", "web/package.json"]
)


def commands_in(text, tree=ROOT_FILES):
    return [target.value for target in propose(text, tree).targets if target.kind is TargetKind.COMMAND]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Run `make docs-test` first", ["make docs-test"]),
        ("run make docs-test first", ["make docs-test"]),
        ("运行 make test；再提交", ["make test"]),
        ("先运行make test。", ["make test"]),
        ("run make test.", ["make test"]),
        ("`make -j4 clean docs` does it", ["make clean", "make docs"]),
        ("`make V=1 docs`", ["make docs"]),
        ("`npm run build:validation`", ["npm run build:validation"]),
        ("use npm run lint, not eslint", ["npm run lint"]),
        ("`npm test` and `yarn lint` and `pnpm run x`", ["npm run test", "yarn run lint", "pnpm run x"]),
        ("`tox run -e docs-sponsors`", ["tox -e docs-sponsors"]),
        ("tox -e py{310,311},lint", ["tox -e py310", "tox -e lint", "tox -e py311"]),
        ("`python -m tox -e lint -- --fix`", ["tox -e lint"]),
        ("`nox -s docs`, `nox --session=lint`", ["nox -s docs", "nox -s lint"]),
        ("`just release`", ["just release"]),
        ("`poetry run serve` or `uv run --frozen serve`", ["poetry run serve", "uv run serve"]),
        ("`hatch run docs:build` and `hatch run default:cov`", ["hatch run docs:build", "hatch run cov"]),
        ("`uv run --with x tox -e lint`", ["tox -e lint"]),
        ("`CI=1 make docs && npm run lint`", ["make docs", "npm run lint"]),
        ("`$ make docs`", ["make docs"]),
        ("`cd web && npm run lint`", ["cd web && npm run lint"]),
        ("`make -C web docs` and `npm --prefix web run lint`", ["cd web && make docs", "cd web && npm run lint"]),
    ],
)
def test_commands_are_read_from_code_and_prose(text, expected):
    assert commands_in(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "make sure it works, make it so, make the build pass, make a copy, make sense",
        "To make tests faster, you must make errors visible and they make imports slow",
        "just release it, just build",
        "Use yarn only; npm is fine; npm install; `npm ci`; `yarn add x`",
        "`make`, `tox`, `nox`, `just`, `uv run`",
        "always run tools as `uv run --frozen <tool>`",
        "`uv run tools/gen.py` and `poetry run ./x`",
        "`cmake build`, remake docs, `./make docs`, make, docs",
        "`make -C ../other docs`, `cd /tmp && make docs`, `cd web && make -C /tmp docs`",
        "`cd web && cd /tmp && make docs`",
        "`make test-<name>`, `make $(X)`",
        "see https://make docs.example",
    ],
)
def test_what_only_looks_like_a_command_is_ignored(text):
    assert commands_in(text) == []


def test_a_command_belongs_to_the_only_directory_that_can_define_it():
    nested = ListedTree(["backend/Makefile", "backend/app.py", "README.md"])
    assert commands_in("`make migrate`", nested) == ["cd backend && make migrate"]


def test_a_command_belongs_to_the_root_where_the_root_can_define_it():
    assert commands_in("`npm run lint`") == ["npm run lint"]


def test_a_command_that_nothing_can_define_yet_is_kept():
    assert commands_in("`make docs`", ListedTree(["README.md"])) == ["make docs"]


def test_a_target_says_what_it_was_read_from():
    (target,) = propose("`CI=1 make docs`", ROOT_FILES).targets
    assert (target.value, target.rule, target.mention) == ("make docs", Rule.COMMAND, "CI=1 make docs")


@pytest.mark.parametrize(
    ("one", "other"), [("npm run lint", "yarn lint"), ("poetry run x", "uv run x"), ("tox -e a", "tox r -e a")]
)
def test_spellings_of_one_command_are_equal(one, other):
    (first,), (second,) = parse_command_line(one), parse_command_line(other)
    assert first.command == second.command


@pytest.mark.parametrize("runner", list(Runner))
def test_a_spelling_is_read_back_as_the_command(runner):
    tool = {Runner.SCRIPT: "uv"}.get(runner, str(runner))
    for directory in ("", "web/app"):
        (named,) = parse_command_line(
            {"tox": "tox -e x", "nox": "nox -s x"}.get(tool, f"{tool} {'run ' * (tool in ('npm', 'uv'))}x")
        )
        placed = type(named)(tool, Command(runner, "x", directory))
        assert parse_command_line(placed.spelling) == [placed]


def test_a_line_of_nested_runners_ends():
    assert parse_command_line("uv run " * 10_000 + "make x") == []
