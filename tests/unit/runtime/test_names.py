"""Names that are made once and kept: a person's, a machine's (spec 2.4)."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memlens.core.errors import HomeError
from memlens.runtime.names import personal_key


def test_looking_makes_no_name(tmp_path: Path) -> None:
    assert personal_key(tmp_path / "config" / "user", create=False) is None
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_name_is_made_once_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "config" / "user"
    key = personal_key(file, create=True)
    assert key is not None
    assert key.startswith("user:")
    assert personal_key(file, create=True) == personal_key(file, create=False) == key
    assert file.stat().st_mode & 0o077 == 0


def test_all_that_make_it_at_once_get_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "user"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: personal_key(file, create=True), range(32)))
    assert len(keys) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["user"]


def test_a_person_can_choose_the_name(tmp_path: Path) -> None:
    (tmp_path / "user").write_text("ada@example.org\n")
    assert personal_key(tmp_path / "user", create=False) == "user:ada@example.org"


@pytest.mark.parametrize("content", [b"", b"two words", b"\xff\xfe", b"a" * 101, b"a/b"])
def test_a_file_that_holds_no_name_is_an_error_with_the_way_out(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "user").write_bytes(content)
    with pytest.raises(HomeError, match="correct it, or delete the file"):
        personal_key(tmp_path / "user", create=True)


def test_a_directory_in_its_place_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    with pytest.raises(HomeError, match="MEMLENS_HOME"):
        personal_key(tmp_path / "user", create=True)
