from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from memlens.workspace.home import Home, locate_home
from memlens.workspace.settings import SETTING_DEFAULTS, TEAM_SETTINGS, Settings
from memlens.workspace.settings_loader import (
    CLIENT_SOURCE,
    ENVIRONMENT_SOURCE,
    LoadedSettings,
    environment_name,
    load_settings,
)

DOCS = Path(__file__).parents[3] / "docs" / "settings.md"


class Sources:
    """The places settings come from, all empty at first."""

    def __init__(self, tmp_path: Path) -> None:
        self.home: Home = locate_home({"MEMLENS_HOME": str(tmp_path / "home")})
        self.repository = tmp_path / "repository"
        self.repository.mkdir()
        self.team_file = self.repository / ".memlens.toml"

    def user(self, text: str) -> None:
        self.home.config.mkdir(parents=True, exist_ok=True)
        self.home.user_settings.write_text(text)

    def team(self, text: str) -> None:
        self.team_file.write_text(text)

    def load(self, client: object = None, **environ: str) -> LoadedSettings:
        return load_settings(self.home, environ, repository=self.repository, client=client)


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    return Sources(tmp_path)


def warned_keys(loaded: LoadedSettings) -> list[tuple[str, str]]:
    return [(warning.source, warning.key) for warning in loaded.warnings]


def test_nothing_set_means_defaults_and_no_warning(sources: Sources) -> None:
    assert sources.load() == LoadedSettings(Settings(), ())
    assert dict(SETTING_DEFAULTS) == {
        "hover.enabled": True,
        "inlayHint.enabled": True,
        "codeLens.file": True,
        "codeLens.lines": False,
        "files.maxSize": 2_000_000,
        "exclude": (),
        "database.path": None,
        "backend": "sqlite",
        "actor": None,
    }


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Settings().hover.enabled = False


def test_a_stronger_source_overrules_a_weaker_one(sources: Sources) -> None:
    def hints_and_size() -> tuple[bool, int]:
        return loaded.settings.inlay_hint.enabled, loaded.settings.files.max_size

    sources.team("[inlayHint]\nenabled = false\n")
    loaded = sources.load()
    assert hints_and_size() == (False, 2_000_000)
    sources.user("[inlayHint]\nenabled = true\n[files]\nmaxSize = 1\n")
    loaded = sources.load()
    assert hints_and_size() == (True, 1)
    loaded = sources.load(MEMLENS_INLAY_HINT_ENABLED="false", MEMLENS_FILES_MAX_SIZE="2")
    assert hints_and_size() == (False, 2)
    loaded = sources.load({"inlayHint": {"enabled": True}}, MEMLENS_INLAY_HINT_ENABLED="false")
    assert hints_and_size() == (True, 1)
    assert loaded.warnings == ()


def test_exclude_adds_up_from_weak_to_strong(sources: Sources) -> None:
    sources.team('exclude = ["vendor/"]')
    sources.user('exclude = ["*.snap"]')
    loaded = sources.load({"exclude": ["!vendor/"]}, MEMLENS_EXCLUDE="a b/, *.min.js,")
    assert loaded.settings.exclude == ("vendor/", "*.snap", "a b/", "*.min.js", "!vendor/")


@pytest.mark.parametrize(
    "client",
    [
        {"codeLens": {"lines": True}},
        {"codeLens.lines": True},
        {"memlens": {"codeLens": {"lines": True}}},
        {"codeLens": {"lines": True, "file": None}, "actor": None, "trace": {"server": "off"}, "server.path": "x"},
    ],
)
def test_clients_may_send_their_section_in_several_shapes(sources: Sources, client: object) -> None:
    loaded = sources.load(client)
    assert (loaded.settings.code_lens.lines, loaded.settings.code_lens.file, loaded.warnings) == (True, True, ())


@pytest.mark.parametrize(
    ("client", "key"),
    [
        ({"hover": {"enabled": "yes"}}, "hover.enabled"),
        ({"hover": {"enabled": 1}}, "hover.enabled"),
        ({"hover": {"enable": False}}, "hover.enable"),
        ({"hover": False}, "hover"),
        ({"files": {"maxSize": True}}, "files.maxSize"),
        ({"files": {"maxSize": 0}}, "files.maxSize"),
        ({"files": {"maxSize": 1.5}}, "files.maxSize"),
        ({"exclude": "vendor/"}, "exclude"),
        ({"exclude": ["vendor/", 3]}, "exclude"),
        ({"exclude": ["!"]}, "exclude"),
        ({"exclude": ["x"] * 501}, "exclude"),
        ({"database": {"path": "relative.db"}}, "database.path"),
        ({"database": {"path": "~no-such-user-here/x.db"}}, "database.path"),
        ({"database": {"path": 7}}, "database.path"),
        ({"backend": "oceanbase"}, "backend"),
        ({"actor": " "}, "actor"),
        ({"actor": "a\nb"}, "actor"),
        ({"actor": "a" * 201}, "actor"),
        ({"typo\n": {"a": [1]}}, "typo\\u000a"),
        ([], ""),
        ("text", ""),
    ],
)
def test_what_cannot_be_used_is_warned_of_and_the_default_stays(sources: Sources, client: object, key: str) -> None:
    loaded = sources.load(client)
    assert loaded.settings == Settings()
    assert warned_keys(loaded) == [(CLIENT_SOURCE, key)]
    assert loaded.warnings[0].message.endswith("It is ignored.")


def test_a_bad_value_leaves_the_weaker_sources_value_in_force(sources: Sources) -> None:
    sources.user("[hover]\nenabled = false\n")
    assert sources.load({"hover": {"enabled": "no"}}).settings.hover.enabled is False


def test_a_misspelled_setting_gets_a_suggestion(sources: Sources) -> None:
    sources.user("[inlayhint]\nenabled = false\n")
    assert "Did you mean inlayHint.enabled?" in sources.load({"inlayHints.enabled": True}).warnings[-1].message


def test_a_warning_never_repeats_the_value(sources: Sources) -> None:
    loaded = sources.load({"database": {"path": "s3cr3t"}, "backend": "s3cr3t"}, MEMLENS_FILES_MAX_SIZE="s3cr3t")
    assert len(loaded.warnings) == 3
    assert "s3cr3t" not in repr(loaded.warnings)


@pytest.mark.parametrize(("text", "enabled"), [("true", True), ("1", True), ("off", False), ("No", False)])
def test_switches_in_the_environment_are_words(sources: Sources, text: str, enabled: bool) -> None:
    assert sources.load(MEMLENS_HOVER_ENABLED=text).settings.hover.enabled is enabled


def test_the_environment_is_checked_too(sources: Sources) -> None:
    loaded = sources.load(
        MEMLENS_HOME="/x", MEMLENS_ACTOR="", MEMLENS_HOVER="no", MEMLENS_FILES_MAX_SIZE="many", OTHER="x"
    )
    assert loaded.settings == Settings()
    assert warned_keys(loaded) == [
        (ENVIRONMENT_SOURCE, "MEMLENS_HOVER"),
        (ENVIRONMENT_SOURCE, "MEMLENS_FILES_MAX_SIZE"),
    ]


def test_the_database_may_be_in_the_users_home(sources: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("USERPROFILE", "/home/ada")
    assert sources.load(MEMLENS_DATABASE_PATH="~/m.db").settings.database.path == Path("/home/ada/m.db")


def test_a_checked_in_file_may_set_harmless_things(sources: Sources) -> None:
    sources.team('exclude = ["site/"]\n[hover]\nenabled = false\n[codeLens]\nlines = true\nfile = false\n')
    loaded = sources.load()
    assert loaded.warnings == ()
    assert (loaded.settings.hover.enabled, loaded.settings.code_lens.file, loaded.settings.exclude) == (
        False, False, ("site/",)
    )  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        'database.path = "/tmp/steal.db"',
        'backend = "sqlite"',
        'actor = "Somebody else"',
        "files.maxSize = 1000000000",
        'endpoint = "https://attacker.example"',
        'server.command = "attack"',
        'trace.server = "verbose"',
        'database.password = "x"',
    ],
)
def test_a_checked_in_file_may_set_nothing_else(sources: Sources, line: str) -> None:
    sources.team(f"{line}\nhover.enabled = false\n")
    loaded = sources.load()
    assert loaded.settings == Settings.model_validate({"hover": {"enabled": False}})
    assert loaded.warnings[0].source == str(sources.team_file)
    assert loaded.warnings[0].key
    assert loaded.warnings[0].key in loaded.warnings[0].message


def test_only_switches_and_path_rules_are_harmless() -> None:
    assert SETTING_DEFAULTS.keys() - TEAM_SETTINGS == {"files.maxSize", "database.path", "backend", "actor"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hover = [", "not TOML"),
        (b"a = 1\na = 2", "not TOML"),
        (b'actor = "\xff"', "not UTF-8"),
        (b"#" * (64 * 1024 + 1), "larger than"),
        (b"\n".join([b"a = " + b"[" * 450] + [b"[" * 450] * 60), "nested too deeply"),
        (b"a = " + b"9" * 4400, "not TOML"),
    ],
)
@pytest.mark.parametrize("owner", ["user", "team"])
def test_a_file_that_cannot_be_read_is_ignored_as_a_whole(
    sources: Sources, content: bytes, reason: str, owner: str
) -> None:
    sources.user("")
    path = sources.home.user_settings if owner == "user" else sources.team_file
    path.write_bytes(content)
    loaded = sources.load()
    assert loaded.settings == Settings()
    assert warned_keys(loaded) == [(str(path), "")]
    too_long_line = owner == "team" and b"9" * 501 in content
    assert ("line of more than" if too_long_line else reason) in loaded.warnings[0].message


def test_a_checked_in_key_of_endless_dots_is_refused_before_it_is_parsed(sources: Sources) -> None:
    sources.team("a" + ".a" * 30_000 + " = 1")
    assert "line of more than 500 bytes" in sources.load().warnings[0].message


def test_a_byte_order_mark_is_no_part_of_a_file(sources: Sources) -> None:
    sources.user("\ufeffhover.enabled = false")
    assert sources.load().settings.hover.enabled is False


def test_a_checked_in_link_out_of_the_repository_is_refused(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text("hover.enabled = false")
    sources.team_file.symlink_to(tmp_path / "elsewhere.toml")
    loaded = sources.load()
    assert loaded.settings == Settings()
    assert "leads out of the repository" in loaded.warnings[0].message


def test_a_persons_own_file_may_be_a_link(sources: Sources, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text("hover.enabled = false")
    sources.home.config.mkdir(parents=True)
    sources.home.user_settings.symlink_to(tmp_path / "dotfiles.toml")
    assert sources.load().settings.hover.enabled is False


def test_a_directory_in_place_of_a_file_is_told(sources: Sources) -> None:
    sources.home.user_settings.mkdir(parents=True)
    sources.team_file.mkdir()
    assert [warning.message.count("not a regular file") for warning in sources.load().warnings] == [1, 1]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_in_place_of_a_file_does_not_hang(sources: Sources) -> None:
    os.mkfifo(sources.team_file)
    assert "not a regular file" in sources.load().warnings[0].message


def test_no_file_can_bury_the_person_in_warnings(sources: Sources) -> None:
    sources.team("\n".join(f"key{number} = 1" for number in range(3000)))
    loaded = sources.load()
    assert len(loaded.warnings) == 21
    assert "2980 more settings" in loaded.warnings[-1].message


@pytest.mark.parametrize("key", SETTING_DEFAULTS)
def test_every_setting_is_documented_with_its_variable(key: str) -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert f"`{key}`" in text
    assert f"`{environment_name(key)}`" in text
