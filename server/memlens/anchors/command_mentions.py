"""Reads from an entry's text the commands that it names (spec 2.1, command rule)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memlens.anchors.command_lines import RUNNERS, parse_command_line, parse_words
from memlens.anchors.commands import NamedCommand, Runner
from memlens.anchors.spans import spans
from memlens.anchors.words import word_set


@dataclass(frozen=True, slots=True)
class CommandMention:
    """A command that a text names, with its wording there."""

    text: str
    named: NamedCommand


_WORD = r"[\w@./:,=+{}\-]{1,80}"
_BARE = re.compile(rf"(?<![\w./@-])(?:{'|'.join(sorted(RUNNERS))})(?:[ \t]+{_WORD}){{1,6}}", re.ASCII)
_PUNCTUATION = ".,:"

_NOT_TARGETS = word_set(
    "a about all an and another any anything as at available backups better both careful certain change changes clear",
    "commits copies decisions do due each easier easy edits either every everyone everything explicit fewer for from",
    "good her him his if in instead is it its less life little me mistakes more most much must my new no not nothing",
    "on one only or other our out own people possible progress room sense several small some someone something such",
    "sure that the their them these they things this those to two up us use visible way what when with work you",
    "your",
)
"""What follows the English verb "make", never a target when it stands outside a code span."""
_VERB_BEFORE = re.compile(
    r"(?:\b(?:can|cannot|could|does|do|may|might|must|not|please|shall|should|that|they|to|we|which|will|would|you)|n't)\s+\Z",
    re.IGNORECASE,
)
"""What precedes the English verb "make"; a plain word after it is then its object."""
_PLAIN_WORD = re.compile(r"[a-z]+")
_BARE_NPM = frozenset({"run", "run-script", "test", "start"})


def command_mentions(text: str) -> list[CommandMention]:
    """Return the commands that ``text`` names, in code spans or in prose, each once.

    In prose only what can hardly be anything else is read: ``make`` with one word that is not plain English,
    ``npm run x``, ``tox -e x``, ``nox -s x``, ``uv run x``; and nothing of ``just``, which is a word.
    """
    found: dict[NamedCommand, CommandMention] = {}
    for span in spans(text):
        for mention in _in_code(span.text) if span.is_code else _in_prose(span.text):
            found.setdefault(mention.named, mention)
    return list(found.values())


def _in_code(code: str) -> Iterator[CommandMention]:
    for named in parse_command_line(code):
        yield CommandMention(code.strip(), named)


def _in_prose(prose: str) -> Iterator[CommandMention]:
    for match in _BARE.finditer(prose):
        words = _sentence_words(match[0])
        if _is_command(words, prose[max(0, match.start() - 20) : match.start()]):
            # Further words are more likely prose than further targets.
            for named in parse_words(words)[: None if words[0] == "tox" else 1]:
                yield CommandMention(" ".join(words), named)


def _sentence_words(text: str) -> list[str]:
    """Return the words up to the one that ends a clause."""
    words: list[str] = []
    for word in text.split():
        words.append(word.rstrip(_PUNCTUATION))
        if words[-1] != word:
            break
    return words


def _is_command(words: list[str], before: str) -> bool:
    if len(words) < 2 or not words[1]:
        return False
    match RUNNERS[words[0]]:
        case Runner.MAKE:
            return _is_make(words[1], before)
        case Runner.JUST:
            return False
        case Runner.NPM:
            return words[1] in _BARE_NPM
        case _:
            return True


def _is_make(target: str, before: str) -> bool:
    if target.lower() in _NOT_TARGETS:
        return False
    return not (_PLAIN_WORD.fullmatch(target) and _VERB_BEFORE.search(before))
