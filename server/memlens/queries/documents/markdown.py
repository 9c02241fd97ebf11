"""The documents written down. Every word that came from a memory is escaped; the structure is ours alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from memlens.core.refs import ArtifactRef
from memlens.queries.documents.model import LoggedChange, LoggedRevision, Overview, OverviewEntry, VersionStep
from memlens.queries.escape import escape_inline, escape_markdown
from memlens.queries.kinds import count_of, kind_label, kind_order
from memlens.queries.model import EntryCard

_NOT_IN_IDENTIFIERS = re.compile(r"[^\x21-\x5f\x61-\x7e]")
_NOTHING = "Nothing is remembered here yet."


def overview_document(overview: Overview) -> str:
    """Return everything remembered, by kind, with where it applies and what has gone stale."""
    parts = [f"# Memory of {escape_inline(overview.repository)}"]
    if overview.note:
        parts.append(escape_markdown(overview.note))
    parts.append(_summary(overview))
    if overview.damaged:
        parts.append(f"Damaged and not shown: {', '.join(map(_code, overview.damaged))}.")
    stale = [entry for entry in overview.entries if entry.orphans or entry.changed_evidence]
    if stale:
        parts += ["## To look at", *map(_stale, stale)]
    ordered = sorted(overview.entries, key=lambda entry: (kind_order(entry.card.kind), entry.card.text))
    for kind, entries in groupby(ordered, key=lambda entry: entry.card.kind):
        listed = list(entries)
        parts += [f"## {escape_inline(_title(kind))} ({len(listed)})", *map(_overview_entry, listed)]
    return _document(parts)


def _summary(overview: Overview) -> str:
    if not overview.entries:
        return _NOTHING
    kinds = sorted({entry.card.kind for entry in overview.entries}, key=kind_order)
    counts = [count_of(kind, sum(entry.card.kind == kind for entry in overview.entries)) for kind in kinds]
    inactive = f"; {overview.inactive} forgotten" if overview.inactive else ""
    revisions = ", ".join(f"Revision {head.revision}" for head in overview.heads)
    return f"{escape_inline(' · '.join(counts))}{inactive}, at {revisions}."


def _stale(entry: OverviewEntry) -> str:
    gone = [f"nothing matches {escape_inline(target)} now" for target in entry.orphans]
    gone += [f"its evidence in {escape_inline(path)} changed" for path in entry.changed_evidence]
    # A list item begins a line: what is untrusted must not be first in it.
    return f"- **{escape_inline(kind_label(entry.card.kind))}** {escape_inline(entry.card.text)}: {'; '.join(gone)}"


def _overview_entry(entry: OverviewEntry) -> str:
    applies = f"Applies to {', '.join(map(escape_inline, entry.applies))}." if entry.applies else ""
    personal = "Personal." if entry.card.personal else ""
    lines = [escape_markdown(entry.card.text), " ".join(filter(None, [personal, applies, _provenance(entry.card)]))]
    return "\n\n".join(lines) + "\n\n---"


def _provenance(card: EntryCard) -> str:
    evidence = f" Evidence: {', '.join(escape_inline(each.label) for each in card.evidence)}." if card.evidence else ""
    who = f" by {escape_inline(card.actor)}" if card.actor else ""
    when = f", {escape_inline((card.created_at or '')[:10])}" if card.created_at else ""
    return f"Version {card.version}{when}{who}.{evidence} {_code(card.entry_id)}"


def _title(kind: str) -> str:
    label = kind_label(kind)
    return label[:1].upper() + label[1:]


def _code(identifier: str) -> str:
    """Return an identifier as code, in which nothing can be escaped: what identifiers are not made of is replaced."""
    return f"`{_NOT_IN_IDENTIFIERS.sub('?', identifier)}`"


def entry_document(entry_id: str, steps: Sequence[VersionStep]) -> str:
    """Return one entry with its whole history, the latest first."""
    parts = [f"# Entry {_code(entry_id)}"]
    for step in reversed(steps):
        reason = f" ({escape_inline(step.reason)})" if step.reason else ""
        parts += [
            f"## Revision {step.revision}: {step.op}, version {step.version}",
            f"{escape_inline(step.created_at)} by {escape_inline(step.actor)}{reason}",
            f"**{escape_inline(kind_label(step.kind))}**",
            escape_markdown(step.text),
        ]
    return _document(parts)


def revision_document(ref: ArtifactRef, cards: Iterable[EntryCard]) -> str:
    """Return the active entries of one exact Revision."""
    listed = sorted(cards, key=lambda card: (kind_order(card.kind), card.text))
    parts = [
        f"# Revision {ref.revision} of {_code(ref.artifact_id)}",
        f"{len(listed)} active {'entry' if len(listed) == 1 else 'entries'}.",
    ]
    for card in listed:
        parts += [f"**{escape_inline(kind_label(card.kind))}**", escape_markdown(card.text), _provenance(card), "---"]
    return _document(parts)


def change_log_document(revisions: Sequence[LoggedRevision]) -> str:
    """Return what changed, the latest Revision first."""
    parts = ["# Change log"]
    if not revisions:
        parts.append(_NOTHING)
    for revision in reversed(revisions):
        parts.append(
            f"## Revision {revision.ref.revision}, {escape_inline(revision.created_at)} "
            f"by {escape_inline(revision.actor)}"
        )
        parts += [
            f"- {change.op}: {_said(change)}" + (f" ({escape_inline(change.reason)})" if change.reason else "")
            for change in revision.changes
        ]
    return _document(parts)


def _said(change: LoggedChange) -> str:
    return _code(change.entry_id) if change.text is None else escape_inline(change.text)


def _document(parts: Iterable[str]) -> str:
    """Join paragraphs; items of one list stay together."""
    text = ""
    previous = ""
    for part in parts:
        between = "\n" if part.startswith("- ") and previous.startswith("- ") else "\n\n"
        text += (between if text else "") + part
        previous = part
    return text + "\n"
