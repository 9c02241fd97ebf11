"""A hover written down, as Markdown or as plain text (the client's ``hover.contentFormat``).

Every text of an entry, of its evidence and of its reasons is untrusted and escaped; every link is built here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from memlens.anchors.model import Strength
from memlens.queries.escape import escape_inline, escape_markdown
from memlens.queries.hover import HoverContent, HoverItem
from memlens.queries.kinds import kind_label
from memlens.queries.model import EntryCard, EvidenceCard
from memlens.queries.visible import flatten, visible

TRUSTED_COMMANDS = ("memlens.expand", "memlens.forget")
"""The commands a hover may link to; a client that trusts command links should allow exactly these."""

_RULE = "\n\n---\n\n"
_URI_SAFE = "/:%@!$&'*+,;=~"


@dataclass(frozen=True, slots=True)
class HoverLinks:
    """Where links of a hover lead.

    ``root_uri`` is the repository root with a trailing ``/`` in the client's own spelling, None for no links to
    files. ``document_uri`` tells a command which repository is meant. ``commands`` is off unless the client said
    that it trusts our command links.
    """

    root_uri: str | None = None
    document_uri: str | None = None
    commands: bool = False


def hover_markdown(content: HoverContent, links: HoverLinks) -> str:
    """Return ``content`` as CommonMark with no HTML."""
    return _RULE.join(_markdown_item(item, links) for item in content.items)


def hover_plain(content: HoverContent) -> str:
    """Return ``content`` as plain text."""
    return "\n\n".join(_plain_item(item) for item in content.items)


def _markdown_item(item: HoverItem, links: HoverLinks) -> str:
    card = item.card
    title = f"**{escape_inline(kind_label(card.kind))}**{_qualifier(item)}"
    details = [f"*Why here:* {escape_inline(why)}" for why in item.whys]
    if card.evidence:
        shown = _unique(_markdown_evidence(evidence, links) for evidence in card.evidence)
        details.append(f"*Evidence:* {' · '.join(shown)}")
    details.append(escape_inline(_provenance(card)))
    if links.commands:
        details.append(_command_links(card, links))
    return f"{title}\n\n{escape_markdown(card.text)}\n\n" + "  \n".join(details)


def _plain_item(item: HoverItem) -> str:
    card = item.card
    lines = [f"{kind_label(card.kind)}{_qualifier(item)}", visible(card.text)]
    lines += [f"Why here: {flatten(why)}" for why in item.whys]
    if card.evidence:
        lines.append("Evidence: " + " · ".join(_unique(_label(evidence) for evidence in card.evidence)))
    return "\n".join([*lines, flatten(_provenance(card))])


def _qualifier(item: HoverItem) -> str:
    notes = ["your own"] if item.card.personal else []
    if item.strength is Strength.WEAK:
        notes.append("may apply")
    return f" ({', '.join(notes)})" if notes else ""


def _provenance(card: EntryCard) -> str:
    written = f" · {card.created_at[:10]}" if card.created_at else ""
    author = f" · {card.actor}" if card.actor else ""
    return f"version {card.version} · Revision {card.memory_ref.revision}{written}{author}"


def _label(evidence: EvidenceCard) -> str:
    line = f":{evidence.start_line}" if evidence.path and evidence.start_line else ""
    return flatten(evidence.path or evidence.label or evidence.source_type) + line


def _markdown_evidence(evidence: EvidenceCard, links: HoverLinks) -> str:
    label = escape_inline(_label(evidence))
    target = _file_link(evidence, links.root_uri)
    return f"[{label}]({target})" if target else label


def _file_link(evidence: EvidenceCard, root_uri: str | None) -> str | None:
    """Return a link below the repository root; None for a path that would lead out of it."""
    path = evidence.path
    if root_uri is None or not path or path.startswith("/") or ".." in path.split("/"):
        return None
    line = f"#L{evidence.start_line}" if evidence.start_line else ""
    return quote(root_uri, safe=_URI_SAFE) + quote(path, errors="replace") + line


def _command_links(card: EntryCard, links: HoverLinks) -> str:
    where = {"uri": links.document_uri} if links.document_uri else {}
    details = _command_link("Details", "memlens.expand", {"citations": [card.citation.as_json()], **where})
    forget = _command_link("Forget", "memlens.forget", {"entry_id": card.entry_id, **where})
    return f"{details} · {forget}"


def _command_link(title: str, command: str, argument: dict[str, Any]) -> str:
    return f"[{title}](command:{command}?{quote(json.dumps([argument]), safe='')})"


def _unique(labels: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(labels))
