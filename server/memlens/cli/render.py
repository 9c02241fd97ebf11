"""Lines for people. Memory text is data: it is printed without markup, with what is invisible made visible."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from rich.console import Console
from rich.text import Text

from memlens.queries.visible import visible

KIND_STYLES = {
    "constraint": "bold red",
    "decision": "bold blue",
    "preference": "bold green",
    "fact": "bold cyan",
    "working_note": "bold yellow",
}


@cache
def console() -> Console:
    """Return the console: colours on a terminal only, never wrapping inside words that are to be copied.

    What the terminal's encoding cannot spell is escaped, not an error.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    return Console(highlight=False, soft_wrap=True)


def say(*parts: str | tuple[str, str]) -> None:
    """Print one line of plain parts and (text, style) pairs; no part is read as markup or as a terminal's command."""
    console().print(Text.assemble(*(_shown(part) for part in parts)))


def _shown(part: str | tuple[str, str]) -> str | tuple[str, str]:
    return visible(part) if isinstance(part, str) else (visible(part[0]), part[1])


def kind_label(kind: str) -> tuple[str, str]:
    """Return a kind as it is printed."""
    return kind, KIND_STYLES.get(kind, "bold")


def show_receipt(value: Mapping[str, Any]) -> None:
    """Print what a write left behind."""
    revision = value["memory"]["revision"]
    verb = f"now in Revision {revision}" if value["changed"] else "as it was: nothing to change"
    say((value["entry_id"], "bold"), f"  {verb}")


def show_applies(applies: Sequence[str], *, has_evidence: bool) -> None:
    """Print where a new entry will be shown, so that a slip of the pen is seen at once."""
    if applies:
        say(("    applies to ", "dim"), ", ".join(applies))
    elif not has_evidence:
        say("    names nothing it could be shown on; --applies GLOB or --evidence PATH gives it a place")


def show_receipts(values: Sequence[Mapping[str, Any]]) -> None:
    """Print several receipts."""
    for value in values:
        show_receipt(value)


def show_organized(values: Sequence[Mapping[str, Any]]) -> None:
    """Print the receipts of what was organized, or that there was nothing to do."""
    show_receipts(values)
    if not values:
        say("Nothing to organize.")


def show_search(value: Mapping[str, Any]) -> None:
    """Print hits, best first."""
    for hit in value["hits"]:
        say(kind_label(hit["kind"]), "  ", hit["text"])
        say((f"    {hit['entry_id']}  Revision {hit['memory_ref']['revision']}", "dim"))
    if "note" in value:
        say(visible(value["note"]))
    elif not value["hits"]:
        say("No hits.")


def show_document(markdown: str) -> None:
    """Print a Markdown document as it is: what came from a memory is escaped in it."""
    console().print(Text(markdown), end="")


def show_expanded(values: Sequence[Mapping[str, Any]]) -> None:
    """Print entry versions in full."""
    for value in values:
        say(kind_label(value["kind"]), f"  version {value['version']}  ", (value["entry_id"], "dim"))
        say(value["text"])
        for source in value["sources"]:
            say((f"    evidence: {_source_label(source)}", "dim"))


def _source_label(source: Mapping[str, Any]) -> str:
    words = source["content"].get("text") if source["type"] == "UserNoteSource" else None
    return words if isinstance(words, str) else str(source["content"].get("path") or source["uri"])


def show_changes(values: Sequence[Mapping[str, Any]]) -> None:
    """Print changes by Revision."""
    for value in values:
        say((f"Revision {value['memory_ref']['revision']}", "bold"), f"  {value['created_at']}  {value['actor']}")
        for change in value["changes"]:
            reason = f"  ({change['reason']})" if change["reason"] else ""
            say(f"    {change['op']:<10}  {change['entry_id']}{reason}")
    if not values:
        say("Nothing is remembered here yet.")


def show_history(values: Sequence[Mapping[str, Any]]) -> None:
    """Print what happened to one entry."""
    for value in values:
        reason = f"  ({value['reason']})" if value["reason"] else ""
        say(
            (f"Revision {value['revision']}", "bold"),
            f"  {value['op']}  version {value['version']}  {value['created_at']}  {value['actor']}{reason}",
        )
        say("    ", kind_label(value["kind"]), "  ", value["text"])


def show_report(value: Mapping[str, Any]) -> None:
    """Print what verification found."""
    for problem in value["problems"]:
        places = (problem.get(key) for key in ("artifact_id", "revision", "entry_id", "entry_version_id"))
        where = " ".join(str(place) for place in places if place is not None)
        say((problem["code"], "bold red"), f"  {problem['message']}  ", (where, "dim"))
    verdict = "No problems" if value["ok"] else f"{len(value['problems'])} problems"
    say(f"{verdict} in {value['revisions']} Revisions and {value['entry_versions']} entry versions.")


LEVEL_MARKS = {
    "ok": ("ok       ", "green"),
    "warning": ("warning  ", "bold yellow"),
    "problem": ("problem  ", "bold red"),
}
SHOWN_DETAILS = 20


def show_examination(value: Mapping[str, Any]) -> None:
    """Print what every check found, with the way out."""
    for found in value["checks"]:
        say(LEVEL_MARKS[found["level"]], (f"{found['check']:<11}", "bold"), visible(found["message"]))
        details = found.get("details", ())
        for detail in details[:SHOWN_DETAILS]:
            say("             ", ("  ".join(visible(str(each)) for each in detail.values()), "dim"))
        if len(details) > SHOWN_DETAILS:
            say("             ", (f"and {len(details) - SHOWN_DETAILS} more: see --json", "dim"))
        if "way_out" in found:
            say("             ", visible(found["way_out"]))
    if "repaired" in value:
        repaired = value["repaired"]
        say(f"The search index was built anew: {repaired['entries']} entries of {repaired['memories']} memories.")


def show_status(value: Mapping[str, Any]) -> None:
    """Print what this repository is, and what is remembered of it."""
    repository = value["repository"]
    say(("Repository  ", "bold"), f"{repository['root']}  ({repository['key']}, by its {repository['basis']})")
    if value["binding"]["state"] == "unconfirmed":
        say(("Memory      ", "bold"), "withheld until this clone is confirmed")
    else:
        say(("Memory      ", "bold"), _memory_line(value["memory"]))
    say(("Your own    ", "bold"), _memory_line(value["personal_memory"]))
    if value["binding"]["note"]:
        say(("Binding     ", "bold yellow"), visible(value["binding"]["note"]))
    say(("Database    ", "bold"), _database_line(value["database"]))
    for entry_id in value["damaged_entries"]:
        say((f"Entry {entry_id} is damaged and not shown: run `memlens verify`.", "bold red"))
    for warning in value["warnings"]:
        say(("Setting     ", "bold yellow"), f"{warning['source']}: {warning['message']}")


def show_binding(value: Mapping[str, Any]) -> None:
    """Print a repository's binding, the keys that lead to its memory, and the clones that have it."""
    say(("Repository  ", "bold"), visible(f"{value['root']}  ({value['key']})"))
    say(("Clone       ", "bold"), visible(f"{value['clone']}  ({value['state']})"))
    for key in value["keys"]:
        say(("Key         ", "bold"), visible(f"{key['key']}  since {key['bound_at']} by {key['actor']}"))
    for clone in value["clones"]:
        where = "" if clone["this_machine"] else "  on another machine"
        since = f"since {clone['known_since']} by {clone['actor']}"
        say(("Known clone ", "bold"), visible(f"{clone['place']}{where}  {since}"))
    if value.get("previous_artifact_id"):
        say(f"Before, the key led to {value['previous_artifact_id']}: `memlens bind --to` with that goes back.")
    if value["note"]:
        say(visible(value["note"]))


def _database_line(database: Mapping[str, Any]) -> str:
    if database["path"] is None:
        return "none yet: the first entry creates it"
    return f"{database['path']}{'  (read-only)' if database['read_only'] else ''}"


def _memory_line(memory: Mapping[str, Any] | None) -> str:
    if memory is None:
        return "nothing is remembered yet: `memlens remember` begins"
    return (
        f"{memory['active']} active and {memory['inactive']} inactive entries at Revision {memory['revision']}, "
        f"{memory['updated_at']} by {memory['updated_by']}"
    )
