"""Configuration keys in a text are shown where they are set (spec 2.1, key rule)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.index import AnchorIndex
from memlens.anchors.key_mentions import key_mentions
from memlens.anchors.key_names import parse_key
from memlens.anchors.keys import key_definitions
from memlens.anchors.model import AnchorEntry, Applicability, Origin, Rule, Strength, TargetKind
from memlens.anchors.proposal import propose
from memlens.anchors.stated import stated_targets
from memlens.anchors.tree import ListedTree
from memlens.core.lines import split_lines

from .marks import without_marks

TREE = ListedTree(["pyproject.toml", "mkdocs.yml", "package.json", "web/package.json", "data/x.json"])

TOML = '''\
top = 1                                   «top»
"quoted key" = 1                          «quoted» «key»
[project]                                 «project»
requires-python = ">=3.11"                «project.requires-python»
dependencies = [                          «project.dependencies»
  "name = x",
  # [comment]
]
text = """                                «project.text»
[not.a.table]
not = "a key"
"""                                       # and on
[tool.ruff.lint]                          «tool.ruff.lint»
select = ["A"]                            «tool.ruff.lint.select»
[tool.x]                                  «tool.x»
per.file = { a = [{ x = 1 }], "b" = 2 }   «tool.x.per.file tool.x.per.file.a tool.x.per.file.b»
[[tool.list]]                             «tool.list»
'it' = 1                                  «tool.list.it»
broken [
'''

INI = """\
root = true                               «root»
[tool:pytest]                             «tool:pytest»
addopts =                                 «tool:pytest.addopts»
    not = this
; comment = x
[flake8]  # comment                       «flake8»
max-line-length: 100                      «flake8.max-line-length»
[*.py]                                    «*.py»
indent_size = 4                           «*.py.indent_size»
"""

JSON = """\
{
  // "comment": 1
  "name": "x: y",                         «name»
  "scripts": { "a": "b", "c:d": "{" },    «scripts scripts.a scripts.c:d»
  /* "block": 1
     "inside": 2 */ "after": 1,           «after»
  "list": [                               «list»
    { "id": 1 },                          «list.id»
    "text"
  ],
  "deep": {                               «deep»
    "er": { "est": null, },               «deep.er deep.er.est»
  },
  unquoted: true                          «unquoted»
}
"""

YAML = """\
# comment: x
site_name: x                              «site_name»
"quoted": 1                               «quoted»
nav:                                      «nav»
  - Home: index.md                        «nav.Home»
  - Guide:                                «nav.Guide»
    - First: a.md                         «nav.Guide.First»
text: |                                   «text»
  not: a key

  nor: this
after: 1                                  «after»
jobs:                                     «jobs»
  build:docs:                             «jobs.build:docs»
    runs-on: x                            «jobs.build:docs.runs-on»
    steps:                                «jobs.build:docs.steps»
    - uses: a                             «jobs.build:docs.steps.uses»
      with: {flow: 1}                     «jobs.build:docs.steps.with»
    - run: >-                             «jobs.build:docs.steps.run»
        inner: x
      name: last                          «jobs.build:docs.steps.name»
    env: 1                                «jobs.build:docs.env»
- "url: x"
http://x.y/z
---
other: 1                                  «other»
"""


@pytest.mark.parametrize(("path", "text"), [("a.toml", TOML), ("setup.cfg", INI), ("a.jsonc", JSON), ("a.yml", YAML)])
def test_keys_are_found_on_their_lines_and_nothing_else_is(path, text):
    lines, marks = without_marks(text.replace("«quoted» «key»", "«quoted_key»"))
    found = {(each.line, ".".join(each.path).replace(" ", "_")) for each in key_definitions(path, lines)}
    assert found == marks


@pytest.mark.parametrize("path", ["package-lock.json", "a.py", "toml", "poetry.lock", "docs/a.md"])
def test_other_files_set_no_keys(path):
    assert list(key_definitions(path, ['"a": 1', "a = 1"])) == []


def test_a_large_file_is_data_and_sets_no_keys():
    assert list(key_definitions("a.json", ['{"a": 1,', '"' + "b" * 250_000 + '": 1}'])) == []


def entry(text="", *, applies=()):
    return AnchorEntry("e", "constraint", text, (propose(text, TREE), *applies), ())


def stated(*keys, origin=Origin.CONFIRMED):
    return Applicability(origin, stated_targets(keys=keys))


def anchors(subject, path, text):
    subject = entry(subject) if isinstance(subject, str) else subject
    found = AnchorIndex([subject]).anchors(path, split_lines(text))
    return [anchor for anchor in found if not anchor.is_file_level]


def lines(text, path, content):
    return [anchor.start_line + 1 for anchor in anchors(text, path, content)]


PYPROJECT = """\
[project]
requires-python = ">=3.11"
dependencies = ["x"]
version = "1"
[tool.ruff]
line-length = 120
[tool.other]
version = "2"
line-length = 80
"""


def test_an_entry_is_shown_on_the_line_that_sets_the_key_it_names():
    (anchor,) = anchors("`requires-python` stays.", "pyproject.toml", PYPROJECT)
    assert (anchor.start_line, anchor.end_line, anchor.rule) == (1, 1, Rule.KEY)
    assert anchor.strength is Strength.STRONG
    assert anchor.why == "`requires-python` is set on this line"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`[tool.ruff] line-length` is 120", [6]),
        ("`tool.ruff.line-length` is 120", [6]),
        ("tool.ruff.line-length is 120", [6]),
        ("`ruff.line-length = 120`", [6]),
        ("[tool.ruff] line-length is 120", [6]),
        ("`line-length` of `[tool.ruff]`", [6]),
        ("`line-length` is the same everywhere", [6, 9]),
        ("`[tool.ruff]` is complete", [5]),
        ("`tool.ruff.version`", []),
        ("`dependencies` in pyproject.toml", [3]),
        ("`version` in pyproject.toml", [4]),
        ("the requires-python of pyproject.toml", [2]),
        ("`dependencies` are few", []),
        ("requires-python is a key", []),
        ("version in pyproject.toml", []),
        ("`version` in package.json", []),
    ],
)
def test_a_key_is_recognised_by_its_form_or_with_its_file(text, shown):
    assert lines(text, "pyproject.toml", PYPROJECT) == shown


@pytest.mark.parametrize(
    ("text", "path", "content", "shown"),
    [
        ("`nav:` of mkdocs.yml", "mkdocs.yml", "nav:\n- nav: x\n", [1]),
        ("`nav:` of mkdocs.yml", "other.yml", "nav:\n", []),
        ("`compilerOptions.strict` stays on", "tsconfig.json", '{"compilerOptions": {\n"strict": true}}', [2]),
        ("`editor.tabSize` is 2", ".vscode/settings.json", '{\n"editor.tabSize": 2}', [2]),
        ("`runs-on` is fixed", ".github/workflows/ci.yml", "a:\n  runs-on: x\n", [2]),
        ("`runs-on` is fixed", "src/data/ci.yml", "a:\n  runs-on: x\n", []),
        ("`max-line-length`", "setup.cfg", "[flake8]\nmax-line-length = 3\n", [2]),
        ("`fast-json` is pinned", "package.json", '{"dependencies": {\n"fast-json": "1"}}', []),
        ("`dependencies.fast-json` is pinned", "package.json", '{"dependencies": {\n"fast-json": "1"}}', [2]),
    ],
)
def test_keys_count_in_the_configuration_of_the_project(text, path, content, shown):
    assert lines(text, path, content) == shown


def test_a_key_that_a_file_sets_more_than_twice_says_nothing():
    assert lines("`max-size` is small.", "a.yml", "".join(f"{name}:\n  max-size: 1\n" for name in "abc")) == []


@pytest.mark.parametrize(
    "text", ["`config.json`", "`core.py:3`", "`Node.js`", "`--no-cache`", "`1.2`", "a/b-c", "`x.y/z-a`"]
)
def test_files_options_and_versions_are_no_keys(text):
    assert key_mentions(text).keys == ()


def test_what_a_person_states_is_evaluated_and_muted_alike():
    shown = anchors(
        entry(applies=[stated("pyproject.toml#project.version", "[tool.ruff] line-length")]),
        "pyproject.toml",
        PYPROJECT,
    )
    assert [(anchor.start_line, anchor.rule) for anchor in shown] == [(3, Rule.STATED), (5, Rule.STATED)]
    assert shown[0].why == "`project.version` is set on this line (stated)"
    muted = entry("`tool.ruff.line-length`", applies=[stated("[tool.ruff] line-length", origin=Origin.MUTED)])
    assert anchors(muted, "pyproject.toml", PYPROJECT) == []


ANY_TEXT = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("`.[]{}:=#\"'-_/*,|>abC \n\t\r\x00 ")), max_size=150
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["a.toml", "a.ini", "a.json", "a.yml"]), ANY_TEXT)
def test_no_text_makes_a_reader_fail_or_find_a_line_that_is_not_there(path, text):
    for definition in key_definitions(path, split_lines(text)):
        assert 0 <= definition.line < len(split_lines(text))
        assert definition.path


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT)
def test_every_key_read_from_a_text_can_be_read_again(text):
    for target in propose(text + " mkdocs.yml", TREE).targets:
        if target.kind is TargetKind.KEY:
            key = parse_key(target.value)
            assert key is not None
            assert key.spelling == target.value
