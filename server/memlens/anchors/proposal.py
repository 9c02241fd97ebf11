"""Proposes what an entry applies to from what its text names and what the repository holds (spec 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memlens.anchors.command_mentions import CommandMention, command_mentions
from memlens.anchors.definitions import DEFINING_FILES
from memlens.anchors.globs import has_magic
from memlens.anchors.key_mentions import key_targets
from memlens.anchors.model import Applicability, Origin, Rule, Target, TargetKind
from memlens.anchors.path_mentions import PathMention, path_mentions
from memlens.anchors.symbol_mentions import symbol_targets
from memlens.anchors.tree import FileTree

MAX_PLACES = 4
"""A name that the tree holds in more places than this says nothing about any of them."""

MAX_TARGETS = 64
"""A text that names more than this is a list, and its first names stand for the rest."""


def propose(text: str, tree: FileTree) -> Applicability:
    """Return the targets that ``text`` names, paths first; the same text and tree always give the same.

    Nothing in it lies outside the repository. A text that names nothing gives no targets.
    """
    found: dict[tuple[TargetKind, str], Target] = {}
    for target in _targets(text, tree):
        found.setdefault((target.kind, target.value), target)
    return Applicability(Origin.PROPOSED, tuple(found.values())[:MAX_TARGETS])


def _targets(text: str, tree: FileTree) -> Iterator[Target]:
    files: list[str] = []
    for mention in path_mentions(text):
        value = _resolved(mention, tree)
        if value is not None:
            files.append(value)
            literal = not has_magic(value) or tree.is_file(value) or tree.is_dir(value.rstrip("/"))
            rule = Rule.PATH if literal else Rule.GLOB
            yield Target(TargetKind.PATH, value, rule, mention.text)
    for command in command_mentions(text):
        for value in _placed(command, tree):
            yield Target(TargetKind.COMMAND, value, Rule.COMMAND, command.text)
    yield from symbol_targets(text, files, tree)
    yield from key_targets(text, files)


def _resolved(mention: PathMention, tree: FileTree) -> str | None:
    """Return the path or glob that the mention means in this tree, or None when it means none."""
    exact = (mention.wider and _exact(mention.wider, tree)) or _exact(mention.pattern, tree)
    if exact:
        return exact
    if has_magic(mention.pattern):
        return mention.pattern if mention.keep or tree.matches(mention.pattern) else None
    places = _places(mention.pattern, tree)
    if len(places) == 1:
        return places[0]
    if places:
        return "**/" + mention.pattern if len(places) <= MAX_PLACES else None
    return mention.pattern if mention.keep else None


def _exact(pattern: str, tree: FileTree) -> str | None:
    """Return the path as named from the root of the repository, if there is such a file or directory."""
    path = pattern.rstrip("/")
    if ("/" in pattern or path.startswith(".")) and tree.is_dir(path):
        return path + "/"
    # A plain word is a file of the root, never its directory: `build` is a word.
    return pattern if tree.is_file(pattern) else None


def _places(pattern: str, tree: FileTree) -> list[str]:
    """Return the paths that end with ``pattern``, where that is enough of a name to look for."""
    path = pattern.rstrip("/")
    if not pattern.endswith("/") and "." not in path and "/" not in path:
        return []
    ending = "/" + path
    named = [place for place in tree.named(path.rpartition("/")[2]) if ("/" + place.rstrip("/")).endswith(ending)]
    if pattern.endswith("/"):
        return [place for place in named if place.endswith("/")]
    return named if "/" in path else [place for place in named if not place.endswith("/")]


def _placed(mention: CommandMention, tree: FileTree) -> list[str]:
    """Return the command as typed in the root, once for each directory that it may be meant in."""
    command = mention.named.command
    names = DEFINING_FILES[command.runner]
    if command.directory or any(tree.is_file(name) for name in names):
        return [mention.named.spelling]
    places = sorted({place.rpartition("/")[0] for name in names for place in tree.named(name)})
    if not 1 <= len(places) <= MAX_PLACES:
        return [mention.named.spelling]
    return [replace(mention.named, command=replace(command, directory=place)).spelling for place in places]
