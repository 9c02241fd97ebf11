"""The command rule: an entry that names a command is anchored where that command is defined (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlens.anchors.applicability import EffectiveTarget, effective_targets, muted_targets
from memlens.anchors.command_lines import parse_command_line
from memlens.anchors.commands import Command
from memlens.anchors.definitions import definitions
from memlens.anchors.model import Anchor, AnchorEntry, Origin, Strength, TargetKind
from memlens.anchors.postings import Postings


@dataclass(frozen=True, slots=True)
class CommandRule:
    """Line anchors at the definitions of commands; a file that defines none costs a look at its name."""

    postings: Postings[Command, EffectiveTarget]

    @classmethod
    def of(cls, entries: Iterable[AnchorEntry]) -> CommandRule:
        """Build the rule for these entries."""
        return cls(Postings.of(_pairs(entries)))

    def anchors(self, path: str, lines: Sequence[str]) -> Iterator[Anchor]:
        """Yield a strong anchor for each entry on each line of the file that defines one of its commands."""
        if not self.postings:
            return
        for definition in definitions(path, lines):
            for target in self.postings.get(definition.command):
                line = definition.line
                yield Anchor(target.entry_id, target.rule, Strength.STRONG, _why(target), line, line)

    def replaced(self, removed: Sequence[AnchorEntry], added: Sequence[AnchorEntry]) -> CommandRule:
        """Return the rule without the ``removed`` entries and with the ``added`` ones."""
        return CommandRule(self.postings.replaced(_pairs(removed), _pairs(added)))


def _pairs(entries: Iterable[AnchorEntry]) -> Iterator[tuple[Command, EffectiveTarget]]:
    for entry in entries:
        muted = {command for target in muted_targets(entry, TargetKind.COMMAND) for command in _commands(target)}
        for target in effective_targets(entry, TargetKind.COMMAND):
            yield from ((command, target) for command in _commands(target) if command not in muted)


def _commands(target: EffectiveTarget) -> Iterator[Command]:
    return (named.command for named in parse_command_line(target.target.value))


def _why(found: EffectiveTarget) -> str:
    why = f"`{found.target.value}` is defined on this line"
    return why if found.origin is Origin.PROPOSED else f"{why} ({found.label})"
