"""docs/errors.md lists every code, and no other."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import get_args

from memlens.core import errors
from memlens.storage.verification import ProblemCode

TEXT = (Path(__file__).parents[3] / "docs" / "errors.md").read_text(encoding="utf-8")
ERRORS, PROBLEMS = TEXT.split("## What `memlens verify` finds")


def codes_of_rows(text: str) -> list[str]:
    return re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)


def error_classes() -> list[type[errors.MemLensError]]:
    return [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.MemLensError)]


def test_every_error_code_is_documented_once_and_nothing_else_is() -> None:
    assert sorted(codes_of_rows(ERRORS)) == sorted(each.code for each in error_classes())


def test_every_error_class_has_a_code_of_its_own() -> None:
    codes = [each.code for each in error_classes()]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z_]+", code) for code in codes)


def test_every_row_says_what_happened_and_what_to_do() -> None:
    for line in ERRORS.splitlines():
        if line.startswith("| `"):
            _, happened, way_out = (cell.strip() for cell in line.strip("|").split(" | "))
            assert happened, line
            assert way_out, line


def test_every_problem_of_verification_is_documented_once_and_nothing_else_is() -> None:
    assert sorted(codes_of_rows(PROBLEMS)) == sorted(get_args(ProblemCode))
