from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memlens.workspace.remote import normalize_remote, path_key

BASE = Path("/base")


@pytest.mark.parametrize(
    "address",
    [
        "git@github.com:owner/Name.git",
        "git@GitHub.com:/owner/Name",
        "github.com:owner/Name",
        "ssh://git@github.com/owner/Name.git",
        "ssh://git@github.com:22/owner/Name/",
        "SSH://github.com:/owner//Name.git/",
        "git+ssh://git@github.com/owner/Name",
        "https://github.com/owner/Name",
        "https://github.com:443/owner/Name.git",
        "https://github.com./owner/Name/.git",
        "http://user@github.com:80/owner/Name.git",
        "https://user:token@github.com/owner/Name.git",
        "https://user:p@ss@github.com/owner/Name.git",
        "https://:token@github.com/owner/Name.git?private_token=secret#secret",
        "git://github.com:9418/owner/Name.git",
    ],
)
def test_every_spelling_of_a_remote_has_one_name(address: str) -> None:
    assert normalize_remote(address, BASE) == "github.com/owner/Name"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("ssh://git@host:2222/a/b.git", "host:2222/a/b"),
        ("https://host:8443/a", "host:8443/a"),
        ("ssh://git@[2001:DB8::1]:2222/a", "[2001:db8::1]:2222/a"),
        ("git@[::1]:a/b.git", "[::1]/a/b"),
        ("host:2222/a", "host/2222/a"),
        ("https://gitlab.com/group/sub group/队.git", "gitlab.com/group/sub group/队"),
        ("ssh://host/~ada/a.git", "host/~ada/a"),
        ("https://dev.azure.com/org/My%20Project/_git/r", "dev.azure.com/org/My%20Project/_git/r"),
    ],
)
def test_what_tells_remotes_apart_is_kept(address: str, name: str) -> None:
    assert normalize_remote(address, BASE) == name


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ext::sh -c attack",
        "codecommit::eu-west-1://r",
        "s3://bucket/r",
        "https://",
        "https://host",
        "https://host/.git",
        "https://host/../a",
        "https://host:99999/a",
        "https://host:port/a",
        "https://user:pa/ss@host/a",
        "user:pass@host:a/b.git",
        "git@host:a/b?token=x",
        "git@host:",
        "git@ho st:a",
        "ssh://host/~/a",
        "ssh://-oProxyCommand=x/../a",
        "https://host/a\nb",
        "https://host/a\0b",
        "https://host/" + "a" * 5000,
    ],
)
def test_an_address_that_is_not_understood_has_no_name(address: str) -> None:
    assert normalize_remote(address, BASE) is None


def test_a_local_remote_is_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "store")
    expected = f"file://{path_key((tmp_path / 'store').resolve())}/a b.git"
    for address in (
        f"{tmp_path}/store/a b.git",
        f"{tmp_path}/link/a b.git/",
        "../store/a b.git",
        f"file://{tmp_path}/link/a%20b.git",
    ):
        assert normalize_remote(address, tmp_path / "clone") == expected


def test_drive_letters_are_upper_case_in_keys() -> None:
    assert path_key(Path("c:/Repo/Src")) == "C:/Repo/Src"


def test_a_path_of_bytes_that_are_no_utf8_can_be_stored() -> None:
    key = path_key(Path("/r/\udcff"))
    assert key.encode() == b"/r/\\xff"


hosts = st.from_regex(r"[a-zA-Z][a-zA-Z0-9.-]{0,20}[a-zA-Z0-9]", fullmatch=True)
paths = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=4).map("/".join)
ports = st.one_of(st.just(""), st.integers(0, 70_000).map(lambda port: f":{port}"))


@given(st.sampled_from(["ssh", "https", "http", "git", "ftp"]), hosts, ports, paths)
def test_naming_a_name_again_changes_nothing(scheme: str, host: str, port: str, path: str) -> None:
    name = normalize_remote(f"{scheme}://{host}{port}/{path}", BASE)
    assume(name is not None)
    assert normalize_remote(f"{scheme}://{name}", BASE) == name


@given(st.text(max_size=30))
def test_naming_a_local_name_again_changes_nothing(path: str) -> None:
    name = normalize_remote(f"/srv/{path}", BASE)
    assume(name is not None and name.isprintable())
    assert normalize_remote(str(name), BASE) == name


@given(
    st.sampled_from(["ssh://{}@h/a", "https://{}@h/a.git", "https://{}@h:8443/a?x={}", "{}@h:a/b", "HTTP://{}@h/a#{}"]),
    st.text(st.characters(codec="utf-8"), max_size=10),
    st.text(st.characters(codec="utf-8", exclude_characters="/"), max_size=10),
)
def test_a_password_never_becomes_part_of_a_name(form: str, user: str, tail: str) -> None:
    address = form.replace("{}", f"{user}:s3cr3t{tail}")
    assume("/" not in user)
    assert "s3cr3t" not in (normalize_remote(address, BASE) or "")


@given(st.text(max_size=60))
def test_any_text_has_a_name_or_none(address: str) -> None:
    name = normalize_remote(address, BASE)
    assert name is None or name.startswith("file:///") or "/" in name
