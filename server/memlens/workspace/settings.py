"""What a person can set (spec 2.4). For users: docs/settings.md.

Where the values come from is in :mod:`memlens.workspace.settings_loader`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from memlens.core.patterns import parse_ignore_pattern
from memlens.workspace.actor import MAX_ACTOR_LENGTH


def _absolute_path(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        raise ValueError("begins with ~, but your home directory is not known") from None
    if not path.is_absolute() or not value.isprintable():
        raise ValueError("must be an absolute path, or begin with ~")
    return path


def _actor_name(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError("must be a name without control characters")
    return value.strip()


def _exclude_patterns(value: object) -> object:
    if not isinstance(value, (list, tuple)):
        return value
    for item in value:
        if isinstance(item, str) and parse_ignore_pattern(item) is None:
            raise ValueError("must be a list of patterns in the syntax of .gitignore")
    return tuple(value)


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class HoverSettings(_Section):
    """Section ``hover``."""

    enabled: bool = True
    """Whether a hover shows what is remembered of a line."""


class InlayHintSettings(_Section):
    """Section ``inlayHint``."""

    enabled: bool = True
    """Whether an anchored line ends in a short hint."""


class CodeLensSettings(_Section):
    """Section ``codeLens``."""

    file: bool = True
    """Whether line 1 carries a summary of the file's entries."""
    lines: bool = False
    """Whether anchored lines of constraints and decisions carry a lens."""


class DatabaseSettings(_Section):
    """Section ``database``."""

    path: Annotated[Path, BeforeValidator(_absolute_path)] | None = None
    """The database file; None for the one in MemLens' home."""


class FilesSettings(_Section):
    """Section ``files``."""

    max_size: int = Field(default=2_000_000, ge=1, le=1_000_000_000)
    """Bytes above which a file gets nothing."""


class Settings(_Section):
    """Every setting, with its default. Immutable."""

    hover: HoverSettings = HoverSettings()
    inlay_hint: InlayHintSettings = InlayHintSettings()
    code_lens: CodeLensSettings = CodeLensSettings()
    files: FilesSettings = FilesSettings()
    exclude: Annotated[tuple[str, ...], BeforeValidator(_exclude_patterns)] = ()
    """Files that get nothing besides the ignored ones, as patterns of ``.gitignore``."""
    database: DatabaseSettings = DatabaseSettings()
    backend: Literal["sqlite"] = "sqlite"
    """The kind of database."""
    actor: Annotated[str, Field(max_length=MAX_ACTOR_LENGTH), AfterValidator(_actor_name)] | None = None
    """The name that history shows; None for :func:`memlens.workspace.actor.default_actor`."""


def _defaults(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, field in model.model_fields.items():
        key = prefix + (field.alias or name)
        if isinstance(field.default, BaseModel):
            yield from _defaults(type(field.default), f"{key}.")
        else:
            yield key, field.default


SETTING_DEFAULTS: Mapping[str, object] = MappingProxyType(dict(_defaults(Settings)))
"""Every setting by its dotted name, as editors and files spell it, with its default."""

TEAM_SETTINGS = frozenset({"hover.enabled", "inlayHint.enabled", "codeLens.file", "codeLens.lines", "exclude"})
"""What a checked-in ``.memlens.toml`` may set: harmless things only, since a cloned repository is not trusted."""
