"""Entries as JSON lines that ``memlens import`` reads back (spec 2.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from memlens.anchors.model import AnchorEntry, Origin
from memlens.core.sources import Source, source_as_json
from memlens.queries.model import EntryCard
from memlens.runtime.api import MemorySnapshot
from memlens.runtime.applicability import as_json

Scope = Literal["repo", "user"]
"""The repository's memory, or the person's own."""


def export_lines(
    snapshot: MemorySnapshot, sources: Mapping[str, Source], scopes: Collection[Scope]
) -> Iterator[dict[str, Any]]:
    """Yield the active entries of ``scopes``, the repository's before the person's, each in the order of their IDs.

    The evidence goes along as Source objects; so does what a person said of where an entry applies, while what its
    words propose is read anew wherever it is imported. An entry of which a person said several things (stated,
    pinned, muted) has one line for each of them: imported together, they are one entry again.
    """
    for entry_id in sorted(snapshot.cards, key=lambda each: (snapshot.cards[each].personal, each)):
        card = snapshot.cards[entry_id]
        if _scope(card) in scopes:
            yield from _lines(card, snapshot.index.entries[entry_id], sources)


def _lines(card: EntryCard, entry: AnchorEntry, sources: Mapping[str, Source]) -> Iterator[dict[str, Any]]:
    line: dict[str, Any] = {"key": card.entry_id, "kind": card.kind, "text": card.text}
    evidence = [source_as_json(sources[each.source_id]) for each in card.evidence if each.source_id in sources]
    if evidence:
        line["evidence"] = evidence
    if card.personal:
        line["scope"] = _scope(card)
    decided = [each for each in entry.applicability if each.origin is not Origin.PROPOSED and each.targets]
    for applicability in decided:
        yield {**line, "applies": as_json(applicability)}
    if not decided:
        yield line


def _scope(card: EntryCard) -> Scope:
    return "user" if card.personal else "repo"
