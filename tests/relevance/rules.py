#!/usr/bin/env python3
"""Precision of each rule on labelled projects (docs/relevance.md). Standard library only.

usage: rules.py --gold DIR [--memlens 'COMMAND'] [--cache DIR] [project ...]

DIR holds the labelled projects with their ``check_gold.py`` and ``run.py``, whose ways to fetch and prepare a project
are used. Every project is imported twice, with and without the evidence of its entries, and shown by ``memlens show
--json``; each place shown is right when its entry is labelled on that file (or that line).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

Gold = Mapping[str, Any]
Anchors = Mapping[str, Sequence[Mapping[str, Any]]]

FIELDS = ("key", "kind", "text")


@dataclass(frozen=True)
class Toolbox:
    """The modules beside the labels, and the command to measure."""

    check_gold: ModuleType
    run: ModuleType
    memlens: Sequence[str]
    cache: Path


@dataclass
class Tally:
    """Places that one rule showed, right and wrong."""

    right: int = 0
    wrong: int = 0

    def add(self, is_right: bool) -> None:
        """Count one place."""
        self.right += is_right
        self.wrong += not is_right

    def __str__(self) -> str:
        shown = self.right + self.wrong
        return f"{self.right}/{self.wrong} ({100 * self.right / shown:.0f} %)" if shown else "-"


@dataclass
class Scores:
    """Tallies by rule; the row ``all`` counts a place once, however many rules showed it."""

    files: dict[str, Tally] = field(default_factory=dict)
    lines: dict[str, Tally] = field(default_factory=dict)

    def add_file(self, shown: Mapping[str, set[str]], labels: Gold, dropped: set[str]) -> None:
        """Count the entries shown on a file; ``shown`` maps a rule to their keys."""
        right = set(labels["file_level"])
        for rule, keys in shown.items():
            for key in keys - dropped:
                self.files.setdefault(rule, Tally()).add(key in right)

    def add_lines(self, shown: Mapping[str, set[tuple[str, int]]], labels: Gold, dropped: set[str]) -> None:
        """Count the entries shown on lines; ``shown`` maps a rule to keys with their lines."""
        right = {(label["entry"], label["line"]) for label in labels["line_level"]}
        for rule, places in shown.items():
            for key, line in places:
                if key not in dropped:
                    self.lines.setdefault(rule, Tally()).add((key, line) in right)


def main() -> None:
    """Measure and print."""
    arguments = _arguments()
    tools = _toolbox(arguments)
    golds = list(_golds(arguments.gold, arguments.projects))
    for fields, title in (((*FIELDS, "evidence"), "with evidence"), (FIELDS, "without evidence")):
        strict, lenient = Scores(), Scores()
        for gold in golds:
            _score(gold, _shown(tools, gold, fields), strict, lenient)
        _print_table(title, strict, lenient)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Precision of each rule on labelled projects.")
    parser.add_argument("--gold", type=Path, required=True, help="the directory of the labelled projects")
    parser.add_argument("--memlens", default="memlens", help="the command to measure")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "memlens-relevance")
    parser.add_argument("projects", nargs="*", help="all, if none is named")
    return parser.parse_args()


def _toolbox(arguments: argparse.Namespace) -> Toolbox:
    sys.path.insert(0, str(arguments.gold.resolve()))
    arguments.cache.mkdir(parents=True, exist_ok=True)
    return Toolbox(import_module("check_gold"), import_module("run"), shlex.split(arguments.memlens), arguments.cache)


def _golds(directory: Path, projects: Sequence[str]) -> Iterator[Gold]:
    for path in sorted(directory.glob("*.json")):
        gold = json.loads(path.read_text(encoding="utf-8"))
        if "entries" in gold and (not projects or gold["project"] in projects):
            yield gold


def _shown(tools: Toolbox, gold: Gold, fields: Sequence[str]) -> dict[str, Anchors]:
    """Return what ``memlens show`` says of every judged file, by path, with entries named by their key."""
    archive = tools.check_gold.fetch(tools.cache, gold["source"])
    source = tools.check_gold.unpack(archive, tools.cache / "unpacked" / gold["project"], gold["root"])
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / gold["project"]
        shutil.copytree(source, root, symlinks=True)
        for command in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-qm", "as published")):
            tools.run.git(root, *command)
        environment = {**os.environ, "MEMLENS_HOME": str(Path(scratch) / "home")}
        keys = _imported(tools.memlens, root, environment, gold, fields)
        paths = [file["path"] for file in gold["files"]]
        rows = _json_lines([*tools.memlens, "-C", str(root), "show", "--json", *paths], environment)
    return {row["path"]: _with_keys(row, keys) for row in rows}


def _imported(
    memlens: Sequence[str], root: Path, environment: Mapping[str, str], gold: Gold, fields: Sequence[str]
) -> dict[str, str]:
    entries = [{name: entry[name] for name in fields} for entry in gold["entries"]]
    lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
    rows = _json_lines([*memlens, "-C", str(root), "import", "-"], environment, lines)
    return {row["entry_id"]: row["key"] for row in rows}


def _json_lines(command: Sequence[str], environment: Mapping[str, str], given: str = "") -> list[Any]:
    done = subprocess.run(command, input=given.encode(), env=environment, stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def _with_keys(row: Mapping[str, Any], keys: Mapping[str, str]) -> Anchors:
    return {
        level: [{**anchor, "key": keys[anchor["entry_id"]]} for anchor in row[level]]
        for level in ("file_level", "line_level")
    }


def _score(gold: Gold, shown: Mapping[str, Anchors], strict: Scores, lenient: Scores) -> None:
    for labels in gold["files"]:
        anchors = shown[labels["path"]]
        files: dict[str, set[str]] = {}
        lines: dict[str, set[tuple[str, int]]] = {}
        for anchor in (*anchors["file_level"], *anchors["line_level"]):
            for rule in (anchor["rule"], "all"):
                files.setdefault(rule, set()).add(anchor["key"])
                if "line" in anchor:
                    lines.setdefault(rule, set()).add((anchor["key"], anchor["line"]))
        for scores, dropped in ((strict, set()), (lenient, set(labels.get("contestable", ())))):
            scores.add_file(files, labels, dropped)
            scores.add_lines(lines, labels, dropped)


def _print_table(title: str, strict: Scores, lenient: Scores) -> None:
    print(f"{title}: right/wrong (precision)\n")
    print("| rule | files, strict | files, lenient | lines, strict | lines, lenient |")
    print("| --- | --- | --- | --- | --- |")
    for rule in sorted(strict.files, key=lambda rule: (rule == "all", rule)):
        columns = (strict.files, lenient.files, strict.lines, lenient.lines)
        cells = [str(column.get(rule, Tally())) for column in columns]
        print(f"| {rule} | {' | '.join(cells)} |")
    print()


if __name__ == "__main__":
    main()
