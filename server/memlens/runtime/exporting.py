"""Entries as JSON lines that ``memlens import`` reads back (spec 2.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memlens.anchors.model import AnchorEntry, Origin
from memlens.core.sources import Source, source_as_json
from memlens.queries.model import EntryCard
from memlens.runtime.api import MemorySnapshot
from memlens.runtime.applicability import as_json


def export_lines(snapshot: MemorySnapshot, sources: Mapping[str, Source]) -> Iterator[dict[str, Any]]:
    """Yield the active entries, the repository's before the person's, each in the order they were made.

    The evidence goes along as Source objects; so does what a person said of where an entry applies, while what its
    words propose is read anew wherever it is imported.
    """
    for entry_id in sorted(snapshot.cards, key=lambda each: (snapshot.cards[each].personal, each)):
        yield _line(snapshot.cards[entry_id], snapshot.index.entries[entry_id], sources)


def _line(card: EntryCard, entry: AnchorEntry, sources: Mapping[str, Source]) -> dict[str, Any]:
    line: dict[str, Any] = {"key": card.entry_id, "kind": card.kind, "text": card.text}
    evidence = [source_as_json(sources[each.source_id]) for each in card.evidence if each.source_id in sources]
    if evidence:
        line["evidence"] = evidence
    if card.personal:
        line["scope"] = "user"
    for applicability in entry.applicability:
        if applicability.origin is Origin.CONFIRMED:
            line["applies"] = as_json(applicability)
    return line
