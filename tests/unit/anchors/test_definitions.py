"""Where commands are defined. A line that defines one ends with ``<- name`` in a comment of its own in the fixtures."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.definitions import definitions
from memlens.core.lines import split_lines


def defined(path, text):
    """The names defined on each line, by the marks ``«name»`` in the text; returns (found, expected)."""
    expected, lines = set(), []
    for number, line in enumerate(split_lines(text)):
        while "«" in line:
            before, _, rest = line.partition("«")
            names, _, after = rest.partition("»")
            expected |= {(number, name) for name in names.split()}
            line = before.rstrip() + after
        lines.append(line)
    return {(each.line, each.command.name) for each in definitions(path, lines)}, expected


MAKEFILE = """\
.PHONY: all docs-test
NAME := value:x
URL = http://example.com
X ::= 1
all: docs-test                  «all»
docs-test doc: build            «docs-test doc»
\tcommand: not a target
both::                          «both»
grouped other &: x              «grouped other»
%.o: %.c
$(OBJ): x
docs: FLAGS = -x
docs: export FLAGS := -x
docs: build                     «docs»
LIST = a \\
b: c
define BLOCK
inner: x
endef
# comment: x
release: ; @echo x              «release»
ifeq (a:b,c)
export: x                       «export»
"""

PACKAGE_JSON = """\
{
  "name": "x",
  "config": { "scripts": { "not-this": "a" } },
  "list": [{ "scripts": { "nor-this": "b" } }],
  "scripts": {
    "lint": "eslint \\"a: b\\" {",        «lint»
    "build:validation": "node x",         «build:validation»
    "nested": { "deep": "x" },            «nested»
    "last": "y"                           «last»
  },
  "other": { "lint": "no" }
}
"""

TOX_INI = """\
[tox]
envlist = lint
[testenv]
commands = x
[testenv:lint]                    «lint»
[testenv:docs-{build,sponsors}]   «docs-build docs-sponsors»
  [testenv:indented]
"""

NOXFILE = """\
import nox
@nox.session
def lint(session):                 «lint»
    pass
@nox.session(
    python=["3.11"],
    name="docs-live",
)
@other
def docs_live(session):            «docs-live»
    pass
def helper():
    name = "x"
@session
async def later(session):          «later»
"""

JUSTFILE = """\
set shell := ["bash"]
version := "1:2"
alias b := build
build:                             «build»
    echo a: b
@quiet arg="a:b" *rest: build      «quiet»
_private target='x':               «_private»
# comment: x
[no-cd]
docs: (build "x")                  «docs»
"""

PYPROJECT = """\
[project]
name = "x"
[project.scripts]
serve = "x:main"                   «serve»
"quoted" = "x:main"                «quoted»
[tool.poetry.scripts]
serve = "again"
other = "x"                        «other»
[tool.pdm.scripts]
lint.cmd = "ruff"                  «lint»
all = [
  "x = y",
]
[tool.pdm.scripts.table]           «table»
cmd = "x"
[tool.hatch.envs.default.scripts]
cov = "pytest"                     «cov»
[tool.hatch.envs.docs.scripts]
build = "mkdocs"                   «docs:build»
[tool.tox.env.types]               «types»
commands = [["mypy"]]
[tool.tox]
legacy_tox_ini = '''
[testenv:legacy]                   «legacy»
'''
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", MAKEFILE),
        ("GNUmakefile", MAKEFILE),
        ("package.json", PACKAGE_JSON),
        ("tox.ini", TOX_INI),
        ("noxfile.py", NOXFILE),
        ("justfile", JUSTFILE),
        ("pyproject.toml", PYPROJECT.replace("all = [", "all = [   «all»")),
        ("README.md", MAKEFILE.replace("«", "(").replace("»", ")")),
        ("docs/notes.json", PACKAGE_JSON.replace("«", "").replace("»", "")),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_each_definition_is_found_on_its_line_and_nothing_else(path, text, line_end):
    found, expected = defined(path, text.replace("\n", line_end))
    assert found == expected


def test_lines_may_come_without_line_ends():
    assert [each.line for each in definitions("Makefile", ["all: x", "", "docs:"])] == [0, 2]


def test_a_definition_knows_the_directory_of_its_file():
    (found,) = definitions("web/app/package.json", ['{"scripts": {"lint": "x"}}'])
    assert found.command.directory == "web/app"


def test_an_included_makefile_defines_for_every_directory_above_it():
    found = definitions("mk/docs/rules.mk", ["docs:"])
    assert [each.command.directory for each in found] == ["", "mk", "mk/docs"]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["Makefile", "x.mk", "package.json", "tox.ini", "noxfile.py", "justfile", "pyproject.toml"]),
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from('[]{}":=,.@\\\n\r abtestenv')), max_size=200),
)
def test_no_text_makes_it_fail_or_name_a_line_that_is_not_there(path, text):
    lines = split_lines(text)
    assert all(0 <= each.line < len(lines) for each in definitions(path, lines))


@pytest.mark.parametrize("path", ["Makefile", "package.json", "tox.ini", "noxfile.py", "justfile", "pyproject.toml"])
@pytest.mark.parametrize("unit", ["[", '"', "a ", "a:", "{a,", '"a":', "\\", "a=", "'", "[testenv:{a,b}"])
def test_giant_lines_are_read_in_time_that_grows_with_their_length(path, unit):
    found = list(definitions(path, [unit * 50_000]))
    assert all(each.line == 0 for each in found)
