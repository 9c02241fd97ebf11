"""``make bench``: MemLens beside its closest peer, and how its costs grow. Prints tables, writes JSON.

Every run of a subject is a process of its own; the subjects take turns, so that what disturbs the machine disturbs
all of them. Nothing here fails because of a time. docs/performance.md explains every line.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".benchmarks"
PEER_VERSIONS = ("1.2.0", "1.4.1")
SIZES = (100, 1000, 5000)
CURVE_SIZES = (1000, 3000, 10_000, 100_000)
OURS = "MemLens"

Command = list[str]
Figures = dict[str, float | None]
"""The median of every measured line."""


def main() -> None:
    """Measure everything and report it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-peers", action="store_true", help="measure MemLens only; installs nothing")
    parser.add_argument("--rounds", type=int, default=3, help="runs of every subject at every size")
    given = parser.parse_args()
    CACHE.mkdir(exist_ok=True)
    subjects = {OURS: [sys.executable, str(HERE / "memory_bench.py")]}
    subjects |= {} if given.no_peers else peers()
    compared = {size: compare(subjects, size, given.rounds) for size in SIZES}
    curve = {size: measure_curve(size) for size in CURVE_SIZES}
    for size, figures in compared.items():
        print_table(f"{size:,} entries", figures)
    print_table("MemLens alone, by entries", {f"{size:,}": figures for size, figures in curve.items()})
    target = CACHE / "memory.json"
    machine = {"python": platform.python_version(), "system": platform.system()}
    target.write_text(json.dumps({"machine": machine, "compared": compared, "curve": curve}, indent=1))
    print(f"\nWritten to {target}.")


def peers() -> dict[str, Command]:
    """Return how to run each peer that could be installed, saying loudly which could not."""
    found: dict[str, Command] = {}
    for version in PEER_VERSIONS:
        try:
            python = peer_python(version)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"\n*** powercontext {version} IS NOT MEASURED: it cannot be installed ({error}). ***\n", flush=True)
        else:
            found[f"powercontext {version}"] = [str(python), str(HERE / "peer_powercontext.py")]
    return found


def peer_python(version: str) -> Path:
    """Return the interpreter of a virtual environment that has the peer, made on first use."""
    home = CACHE / "peers" / version
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    installed = home / "installed"
    if not installed.exists():
        print(f"Installing powercontext {version} ...", flush=True)
        venv.create(home, clear=True, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"powercontext[builtin]=={version}"], check=True)
        installed.touch()
    return python


def compare(subjects: dict[str, Command], size: int, rounds: int) -> dict[str, Figures]:
    """Return every subject's medians over the rounds, with the ratios of the peers to MemLens within each round."""
    runs: dict[str, list[Figures]] = {name: [] for name in subjects}
    for number in range(1, rounds + 1):
        for name, command in subjects.items():
            print(f"{size:,} entries, round {number} of {rounds}: {name}", flush=True)
            runs[name].append(run_json([*command, str(size)]))
    table = {name: medians(figures) for name, figures in runs.items()}
    for name in [*subjects][1:]:
        table[f"{name} / ours"] = medians([ratios(*pair) for pair in zip(runs[name], runs[OURS], strict=True)])
    return table


def measure_curve(size: int) -> Figures:
    """Return MemLens' figures at one size of the curve."""
    print(f"MemLens alone at {size:,} entries", flush=True)
    with tempfile.TemporaryDirectory(prefix="memlens-bench-") as folder:
        for step in ("seed", "measure"):
            command = [sys.executable, str(HERE / "memory_curve.py"), step, str(Path(folder, "bench.db")), str(size)]
            figures = run_json(command)
    return figures


def run_json(command: Command) -> Figures:
    """Run one measurement and return the median of every line."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    lines: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) or {}
    return {name: values["median"] for name, values in lines.items()}


def medians(runs: list[Figures]) -> Figures:
    """Return the median of every line; None where the system gives no figure."""
    return {name: _median([run[name] for run in runs]) for name in runs[0]}


def ratios(theirs: Figures, ours: Figures) -> Figures:
    """Return how many times ours each of their figures is."""
    return {name: their / our if (their := theirs[name]) and (our := ours[name]) else None for name in ours}


def print_table(title: str, columns: dict[str, Figures]) -> None:
    """Print one Markdown table: a row for each line, a column for each subject."""
    print(f"\n| {title} | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for line in next(iter(columns.values())):
        print(f"| {line} | " + " | ".join(_cell(figures[line]) for figures in columns.values()) + " |")


def _median(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.median(known), 3) if known else None


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    main()
