from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlens.workspace.gitconfig import ConfigValue, first_value, read_config

ORIGIN = '[remote "origin"]\n'


def origin_url(text: str) -> str | None:
    return first_value(text, "remote", "origin", "url")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("url = https://h/a", "https://h/a"),
        ("\tURL=https://h/a  ", "https://h/a"),
        ("url = https://h/a ; why", "https://h/a"),
        ("url = https://h/a# why", "https://h/a"),
        ('url = "https://h/a#b" # why', "https://h/a#b"),
        ('url = "a ; b"c', "a ; bc"),
        ('url = "  padded  "', "  padded  "),
        (r"url = C:\\repos\\x", r"C:\repos\x"),
        (r"url = say \"hi\"", 'say "hi"'),
        ("url = https://h/\\\nowner/name", "https://h/owner/name"),
        ("url = a # no continuation \\\n\tother = b", "a"),
        ("url = first\n\turl = second", "first"),
        ("url =\n\turl = second", "second"),
        ("url", None),
        ("url = bad \\q escape", None),
        ('url = "open', None),
        ("# url = x", None),
        ("pushurl = x", None),
    ],
)
def test_a_value_is_read_as_git_reads_it(line: str, value: str | None) -> None:
    assert origin_url(f"{ORIGIN}\t{line}\n") == value


@pytest.mark.parametrize(
    "header",
    ['[remote "origin"]', '[REMOTE "origin"]', '[ remote   "origin" ]', "[remote.origin]", '[remote "or\\igin"]'],
)
def test_a_section_is_found_in_every_spelling(header: str) -> None:
    assert origin_url(f"[core]\n\tbare = true\n{header}\n\turl = u\n") == "u"


@pytest.mark.parametrize("header", ['[remote "Origin"]', '[remote "upstream"]', "[remote]", '[branch "origin"]'])
def test_another_section_is_not_taken_for_it(header: str) -> None:
    assert origin_url(f"{header}\n\turl = u\n") is None


def test_a_value_may_follow_its_section_header() -> None:
    assert origin_url('[remote "origin"] url = u') == "u"


def test_crlf_and_a_byte_order_mark_are_no_part_of_it() -> None:
    assert origin_url('\ufeff[remote "origin"]\r\n\turl = u\r\n') == "u"


def test_a_key_without_value_is_none() -> None:
    assert list(read_config("[core]\n\tbare\n")) == [ConfigValue("core", None, "bare", None)]


def test_a_section_that_cannot_be_read_hides_only_itself() -> None:
    assert origin_url(f"[bro ken\n\turl = wrong\n{ORIGIN}\turl = right\n") == "right"


def test_includes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "more").write_text(f"{ORIGIN}\turl = included\n")
    assert origin_url(f"[include]\n\tpath = {tmp_path}/more\n") is None


def test_many_continued_lines_cost_no_more_than_their_length() -> None:
    text = f"{ORIGIN}\turl = x\n\tlong = " + "a\\\n" * 200_000
    assert origin_url(text) == "x"


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for value in read_config(text):
        assert value.key == value.key.lower()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=40)
)
def test_what_git_writes_is_read_back(tmp_path: Path, value: str) -> None:
    config = tmp_path / "config"
    config.unlink(missing_ok=True)
    subprocess.run(["git", "config", "--file", config, "remote.origin.url", value], check=True)
    assert origin_url(config.read_bytes().decode()) == (value or None)
