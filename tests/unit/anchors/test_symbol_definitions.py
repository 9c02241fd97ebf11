"""Where symbols are defined, for each language, and in any text whatsoever (spec 2.1, symbol rule)."""

import logging
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.anchors.symbols import languages, symbol_definitions
from memlens.anchors.symbols.languages import LANGUAGES, LanguageRow, grammar_of
from memlens.anchors.symbols.model import DefinitionKind
from memlens.core.lines import split_lines

from .marks import without_marks


def full_name(definition):
    kind = ":field" if definition.kind is DefinitionKind.FIELD else ""
    return ".".join((*definition.modules, *definition.owners, definition.name)) + kind


def defined(path, text):
    lines, marks = without_marks(text)
    return {(each.line, full_name(each)) for each in symbol_definitions(path, lines)}, marks


PYTHON = '''\
import os
from x import imported
try:
    import ssl
    Extra = ssl.Extra                       «Extra»
except ImportError:
    ssl = Other = None
VERSION = "1"                               «VERSION»
default: int = 3                            «default»
a, b = 1, 2                                 «a b»
if os.name == "nt":
    def conditional(): ...                  «conditional»
@decorated
def outer(argument):                        «outer»
    local = 1
    def inner(): ...
    class Local:
        member = 1
class Client:                               «Client»
    LIMIT = 3                               «Client.LIMIT»
    timeout: int = 3                        «Client.timeout:field»
    MAX_TRIES: int = 3                      «Client.MAX_TRIES»
    def __init__(self):                     «Client.__init__»
        self.open = True                    «Client.open:field»
        other.name = 1
    async def send(self):                   «Client.send»
        self.open = False
    @property
    def state(self):                        «Client.state:field»
        local = 1
    class Meta:                             «Client.Meta»
        ordering = ()                       «Client.Meta.ordering»
@overload
def twice(x: int) -> int: ...
@typing.overload
def twice(x: str) -> str: ...
def twice(x):                               «twice»
    return lambda y: (z := y)
VERSION = "2"
type Alias = int                            «Alias»
"""
def in_text(): ...
"""
'''

JAVASCRIPT = """\
const fs = require('node:fs')
const { a } = require('x')
const lazy = await import('y')
const LIMIT = 3                                 «LIMIT»
let handler = (x) => { const local = 1 }        «handler»
export const CODES = {                          «CODES»
  NOT_FOUND: 1,                                 «CODES.NOT_FOUND»
  plain: 2,                                     «CODES.plain:field»
  method () { const local = 1 }                 «CODES.method»
}
function Reply (request) {                      «Reply»
  this.request = request                        «Reply.request:field»
  const local = 1
}
Reply.prototype.send = function () {            «Reply.send»
  const local = 1
}
export default class Client extends Base {      «Client»
  retries = 3                                   «Client.retries:field»
  #hidden () {}                                 «Client.#hidden»
  async send () { this.sent = 1 }               «Client.send Client.sent:field»
}
function helper () {}                           «helper»
module.exports.helper = helper
exports.only = LIMIT                            «only»
module.exports = { helper }
call({ option: 1 }, function named () { function inner () {} })
"""

TYPESCRIPT = """\
import { x } from 'y'
export interface Options { limit: number; run(): void }   «Options Options.limit:field Options.run»
export type Codes = Record<string, number>                «Codes»
enum Level { Low, High = 2 }                              «Level Level.Low Level.High»
declare function declared(): void                         «declared»
function twice(x: number): void
function twice(x: any) { const local = 1 }                «twice»
namespace Outer { export const LIMIT = 3 }                «Outer Outer.LIMIT»
abstract class Base<T> {                                  «Base»
  private limit = 3                                       «Base.limit:field»
  abstract run(): void                                    «Base.run»
}
declare const VERSION: string                             «VERSION»
"""

GO = """\
package x
const MaxRetries = 3                    «MaxRetries»
const (
    First = iota                        «First»
    second                              «second»
)
var ErrGone, errOther = a, b            «ErrGone errOther»
type Client struct {                    «Client»
    Timeout int                         «Client.Timeout:field»
}
type Doer interface {                   «Doer»
    Do() error                          «Doer.Do»
}
func New() *Client { local := 1 }       «New»
func (c *Client) Send() { var x = 1 }   «Client.Send»
func (c Pool[T]) Get() {}               «Pool.Get»
"""

RUST = """\
pub const LIMIT: u8 = 3;                        «LIMIT»
static mut COUNT: u8 = 0;                       «COUNT»
pub struct Client { timeout: u8 }               «Client Client.timeout:field»
enum Level { Low, High(u8) }                    «Level Level.Low Level.High»
pub trait Send { fn send(&self); }              «Send Send.send»
impl<T> Send for Client<T> {
    fn send(&self) { let x = |y| y; fn inner() {} }   «Client.send»
}
mod inner { pub fn helper() {} }                «inner inner.helper»
macro_rules! check { () => {} }                 «check»
type Alias = u8;                                «Alias»
"""

JAVA = """\
package x;
public class Client extends Base {              «Client»
    public static final int MAX = 3;            «Client.MAX»
    private int timeout;                        «Client.timeout:field»
    Client() { int local = 1; }
    void send(int x) { Runnable r = () -> {}; } «Client.send»
    enum Level { LOW, HIGH }                    «Client.Level Client.Level.LOW Client.Level.HIGH»
}
interface Doer { void run(); }                  «Doer Doer.run»
record Point(int x) {}                          «Point»
@interface Marker {}                            «Marker»
"""

C = """\
#define LIMIT 3                                 «LIMIT»
#define MAX(a, b) ((a) > (b))                   «MAX»
static int helper(int x);
int *other(void);                               «other»
struct client { int timeout; char *name; };     «client client.timeout:field client.name:field»
struct client make(void) { int local = 1; }     «make»
typedef struct { int x; } point_t;              «point_t point_t.x:field»
enum level { LOW, HIGH = 2 };                   «level level.LOW level.HIGH»
static int helper(int x) { return x; }          «helper»
int table[] = { 1 };                            «table»
"""

CPP = """\
namespace net {                                  «net»
class Client : Base {                            «net.Client»
 public:
  void send(int x);                              «net.Client.send»
  int size() const { auto f = [] { int y = 1; }; return 1; }   «net.Client.size»
  int timeout_;                                  «net.Client.timeout_:field»
};
}
void Pool::release(int x) {}                     «Pool.release»
template <typename T> T twice(T x) { return x; } «twice»
using Alias = int;                               «Alias»
enum class Level { Low };                        «Level Level.Low»
"""

SHELL = """\
#!/bin/sh
LIMIT=3                                 «LIMIT»
export OTHER=4                          «OTHER»
NAME=value command
build() {                               «build»
  local inner=1
  INSIDE=2
}
function deploy { :; }                  «deploy»
"""

MARKDOWN = """\
# Overview
## `Client.send`                        «Client.send»
## Client.close()                       «Client.close»
### .send(data, [code])                 «send»
### **MAX_RETRIES**                     «MAX_RETRIES»
### [`bodyLimit`](#x) ##                «bodyLimit»
### `factory` <a id="x"></a>            «factory»
## GitHub
## Node.js
## `make build` and more
#no heading
```python
# `in_fence`
```
~~~
``` x
## `in_other_fence`
~~~
## last_one                             «last_one»
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", PYTHON),
        ("a.js", JAVASCRIPT),
        ("a.ts", TYPESCRIPT),
        ("a.tsx", TYPESCRIPT),
        ("a.go", GO),
        ("a.rs", RUST),
        ("a.java", JAVA),
        ("a.c", C),
        ("a.cpp", CPP),
        ("a.sh", SHELL),
        ("a.md", MARKDOWN),
    ],
)
def test_definitions_are_found_on_their_lines_and_nothing_else_is(path, text):
    found, expected = defined(path, text)
    assert found == expected


@pytest.mark.parametrize("row", LANGUAGES, ids=lambda row: row.suffixes[0])
def test_every_language_of_the_table_can_be_loaded(row):
    assert grammar_of(row) is not None


@pytest.mark.parametrize("path", ["a.txt", "py", "a.pyc", "Makefile", "a"])
def test_other_files_define_nothing(path):
    assert symbol_definitions(path, ["def send(): ...\n"]) == ()


def test_a_grammar_that_cannot_be_loaded_switches_its_language_off_with_one_warning(monkeypatch, caplog):
    row = LanguageRow("tree_sitter_nowhere", "language", (".nowhere",), ("python",))
    monkeypatch.setitem(languages._BY_SUFFIX, ".nowhere", row)
    with caplog.at_level(logging.WARNING):
        assert symbol_definitions("a.nowhere", ["x = 1\n"]) == ()
        assert symbol_definitions("b.nowhere", ["x = 2\n"]) == ()
    assert [record.getMessage() for record in caplog.records] == [
        "no symbols in .nowhere files: tree_sitter_nowhere (ModuleNotFoundError)"
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_are_counted_as_editors_count_them_whatever_ends_them(end):
    text = end.join(["# a\x0cb\u2028c\x85d", "x = 1", "", "def send():", "    pass"])
    found = [(each.line, each.name) for each in symbol_definitions("a.py", split_lines(text))]
    assert found == [(1, "x"), (3, "send")]


def test_line_ends_may_be_missing():
    assert [each.line for each in symbol_definitions("a.py", ["", "def send():", "    pass"])] == [1]


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("# Code generated by x. DO NOT EDIT.", 0),
        ("# This file is autogenerated by build/x.py", 0),
        ("# @generated", 0),
        ("# Names of generated files.", 1),
        ("# Do not edit lightly.", 1),
    ],
)
def test_a_generated_file_defines_nothing(head, count):
    assert len(symbol_definitions("a.py", [head, "x = 1"])) == count


def test_a_file_of_more_than_a_megabyte_is_not_parsed():
    assert symbol_definitions("a.py", ["x = 1\n", "#" * 1_000_000]) == ()


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.py", "("),
        ("a.py", "[{("),
        ("a.js", "[" + "," * 199_998),
        ("a.py", "if x:\n "),
        ("a.js", "{"),
        ("a.c", "("),
        ("a.sh", "\x00"),
        ("a.sh", "$("),
        ("a.tsx", "<a>"),
        ("a.md", "# `"),
    ],
)
def test_hostile_text_is_given_up_in_time(path, unit):
    lines = split_lines(unit * (200_000 // len(unit)))
    started = time.process_time()
    symbol_definitions(path, lines)
    assert time.process_time() - started < 10


def test_broken_code_still_has_the_definitions_around_the_break():
    lines = split_lines("def first(): ...\n\ndef broken(:\n    x = (\n\nclass Last:\n    pass\n")
    assert "first" in {each.name for each in symbol_definitions("a.py", lines)}


PATHS = st.sampled_from([f"a{row.suffixes[0]}" for row in LANGUAGES] + ["a.md"])
CODE = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("abX_=(){}[]<>:;,.#*&\"'`\\ \n\r\t\x00\x0c\u2028")),
    max_size=200,
)


@settings(max_examples=60, deadline=None)
@given(PATHS, CODE)
def test_no_text_makes_it_fail_or_find_a_line_that_is_not_there(path, text):
    lines = split_lines(text)
    for definition in symbol_definitions(path, lines):
        assert 0 <= definition.line < len(lines)


@settings(max_examples=100, deadline=None)
@given(PATHS, st.binary(max_size=200))
def test_no_bytes_make_it_fail(path, content):
    symbol_definitions(path, split_lines(content.decode("utf-8", errors="surrogateescape")))
