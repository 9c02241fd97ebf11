"""The evidence rule: an entry is shown where its evidence came from, while it is still there (spec 2.1, cases A1, A5).

Line ends, blanks at line ends and a byte order mark do not count as change; the same text on other lines is followed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from memlens.anchors.model import Anchor, AnchorEntry, EvidencePlace, Rule, Strength
from memlens.anchors.postings import Postings
from memlens.core.lines import split_lines

MAX_ANCHORED_LINES = 30
"""A longer excerpt supports the file as a whole: it points at no line in particular."""

_MIN_PARTIAL = 8
"""The shortest excerpt that is looked for inside lines; anything shorter is found by chance."""

_MIN_TELLING = 2
"""Lines that say something which an excerpt needs to be followed by those of them that stayed."""

_MAX_PLACES = 50
"""Places of one line that are looked at: a line that stands everywhere says little about where."""


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """Anchors from the Sources of entries, by the path they came from."""

    postings: Postings[str, tuple[str, EvidencePlace]]

    @classmethod
    def of(cls, entries: Iterable[AnchorEntry]) -> EvidenceRule:
        """Build the rule for these entries."""
        return cls(Postings.of(_pairs(entries)))

    def anchors(self, path: str, lines: Sequence[str]) -> Iterator[Anchor]:
        """Yield one anchor for each piece of evidence that came from ``path``."""
        supported = self.postings.get(path)
        if supported:
            document = ComparableText(lines)
            for entry_id, place in supported:
                yield evidence_anchor(entry_id, place, document)

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> EvidenceRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return EvidenceRule(self.postings.replaced(_pairs(removed), _pairs(added)))


class ComparableText:
    """The lines of a document in the form in which excerpts are looked for; made once for all of them."""

    def __init__(self, lines: Sequence[str]) -> None:
        comparable = _comparable(lines)
        # Framed by line feeds, so that whole lines are found as "\nline\nline\n".
        self._text = "\n" + "\n".join(comparable) + "\n"
        self._breaks = [0, *accumulate(len(line) + 1 for line in comparable)]
        """Where the line feed in front of each line is."""

    def find(self, excerpt: str, near: int = 0) -> tuple[int, int] | None:
        """Return the first and last line of the occurrence of ``excerpt`` nearest to line ``near``, or None.

        Whole lines are looked for first, then the excerpt as a part of lines. Lines are 0-based, the range is
        inclusive. An excerpt of blanks is nowhere.
        """
        wanted, skipped = _wanted(excerpt)
        near += skipped
        if not wanted:
            return None
        needle = "\n".join(wanted)
        start = self._nearest("\n" + needle + "\n", near)
        if start is None and len(needle.strip()) >= _MIN_PARTIAL:
            start = self._nearest(needle, near)
        return None if start is None else (start, start + len(wanted) - 1)

    def find_changed(self, excerpt: str, near: int = 0) -> tuple[int, int] | None:
        """Return the lines on which an excerpt of several lines still is, though some of them were changed.

        At least half of its lines that say something must be there, each as far from the others as it was. Of
        several such places the one with most of them counts, then the nearest to line ``near``.
        """
        wanted, skipped = _wanted(excerpt)
        near += skipped
        telling = [(number, line) for number, line in enumerate(wanted) if len(line.strip()) >= _MIN_PARTIAL]
        votes: Counter[int] = Counter()
        for number, line in telling:
            votes.update(place - number for place in self._places.get(line, ())[:_MAX_PLACES])
        if len(telling) < _MIN_TELLING or not votes:
            return None
        start = min(votes, key=lambda place: (-votes[place], abs(place - near), place))
        if start < 0 or votes[start] * 2 < len(telling):
            return None
        return start, min(start + len(wanted), len(self._breaks) - 1) - 1

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for number, line in enumerate(self._text[1:-1].split("\n")):
            places.setdefault(line, []).append(number)
        return places

    def _nearest(self, needle: str, near: int) -> int | None:
        """Return the line on which the occurrence of ``needle`` nearest to line ``near`` starts."""
        origin = self._breaks[min(near, len(self._breaks) - 1)]
        before = self._text.rfind(needle, 0, origin + len(needle))
        after = self._text.find(needle, origin)
        places = [bisect_right(self._breaks, offset) - 1 for offset in (before, after) if offset >= 0]
        return min(places, key=lambda place: (abs(place - near), place), default=None)


def evidence_anchor(entry_id: str, place: EvidencePlace, document: ComparableText) -> Anchor:
    """Return the anchor of one piece of evidence on the document that it came from."""
    if place.touched:
        return _on_file(entry_id, Strength.WEAK, "a commit behind it touched this file")
    if place.excerpt is None or not place.excerpt.strip():
        return _on_file(entry_id, Strength.STRONG, "this file supports it")
    near = max(0, (place.start_line or 1) - 1)
    found = document.find(place.excerpt, near)
    if found is None and (changed := document.find_changed(place.excerpt, near)) is not None:
        why = f"{_lines(*changed)} of this file supported it, and changed since"
        return Anchor(entry_id, Rule.EVIDENCE, Strength.STRONG, why, *changed)
    if found is None:
        return _on_file(
            entry_id, Strength.WEAK, "its evidence changed: the lines it was drawn from are not in this file any more"
        )
    first, last = found
    if last - first >= MAX_ANCHORED_LINES:
        return _on_file(entry_id, Strength.STRONG, _why(first, last))
    return Anchor(entry_id, Rule.EVIDENCE, Strength.STRONG, _why(first, last), first, last)


def _why(first: int, last: int) -> str:
    return f"{_lines(first, last)} of this file support{'s' if first == last else ''} it"


def _lines(first: int, last: int) -> str:
    return f"line {first + 1}" if first == last else f"lines {first + 1}-{last + 1}"


def _on_file(entry_id: str, strength: Strength, why: str) -> Anchor:
    return Anchor(entry_id, Rule.EVIDENCE, strength, why)


def _wanted(excerpt: str) -> tuple[list[str], int]:
    """Return the lines of an excerpt without blank ones around them, and how many were left out in front."""
    lines = _comparable(split_lines(excerpt))
    skipped = 0
    while lines and not lines[0]:
        lines.pop(0)
        skipped += 1
    while lines and not lines[-1]:
        lines.pop()
    return lines, skipped


def _comparable(lines: Sequence[str]) -> list[str]:
    comparable = [line.rstrip() for line in lines]
    if comparable:
        comparable[0] = comparable[0].removeprefix("\ufeff")
    return comparable


def _pairs(entries: Iterable[AnchorEntry]) -> Iterator[tuple[str, tuple[str, EvidencePlace]]]:
    for entry in entries:
        for place in entry.evidence:
            yield place.path, (entry.entry_id, place)
