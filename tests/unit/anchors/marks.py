"""Fixtures that say themselves what is found on which of their lines, by marks ``«name name»`` at the ends of lines."""

from memlens.core.lines import split_lines


def without_marks(text):
    """Return the lines without their marks, and the marks as pairs of line number and name."""
    marks, lines = set(), []
    for number, line in enumerate(split_lines(text)):
        before, mark, rest = line.partition("«")
        if mark:
            names, _, after = rest.partition("»")
            marks |= {(number, name) for name in names.split()}
            line = before.rstrip() + after
        lines.append(line)
    return lines, marks
