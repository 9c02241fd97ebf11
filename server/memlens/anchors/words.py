"""Lists of words, written as text."""

from __future__ import annotations


def word_set(*texts: str) -> frozenset[str]:
    """Return the words of the texts, which are separated by blanks."""
    return frozenset(word for text in texts for word in text.split())
