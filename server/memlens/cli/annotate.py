"""A file in the terminal with its anchors between its lines, as an editor shows them (``memlens show``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memlens.cli.render import KIND_STYLES, say
from memlens.core.lines import without_line_end
from memlens.queries.excerpt import excerpt
from memlens.queries.model import FileView
from memlens.queries.show import show

EXCERPT_LENGTH = 60
SHOWN_ENDING = 6
"""Characters of an entry's ID that are printed: enough to name it to another command."""
CONTEXT = 2
"""Lines shown before and after an anchored one; the rest of a long file is left out."""


def print_file(path: str, view: FileView, lines: Sequence[str]) -> None:
    """Print what applies to the file as a whole, then its anchored lines with their surroundings."""
    shown = show(view)
    say((path, "bold underline"))
    if not lines:
        say(("  ignored, excluded, binary or too large: such files get nothing", "dim"))
    elif not shown["file_level"] and not shown["line_level"]:
        say(("  nothing is remembered that applies here", "dim"))
    for anchor in shown["file_level"]:
        say("  ", _kind(anchor["kind"]), "  ", anchor["text"])
        say((f"      {_why(anchor)}", "dim"))
    by_line: dict[int, list[dict[str, str]]] = {}
    for anchor in shown["line_level"]:
        by_line.setdefault(anchor["line"], []).append(anchor)
    _print_lines(view, lines, by_line)
    say()


def _print_lines(view: FileView, lines: Sequence[str], by_line: dict[int, list[dict[str, str]]]) -> None:
    near = {number for line in by_line for number in range(line - CONTEXT, line + CONTEXT + 1)}
    previous = 0
    last = len(lines) - (bool(lines) and not lines[-1])
    for number in sorted(near & set(range(1, last + 1))):
        if number != previous + 1:
            say(("     …", "dim"))
        previous = number
        say((f"{number:>6}  ", "dim"), without_line_end(lines[number - 1]))
        for anchor in by_line.get(number, ()):
            card = view.cards[anchor["entry_id"]]
            say("        ", _kind(card.kind), "  ", excerpt(card.text, EXCERPT_LENGTH))
            say((f"            {_why(anchor)}", "dim"))


def _why(anchor: Mapping[str, str]) -> str:
    return f"{anchor['rule']}: {anchor['why']}  …{anchor['entry_id'][-SHOWN_ENDING:]}"


def _kind(kind: str) -> tuple[str, str]:
    return f"◆ {kind}", KIND_STYLES.get(kind, "bold")
