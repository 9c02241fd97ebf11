"""Params from JSON to types, more strictly than cattrs does it where that hides mistakes, and more leniently where
clients are known to differ (spec 4)."""

from __future__ import annotations

from functools import partial
from typing import Any

import cattrs
from lsprotocol import types
from lsprotocol.validators import UINTEGER_MAX_VALUE
from pygls.protocol import default_converter


def strict_converter() -> cattrs.Converter:
    """Return pygls' converter with primitives that are checked: cattrs would turn 5 into "5"."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    for primitive, accepted in ((str, str), (int, int), (bool, bool), (float, int | float)):
        converter.register_structure_hook(primitive, partial(_checked, accepted=accepted))
    converter.register_structure_hook(types.Position, _position)
    converter.register_structure_hook(types.TextDocumentContentChangeEvent, partial(_change, converter))
    return converter


def invalid_params(method: str, error: Exception) -> str:
    """Say which part of the params has the wrong shape, without quoting a value."""
    details = ""
    if isinstance(error, cattrs.BaseValidationError):
        details = ": " + "; ".join(cattrs.transform_error(error, format_exception=_describe)[:5])
    return f"The params of {method} have the wrong shape{details}."


def _checked(value: Any, expected: type, *, accepted: Any) -> Any:
    if isinstance(value, accepted) and (expected is bool or not isinstance(value, bool)):
        return value
    raise TypeError(f"expected {expected.__name__}")


def _position(value: Any, _type: type) -> types.Position:
    """Return a position. Clients write very large numbers for "the end"; beyond what LSP allows they mean the same."""
    return types.Position(_index(value["line"]), _index(value["character"]))


def _index(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("expected a position")
    return min(value, UINTEGER_MAX_VALUE)


def _change(converter: cattrs.Converter, value: Any, _type: Any) -> types.TextDocumentContentChangeEvent:
    """Return a change; a range that is null is as good as none."""
    if isinstance(value, dict) and value.get("range") is None:
        return converter.structure(value, types.TextDocumentContentChangeWholeDocument)
    return converter.structure(value, types.TextDocumentContentChangePartial)


def _describe(error: BaseException, expected: type | None) -> str:
    if isinstance(error, KeyError):
        return "required field missing"
    return f"expected {getattr(expected, '__name__', 'another type')}"
