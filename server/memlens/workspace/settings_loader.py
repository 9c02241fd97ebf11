"""Where settings come from, and what happens to those that cannot be used (spec 2.4, 2.6).

From strongest to weakest: the client's settings, the environment, the person's own file, the repository's checked-in
``.memlens.toml``, defaults. The checked-in file is the team's default for things of taste: it must not overrule what
a person chose for themselves. ``exclude`` is the exception to overruling: the lists add up, weakest first, and a later
``!pattern`` takes back an earlier one.

Nothing here raises: a setting that cannot be used leaves a warning, and the next weaker source holds.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from memlens.workspace.files import is_inside, read_regular, real_path
from memlens.workspace.home import Home
from memlens.workspace.settings import SETTING_DEFAULTS, TEAM_SETTINGS, Settings

TEAM_FILE = ".memlens.toml"
"""Name of the checked-in file, at the top of a repository."""

CLIENT_SOURCE = "client settings"
ENVIRONMENT_SOURCE = "environment"

_MAX_FILE = 64 * 1024
# tomllib takes quadratic time over the dots of one key: 17 s for a line of 60 KB.
_MAX_TEAM_LINE = 500
_MAX_LIST = 500
_MAX_WARNINGS = 20
_SHOWN_KEY = 80

_PREFIX = "MEMLENS_"
_NOT_SETTINGS = frozenset({"MEMLENS_HOME", "MEMLENS_LOG"})

# What editors keep in our section for themselves: how the server is started, and how its messages are traced.
_CLIENT_SECTIONS = frozenset({"server", "trace"})

_ADVICE = "It is ignored."


@dataclass(frozen=True, slots=True)
class SettingsWarning:
    """One setting, or one whole source, that was ignored.

    ``source`` is :data:`CLIENT_SOURCE`, :data:`ENVIRONMENT_SOURCE` or the path of a file; ``key`` is the setting
    as it is spelled there, empty when the source as a whole is meant. The message never repeats the value.
    """

    source: str
    key: str
    message: str


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings in force, and what was ignored on the way to them."""

    settings: Settings
    warnings: tuple[SettingsWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one source gave: usable raw values by dotted name, and warnings."""

    values: Mapping[str, object]
    warnings: tuple[SettingsWarning, ...]


def load_settings(
    home: Home,
    environ: Mapping[str, str],
    *,
    repository: Path | None = None,
    client: object = None,
) -> LoadedSettings:
    """Return the settings that hold, from all sources together. Reads at most two small files.

    Args:
        home: Where the person's own file is.
        environ: The environment; ``MEMLENS_HOME`` is no setting.
        repository: The top of the repository whose ``.memlens.toml`` counts, if any.
        client: The editor's ``memlens`` section as it was sent: an object, nested or with dotted names, perhaps
            wrapped in one more ``memlens``. None, and a value of None in it, mean "not set".
    """
    readings = (
        _team_file(repository) if repository else _Reading({}, ()),
        _user_file(home.user_settings),
        _environment(environ),
        _client(client),
    )
    values: dict[str, object] = {}
    for reading in readings:
        for key, value in reading.values.items():
            values[key] = _merged(values.get(key), value)
    return LoadedSettings(
        Settings.model_validate(_nested(values)),
        tuple(warning for reading in readings for warning in reading.warnings),
    )


def _merged(weaker: object, stronger: object) -> object:
    if isinstance(weaker, list) and isinstance(stronger, list):
        return [*weaker, *stronger]
    return stronger


def environment_name(key: str) -> str:
    """Return the environment variable of a setting: ``MEMLENS_INLAY_HINT_ENABLED`` for ``inlayHint.enabled``."""
    return _PREFIX + re.sub(r"(?<=[a-z])(?=[A-Z])|\.", "_", key).upper()


_ENVIRONMENT = {environment_name(key): key for key in SETTING_DEFAULTS}


def _client(client: object) -> _Reading:
    if client is None:
        return _Reading({}, ())
    if not isinstance(client, Mapping):
        return _refused(CLIENT_SOURCE, "The memlens section is not an object.")
    wrapped = client.get("memlens")
    section = wrapped if isinstance(wrapped, Mapping) else client
    own = {key: value for key, value in section.items() if str(key).partition(".")[0] not in _CLIENT_SECTIONS}
    return _checked(CLIENT_SOURCE, _flattened(own))


def _environment(environ: Mapping[str, str]) -> _Reading:
    values: dict[str, object] = {}
    warnings: list[SettingsWarning] = []
    for name, text in environ.items():
        if not name.startswith(_PREFIX) or name in _NOT_SETTINGS or not text:
            continue
        key = _ENVIRONMENT.get(name)
        if key is None:
            warnings.append(_unknown(ENVIRONMENT_SOURCE, name, _ENVIRONMENT, suggest=len(warnings) < _MAX_WARNINGS))
            continue
        value: object = text
        if isinstance(SETTING_DEFAULTS[key], tuple):
            value = [item.strip() for item in text.split(",") if item.strip()]
        if problem := _problem(key, value, strict=False):
            warnings.append(SettingsWarning(ENVIRONMENT_SOURCE, name, f"{name} {problem}. {_ADVICE}"))
        else:
            values[key] = value
    return _Reading(values, _bounded(ENVIRONMENT_SOURCE, warnings))


def _user_file(path: Path) -> _Reading:
    source = str(path)
    try:
        content = read_regular(path, _MAX_FILE)
    except FileNotFoundError:
        return _Reading({}, ())
    except OSError as error:
        return _refused(source, f"The settings file {_cause(error)}.")
    return _from_toml(source, content)


def _team_file(repository: Path) -> _Reading:
    path = repository / TEAM_FILE
    source = str(path)
    try:
        if not is_inside(real_path(repository), path):
            return _refused(source, f"{TEAM_FILE} leads out of the repository.")
        content = read_regular(path, _MAX_FILE)
    except FileNotFoundError:
        return _Reading({}, ())
    except (OSError, ValueError) as error:
        return _refused(source, f"{TEAM_FILE} {_cause(error)}.")
    if any(len(line) > _MAX_TEAM_LINE for line in content.split(b"\n")):
        return _refused(source, f"{TEAM_FILE} has a line of more than {_MAX_TEAM_LINE} bytes.")
    reading = _from_toml(source, content)
    allowed = {key: value for key, value in reading.values.items() if key in TEAM_SETTINGS}
    forbidden = [
        SettingsWarning(
            source,
            key,
            f"{key} may not be set by a checked-in file, because a repository is not trusted with it: put it into "
            f"your editor's settings, the environment or your own settings file. {_ADVICE}",
        )
        for key in reading.values
        if key not in TEAM_SETTINGS
    ]
    return _Reading(allowed, (*forbidden, *reading.warnings))


def _from_toml(source: str, content: bytes) -> _Reading:
    try:
        document = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _refused(source, "The file is not UTF-8.")
    except RecursionError:
        return _refused(source, "The file is nested too deeply.")
    except ValueError as error:  # TOMLDecodeError, and integers too long for Python
        return _refused(source, f"The file is not TOML: {_shown(str(error))}.")
    return _checked(source, _flattened(document))


def _checked(source: str, flat: Iterator[tuple[str, object]]) -> _Reading:
    """Keep what names a setting and has its type."""
    values: dict[str, object] = {}
    warnings: list[SettingsWarning] = []
    for key, value in flat:
        if key not in SETTING_DEFAULTS:
            warnings.append(_unknown(source, key, SETTING_DEFAULTS, suggest=len(warnings) < _MAX_WARNINGS))
        elif problem := _problem(key, value, strict=True):
            warnings.append(SettingsWarning(source, key, f"{key} {problem}. {_ADVICE}"))
        else:
            values[key] = value
    return _Reading(values, _bounded(source, warnings))


def _flattened(document: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield dotted names and values, going no deeper than settings have sections."""
    sections = {key.rpartition(".")[0] for key in SETTING_DEFAULTS}
    for key, value in document.items():
        if isinstance(value, Mapping) and key in sections:
            for name, inner in value.items():
                if inner is not None:
                    yield f"{key}.{name}", inner
        elif value is not None:
            yield str(key), value


def _nested(values: Mapping[str, object]) -> dict[str, object]:
    document: dict[str, object] = {}
    for key, value in values.items():
        section, dot, name = key.rpartition(".")
        target = document.setdefault(section, {}) if dot else document
        assert isinstance(target, dict)  # noqa: S101 - no setting is named like a section
        target[name] = value
    return document


def _problem(key: str, value: object, *, strict: bool) -> str:
    """Say in words why a value does not fit a setting; empty when it fits. Text of the environment is not strict."""
    if isinstance(value, list) and len(value) > _MAX_LIST:
        return f"has more than {_MAX_LIST} items"
    try:
        Settings.model_validate(_nested({key: value}), strict=strict)
    except ValidationError as error:
        message = error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
        return message.removeprefix("Value error, ").removeprefix("Input ")
    return ""


def _unknown(source: str, key: str, known: Mapping[str, object], *, suggest: bool) -> SettingsWarning:
    near = difflib.get_close_matches(key[:_SHOWN_KEY], known, n=1) if suggest else []
    hint = f" Did you mean {near[0]}?" if near else ""
    return SettingsWarning(source, _shown(key), f"There is no setting {_shown(key)}.{hint} {_ADVICE}")


def _refused(source: str, message: str) -> _Reading:
    return _Reading({}, (SettingsWarning(source, "", f"{message} {_ADVICE}"),))


def _bounded(source: str, warnings: list[SettingsWarning]) -> tuple[SettingsWarning, ...]:
    """No file can bury the person in warnings."""
    if len(warnings) <= _MAX_WARNINGS:
        return tuple(warnings)
    more = SettingsWarning(source, "", f"{len(warnings) - _MAX_WARNINGS} more settings are ignored.")
    return (*warnings[:_MAX_WARNINGS], more)


def _shown(text: str) -> str:
    """Text of a file as it may be shown: one short line without control characters."""
    short = text if len(text) <= _SHOWN_KEY else f"{text[:_SHOWN_KEY]}…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)


def _cause(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    return str(error)
