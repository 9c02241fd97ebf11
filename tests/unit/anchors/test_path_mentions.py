"""What of a text is read as a path or glob, and what it comes to in a repository (spec 2.1)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.model import Rule, TargetKind
from memlens.anchors.path_mentions import path_mentions
from memlens.anchors.paths import parents
from memlens.anchors.proposal import MAX_PLACES, propose
from memlens.anchors.tree import ListedTree

TREE = ListedTree(
    [
        ".github/workflows/ci.yml",
        ".gitignore",
        "CHANGELOG.md",
        "Makefile",
        "README.md",
        "app/[id]/page.tsx",
        "configure",
        "docs/README.md",
        "docs/guide.md",
        "docs/说明.md",
        "lib/errors.js",
        "lib/v1.2/notes.txt",
        "package.json",
        "pyproject.toml",
        "requirements/base.in",
        "requirements/base.txt",
        "schema/one.json",
        "site/index.html",
        "src/pkg/__init__.py",
        "src/pkg/core.py",
        "src/pkg/style/plain.py",
        "src/pkg/util.py",
        "src/web/app.ts",
        "src/web/util.py",
        "tests/pkg/test_core.py",
        "tools/gen.py",
        *(f"many/{n}/index.md" for n in range(MAX_PLACES + 1)),
    ]
)


def paths_in(text):
    return [target.value for target in propose(text, TREE).targets if target.kind is TargetKind.PATH]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`site/` is generated output", ["site/"]),
        ("site/ 是生成输出，不要手改", ["site/"]),
        ("site/是生成输出", ["site/"]),
        ("改依赖只改 pyproject.toml。", ["pyproject.toml"]),
        ("改pyproject.toml，再提交", ["pyproject.toml"]),
        ('Never edit "CHANGELOG.md", please.', ["CHANGELOG.md"]),
        ("See CHANGELOG.md.", ["CHANGELOG.md"]),
        ("（CHANGELOG.md）", ["CHANGELOG.md"]),
        ("**CHANGELOG.md** is generated", ["CHANGELOG.md"]),
        ("[the log](docs/guide.md) says so", ["docs/guide.md"]),
        ("`src/pkg/core.py` and src/pkg/util.py", ["src/pkg/core.py", "src/pkg/util.py"]),
        (
            "Look at `src/pkg/core.py:12` and `tests/pkg/test_core.py::test_x`",
            ["src/pkg/core.py", "tests/pkg/test_core.py"],
        ),
        ("`docs/guide.md#setup` explains it", ["docs/guide.md"]),
        ("everything below src/pkg/... is old", ["src/pkg/"]),
        ("everything below src/pkg/… is old", ["src/pkg/"]),
        ("`.github/` and `.gitignore`", [".github/", ".gitignore"]),
        ("./tools/gen.py writes it", ["tools/gen.py"]),
        ("run `tools/gen.py` afterwards", ["tools/gen.py"]),
        ("run `python tools/gen.py --check` afterwards", ["tools/gen.py"]),
        ("the Makefile decides", ["Makefile"]),
        ("`configure` is written by hand", ["configure"]),
        ("the schema directory is vendored", ["schema/"]),
        ("在 style 目录下写实现", ["src/pkg/style/"]),
        ("`tests/pkg` needs no network", ["tests/pkg/"]),
        ("docs/说明.md 是译文", ["docs/说明.md"]),
        ("`docs/说明.md` 是译文", ["docs/说明.md"]),
        ("`src\\pkg\\core.py` on Windows", ["src/pkg/core.py"]),
    ],
)
def test_names_of_files_and_directories_become_their_full_path(text, expected):
    assert paths_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`requirements/*.txt` is compiled", ["requirements/*.txt"]),
        ('"requirements/*.txt" is compiled', ["requirements/*.txt"]),
        ("src/**/*.ts 由工具生成", ["src/**/*.ts"]),
        ("`*.py` files have no types", ["*.py"]),
        ("`src/**/*.{ts,tsx}` is strict", ["src/**/*.{ts,tsx}"]),
        ("a `changes/<pr>.(fix|break).md` fragment", ["changes/*.{fix,break}.md"]),
        ("`docs/{lang}/index.md` is translated", ["docs/*/index.md"]),
        ("`i18n/<语言>/pages` 是译文", ["i18n/*/pages"]),
    ],
)
def test_globs_and_placeholders_are_kept_as_globs(text, expected):
    targets = propose(text, TREE).targets
    assert [(target.value, target.rule) for target in targets] == [(value, Rule.GLOB) for value in expected]


def test_a_bare_name_means_the_file_of_the_root_first():
    assert paths_in("README.md is generated") == ["README.md"]


def test_a_name_found_once_means_that_file():
    assert paths_in("errors.js lists the codes") == ["lib/errors.js"]
    assert paths_in("`web/app.ts` starts it") == ["src/web/app.ts"]


def test_a_name_found_in_few_places_means_all_of_them():
    assert paths_in("util.py stays small") == ["**/util.py"]


def test_a_name_found_in_many_places_means_nothing():
    assert paths_in("index.md and `index.md`") == []


def test_a_file_whose_name_looks_like_a_glob_is_that_file():
    (target,) = propose("`app/[id]/page.tsx` is cached", TREE).targets
    assert (target.value, target.rule) == ("app/[id]/page.tsx", Rule.PATH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`dist/` is output", ["dist/"]),
        ("`vendor/http` is a submodule", ["vendor/http"]),
        ("`setup.py` will come", ["setup.py"]),
        ("out/ 是输出", ["out/"]),
        ("dist/app.js and setup.py", []),
    ],
)
def test_of_what_the_tree_lacks_only_the_unmistakable_is_kept(text, expected):
    assert paths_in(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/docs/guide.md and http://x.y/site/",
        "`https://example.com/README.md`",
        "and/or, I/O, n/a, w/o, `and/or`, `I/O`, `TCP/IP`",
        "since 1.2.3 and v2.0 and `3.12` and 1.x",
        "e.g. this, i.e. that, etc.",
        "`attrs.validators.set_disabled` and `attr.s` and logger.error() and `self.lock`",
        "`/etc/passwd`, /usr/lib/x.py, `~/notes.md`, ~/notes.md",
        "`../other/x.py`, ../x.py, `a/../../x.py`, `%2e%2e%2fx.py`",
        "`C:\\src\\x.py`, C:\\src\\x.py, `C:/x.py`, `\\\\srv\\share\\x.py`",
        "`$HOME/x.py` and `${ROOT}/x.py` and `%APPDATA%/x.py`",
        "`src/a\x00b.py`",
        "`--output=/tmp/p` and `-x` and `-o/x.py`",
        "never pin by hand in the .txt, only in `.in`",
        "Node.js and `Next.js`",
        "`**kwargs`, `*args`, `test_*`, `*.*`, `foo.*`, `^a.*$`",
        "`application/json` and `text/html`, `origin/main`",
        "`@scope/package`, `actions/checkout@v4`",
        "the build and the docs, `build`, `test`, `strict`",
        "`[tool.ruff]` and [tool.ruff.lint]",
        "`foo()`, `a = b.py`, `x=y.py`",
        "",
        "``` ```",
        "`" + "a/" * 400 + "x.py`",
    ],
)
def test_what_only_looks_like_a_path_is_ignored(text):
    assert paths_in(text) == []


def test_a_dotted_name_that_is_a_file_is_one():
    assert paths_in("`.gitignore` and core.py") == [".gitignore", "src/pkg/core.py"]


def test_a_mention_is_the_wording_in_the_text():
    (target,) = propose("Only `core.py:3` may.", TREE).targets
    assert (target.value, target.mention, target.rule) == ("src/pkg/core.py", "core.py", Rule.PATH)


ANY_TEXT = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("`/\\.*?[]{}()<>|~$%:#@!-…目录 \n\x00,，。abCmake")),
    max_size=120,
)


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT)
def test_no_text_makes_it_fail_or_leave_the_repository(text):
    for target in propose(text, TREE).targets:
        if target.kind is TargetKind.PATH:
            assert not target.value.startswith(("/", "~", "-", "!"))
            assert ".." not in target.value.replace("\\", "/").split("/")
            assert "\x00" not in target.value


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT)
def test_the_same_text_gives_the_same_targets(text):
    assert propose(text, TREE) == propose(text, TREE)


@pytest.mark.parametrize(
    "unit", ["a/", "`a", "{a", "(a|", "<a", "[a", "make ", "**", "uv run ", "目录", "://", "a.", "…/"]
)
def test_long_and_hostile_texts_are_read_in_time_that_grows_with_their_length(unit):
    mentions = path_mentions(unit * 20_000)
    assert all(len(mention.pattern) <= 512 for mention in mentions)


def test_parents_are_outermost_first():
    assert parents("a/b/c.py") == ["a", "a/b"]
    assert parents("c.py") == []
