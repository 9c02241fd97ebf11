"""How the demo prints a file: its lens above line 1, its hints at the ends of lines, the hover below."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lsprotocol import types
from rich.console import Console
from rich.text import Text

CONTEXT = 1


@dataclass
class FilePage:
    """What the server answered for one file. Lines are 0-based, as on the wire."""

    path: str
    lines: Sequence[str]
    lenses: Sequence[types.CodeLens]
    hints: Sequence[types.InlayHint]
    hovers: dict[int, types.Hover | None] = field(default_factory=dict)


class Page:
    """Prints to the terminal, and keeps what it printed for a picture if asked to."""

    def __init__(self, *, record: bool) -> None:
        self._console = Console(record=record, width=108 if record else None, highlight=False, soft_wrap=not record)

    def print_title(self, title: str) -> None:
        """Print the first line."""
        self._console.print(Text(title, "bold"), "")

    def print_file(self, page: FilePage) -> None:
        """Print one file around its anchored lines."""
        self._console.print(Text(f"── {page.path} ", "bold underline"))
        for lens in page.lenses:
            if lens.command:
                self._console.print(Text(f"       {lens.command.title}", "italic magenta"))
        hints = {line: [hint for hint in page.hints if hint.position.line == line] for line in page.hovers}
        near = {each for line in page.hovers for each in range(line - CONTEXT, line + CONTEXT + 1)}
        previous = -1
        for line in sorted(near & set(range(len(page.lines)))):
            if line != previous + 1:
                self._console.print(Text("       ⋯", "dim"))
            previous = line
            self._print_line(line, page.lines[line], hints.get(line, []))
            if line in page.hovers:
                self._print_hover(page.hovers[line])
        self._console.print()

    def _print_line(self, number: int, text: str, hints: Sequence[types.InlayHint]) -> None:
        shown = Text(f"{number + 1:>5}  ", "dim") + Text(text)
        for hint in hints:
            shown += Text(f"  {_label(hint)}", "italic cyan")
        self._console.print(shown)

    def _print_hover(self, hover: types.Hover | None) -> None:
        if hover is None:
            return
        value = hover.contents.value if isinstance(hover.contents, types.MarkupContent) else str(hover.contents)
        for line in value.splitlines():
            self._console.print(Text(f"       │ {line}", "dim"))

    def print_times(self, times: Mapping[str, Sequence[float]]) -> None:
        """Print round-trip times: median, longest, how many."""
        self._console.print(Text("Round trips over stdio, in milliseconds", "bold"))
        for what, seconds in times.items():
            middle, longest = statistics.median(seconds) * 1000, max(seconds) * 1000
            self._console.print(f"  {what:<6} median {middle:7.1f}   longest {longest:7.1f}   of {len(seconds)}")

    def print_rules(self, rules: Counter[str], expected: Sequence[str]) -> None:
        """Print how many anchors each rule shows."""
        counts = "   ".join(f"{rule} {rules[rule]}" for rule in expected)
        self._console.print(Text("Anchors by rule  ", "bold") + Text(counts))

    def save(self, file: Path) -> None:
        """Write a picture of what was printed; no font is fetched from anywhere to show it."""
        svg = self._console.export_svg(title="make demo")
        file.write_text(re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL), encoding="utf-8")


def _label(hint: types.InlayHint) -> str:
    return hint.label if isinstance(hint.label, str) else "".join(part.value for part in hint.label)
