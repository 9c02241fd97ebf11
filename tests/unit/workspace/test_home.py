from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from memlens.core.errors import HomeError
from memlens.workspace import home as home_module
from memlens.workspace.home import Home, locate_home


def test_memlens_home_holds_every_file_of_ours(tmp_path: Path) -> None:
    home = locate_home({"MEMLENS_HOME": str(tmp_path / "all")})
    for path in (home.data, home.config, home.state, home.cache, home.database, home.user_settings):
        assert path.is_relative_to(tmp_path / "all")
    assert home.database.name == "memlens.db"
    assert home.user_settings == home.config / "settings.toml"


def test_locating_creates_nothing(tmp_path: Path) -> None:
    locate_home({"MEMLENS_HOME": str(tmp_path / "all")})
    assert list(tmp_path.iterdir()) == []


def test_an_empty_memlens_home_counts_as_unset() -> None:
    assert locate_home({"MEMLENS_HOME": ""}) == locate_home({})


def test_without_memlens_home_the_systems_conventions_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    home = locate_home({})
    assert "memlens" in home.data.parts
    assert home.data.is_absolute()


def test_a_relative_home_counts_from_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate_home({"MEMLENS_HOME": "mine"}).data.parent == Path.cwd() / "mine"


def test_tilde_in_memlens_home_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert locate_home({"MEMLENS_HOME": "~/m"}).data.is_relative_to(tmp_path / "m")


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
def test_directories_are_created_for_this_user_alone(tmp_path: Path) -> None:
    home = locate_home({"MEMLENS_HOME": str(tmp_path / "deep" / "all")})
    home.prepare()
    created = [tmp_path / "deep", tmp_path / "deep" / "all", home.data, home.config, home.state, home.cache]
    assert [stat.S_IMODE(path.stat().st_mode) for path in created] == [0o700] * len(created)


def test_preparing_twice_keeps_what_is_there(tmp_path: Path) -> None:
    home = locate_home({"MEMLENS_HOME": str(tmp_path)})
    home.prepare()
    home.database.write_text("x")
    home.prepare()
    assert home.database.read_text() == "x"
    assert list(home.data.iterdir()) == [home.database]


@pytest.mark.parametrize("blocked", ["", "data", "cache"])
def test_a_file_in_the_way_is_named_with_a_way_out(tmp_path: Path, blocked: str) -> None:
    top = tmp_path / "all"
    if blocked:
        top.mkdir()
    (top / blocked).write_text("I am a file")
    with pytest.raises(HomeError, match=r"a file .* in the way.*MEMLENS_HOME") as caught:
        locate_home({"MEMLENS_HOME": str(top)}).prepare()
    assert str(top) in str(caught.value)


@pytest.mark.parametrize(
    ("number", "cause"),
    [(errno.ENOSPC, "no space"), (errno.EROFS, "read-only"), (errno.EACCES, "permission"), (errno.EDQUOT, "quota")],
)
def test_the_cause_is_told_when_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, cause: str
) -> None:
    def fail(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("tempfile.TemporaryFile", fail)
    with pytest.raises(HomeError, match=cause):
        locate_home({"MEMLENS_HOME": str(tmp_path)}).prepare()


def test_a_read_only_configuration_directory_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = locate_home({"MEMLENS_HOME": str(tmp_path)})
    home.config.mkdir()
    written: list[Path] = []
    monkeypatch.setattr(home_module, "_check_writable", written.append)
    home.prepare()
    assert written == [home.data, home.state, home.cache]


def test_no_home_directory_at_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Path("~/.local/share/memlens")
    monkeypatch.setattr(home_module, "_by_convention", lambda: Home(nowhere, nowhere, nowhere, nowhere))
    with pytest.raises(HomeError, match="MEMLENS_HOME"):
        locate_home({})


def test_an_unknown_users_home_is_told() -> None:
    with pytest.raises(HomeError, match="absolute path"):
        locate_home({"MEMLENS_HOME": "~no-such-user-here/m"})
