"""Symbols in a text are shown where they are defined (spec 2.1, symbol rule)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors import symbol_rule
from memlens.anchors.index import AnchorIndex
from memlens.anchors.model import AnchorEntry, Applicability, Origin, Rule, Strength, TargetKind
from memlens.anchors.proposal import propose
from memlens.anchors.stated import stated_targets
from memlens.anchors.symbol_mentions import symbol_mentions
from memlens.anchors.symbol_names import parse_symbol
from memlens.anchors.tree import ListedTree
from memlens.core.lines import split_lines

TREE = ListedTree(["attrs/validators.py", "attrs/__init__.py", "memlens/a.py", "lib/errors.js", "tests/test_a.py"])


def entry(text="", *, applies=(), entry_id="e"):
    return AnchorEntry(entry_id, "constraint", text, (propose(text, TREE), *applies), ())


def stated(*symbols, origin=Origin.CONFIRMED):
    return Applicability(origin, stated_targets(symbols=symbols))


def anchors(entries, path, code, strength=Strength.STRONG):
    entries = [entry(entries)] if isinstance(entries, str) else entries
    found = AnchorIndex(entries).anchors(path, split_lines(code))
    return [anchor for anchor in found if anchor.strength is strength and not anchor.is_file_level]


def lines(text, path, code):
    return [anchor.start_line + 1 for anchor in anchors(text, path, code)]


def test_an_entry_is_shown_on_the_line_that_defines_the_symbol_it_names():
    (anchor,) = anchors("`Client.send` retries.", "a.py", "class Client:\n    def send(self): ...\n")
    assert (anchor.start_line, anchor.end_line, anchor.rule) == (1, 1, Rule.SYMBOL)
    assert anchor.why == "`Client.send` is defined on this line"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("`Client.send` retries", ["Client.send"]),
        ("`client.send(request)` retries", ["client.send()"]),
        ("`Client::send` and `Client#close`, `p->next`", ["Client.send", "Client.close", "p.next"]),
        ("`self.timeout_ms` and `this.isOpen`", ["timeout_ms", "isOpen"]),
        ("`class Foo(Base):` is frozen", ["Foo"]),
        ("`async def fetch_all`", ["fetch_all"]),
        ("`List[Item]`, `Map<K, V>`", ["List", "Map"]),
        (
            "MAX_RETRIES, force_kw_only and defaultInitOptions in prose",
            ["MAX_RETRIES", "force_kw_only", "defaultInitOptions"],
        ),
        (
            "HTTPClient reads, validators.disabled() does not, retry() neither",
            ["HTTPClient", "validators.disabled()", "retry()"],
        ),
        ("在 Style 枚举里追加，并更新auto_discover。", ["auto_discover", "Style"]),
        ("the Reply class, an enum `Level` and the `send` method", ["Level", "Reply", "send()"]),
        ("`await client.send(MAX_SIZE)` first", ["client.send", "MAX_SIZE"]),
        ("GitHub, PyPI, Node.js, JavaScript, macOS and OpenAPI", []),
        ("`GitHub`, `Node.js`, `setup.py`, `config.json`", []),
        ("`make docs_test`, `pip install foo_bar`, `python -m foo_bar`, `git log --foo_bar`", []),
        ("`src/foo_bar.py`, src/foo_bar.py, foo_bar.py and --foo_bar", []),
        ("e.g. this, i.e. that; v1.2, 3.11, U.S. and so on", []),
        ("https://example.com/foo_bar and me@foo_bar.com", []),
        ("Plain words, Names and ABBR only", []),
        ("`strict` and `han` are passed on", []),
        ("a well-known_issue, __init__ and **kwargs", []),
    ],
)
def test_what_a_text_names_is_what_is_written_like_code(text, names):
    found = [mention.symbol.spelling for mention in symbol_mentions(text).symbols]
    assert sorted(found) == sorted(names)


def test_a_plain_word_counts_only_together_with_the_type_or_file_that_the_text_names():
    code = "class Client:\n    def send(self): ...\n    strict = 1\ndef send(): ...\n"
    assert lines("Always `send` first.", "a.py", code) == []
    assert lines("A Client class must `send` first.", "a.py", code) == [1, 2]
    assert lines("`send` of attrs/validators.py", "attrs/validators.py", code) == [4]
    assert lines("`send` of attrs/validators.py", "attrs/other.py", code) == []


@pytest.mark.parametrize(
    ("text", "path", "shown"),
    [
        ("`attrs.validators.set_disabled`", "attrs/validators.py", True),
        ("`attrs.validators.set_disabled`", "src/attrs/validators.py", True),
        ("`attrs.validators.set_disabled`", "validators.py", True),
        ("`attrs.validators.set_disabled`", "attrs/_validators.py", True),
        ("`attrs.validators.set_disabled`", "attrs/validators/__init__.py", True),
        ("`attrs.validators.set_disabled`", "attrs/validators/core.py", True),
        ("`attrs.validators.set_disabled`", "attrs/converters.py", False),
        ("`attrs.validators.set_disabled`", "other/validators.py", False),
        ("`attrs.validators.set_disabled`", "tests/test_validators.py", False),
        ("`attrs.set_disabled`", "attrs/core.py", True),
        ("`attrs.set_disabled`", "core.py", False),
        ("`web.set_disabled`", "pkg/web_app.py", True),
        ("`web.set_disabled`", "pkg/app_web.py", False),
    ],
)
def test_a_module_in_front_of_a_name_must_fit_the_file(text, path, shown):
    assert lines(text, path, "def set_disabled(): ...\n") == ([1] if shown else [])


@pytest.mark.parametrize("text", ["`Client.send`", "`client.send()`", "`Outer.Client.send`", "Client.send"])
def test_a_type_or_its_instance_in_front_of_a_name_must_be_around_it(text):
    inside = "class Outer:\n    class Client:\n        def send(self): ...\n"
    assert lines(text, "a.py", inside) == [3]
    assert lines(text, "a.py", inside.replace("Client", "Server")) == []
    assert lines(text, "a.py", "def send(): ...\n") == []


def test_a_name_that_is_a_word_means_a_type_or_a_function_and_nothing_inside_one():
    assert lines("`Reply` has a fixed shape.", "a.js", "function Reply () {}\n") == [1]
    assert lines("`Reply` has a fixed shape.", "a.py", "Reply = 1\nclass A:\n    class Reply: ...\n") == []
    assert lines("`retry()` is last.", "a.py", "def retry(): ...\nclass A:\n    def retry(self): ...\n") == [1]
    assert lines("`ATTRS` is complete.", "a.py", "ATTRS = 1\nclass A:\n    ATTRS = 1\n") == [1]


def test_a_field_or_property_is_meant_only_with_its_type():
    code = "class Client:\n    time_out: int = 3\n    @property\n    def is_open(self): ...\n"
    assert lines("`time_out` and `is_open`", "a.py", code) == []
    assert lines("`Client.time_out` and `Client.is_open`", "a.py", code) == [2, 4]


def test_a_name_that_a_file_defines_more_than_four_times_says_nothing():
    classes = "".join(f"class A{number}:\n    def to_dict(self): ...\n" for number in range(5))
    assert lines("`to_dict` is stable.", "a.py", classes) == []
    assert lines("`A1.to_dict` is stable.", "a.py", classes) == [4]


def test_doubles_in_tests_and_examples_are_not_meant_but_helpers_of_tests_are():
    code = "class HTTPClient: ...\ndef make_client(): ...\n"
    assert lines("`HTTPClient` and `make_client`", "tests/helpers.py", code) == [2]
    assert lines("`HTTPClient` and `make_client`", "examples/a.py", code) == []
    assert lines("`test_it_works` is slow.", "tests/test_a.py", "class A:\n    def test_it_works(self): ...\n") == [2]


def test_the_name_of_the_project_in_prose_is_no_symbol():
    assert lines("MemLens is fast.", "a.py", "class MemLens: ...\n") == []
    assert lines("`MemLens` is fast.", "a.py", "class MemLens: ...\n") == [1]


def test_a_heading_that_documents_a_symbol_is_a_definition():
    assert lines("`bodyLimit` is checked twice.", "docs/Server.md", "# Server\n\n### `bodyLimit`\n") == [3]


def test_uses_of_unmistakable_names_get_weak_anchors_and_at_most_twenty():
    code = "MAX_SIZE = 3\n" + "print(MAX_SIZE, send_all)\n" * 30
    strong = anchors("MAX_SIZE and send_all", "a.py", code)
    weak = anchors("MAX_SIZE and send_all", "a.py", code, Strength.WEAK)
    assert [anchor.start_line for anchor in strong] == [0]
    assert [anchor.start_line for anchor in weak] == list(range(1, 21))
    assert weak[0].why == "`MAX_SIZE` is used on this line"


def test_a_file_that_names_no_symbol_is_not_parsed(monkeypatch):
    def refuse(path, lines):
        raise AssertionError("parsed")

    monkeypatch.setattr(symbol_rule, "symbol_definitions", refuse)
    assert anchors("`Client.send` and MAX_SIZE", "a.py", "def other(): ...\n") == []


def test_what_a_person_states_means_any_definition_of_the_name():
    code = "class Client:\n    def send(self): ...\n"
    (anchor,) = anchors([entry(applies=[stated("send")])], "a.py", code)
    assert (anchor.start_line, anchor.rule) == (1, Rule.STATED)
    assert anchor.why == "`send` is defined on this line (stated)"


def test_a_muted_symbol_is_not_shown_however_it_is_spelled():
    code = "class Client:\n    def send(self): ...\n"
    muted = stated("Client::send", origin=Origin.MUTED)
    assert anchors([entry("`Client.send` retries.", applies=[muted])], "a.py", code) == []


def test_a_changed_entry_leaves_its_old_symbols():
    index = AnchorIndex([entry("`first_one`")]).replaced([entry("`second_one`")], [])
    found = index.anchors("a.py", ["first_one = 1\n", "second_one = 1\n"])
    assert [anchor.start_line for anchor in found] == [1]


ANY_TEXT = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("`.():#->abC_ \n\x00类 <>[]@$")), max_size=120)


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT)
def test_every_target_read_from_a_text_can_be_read_again(text):
    for target in propose(text, TREE).targets:
        if target.kind is TargetKind.SYMBOL:
            symbol = parse_symbol(target.value)
            assert symbol is not None
            assert symbol.spelling == target.value


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_no_text_and_no_file_make_it_fail(text, code):
    for anchor in AnchorIndex([entry(text + " `abC`")]).anchors("a.py", split_lines(code)):
        assert anchor.start_line is None or 0 <= anchor.start_line < len(split_lines(code))
