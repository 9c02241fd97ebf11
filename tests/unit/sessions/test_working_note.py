"""The working note that is made of a report without a model: it quotes, and infers nothing (spec 2.3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlens.core.sources import Source, make_source
from memlens.core.text import normalise_text
from memlens.memory.models import MemoryEntryInput
from memlens.sessions.outcome import Check, Outcome
from memlens.sessions.working_note import MAX_LISTED, WorkingNotes, note_text

NOW = "2026-01-01T00:00:00.000000Z"
REPORT = "The parser handles empty files now; nested arrays still fail."


def source(kind: str = "TaskOutcomeSource", **content: Any) -> Source:
    return make_source(kind, "task:1", content, NOW)


async def notes(*sources: Source) -> list[MemoryEntryInput]:
    return list(await WorkingNotes().extract(sources, (), ()))


async def test_a_note_quotes_the_report_and_what_was_reported_with_it() -> None:
    outcome = Outcome(
        REPORT, ("src/parser.py", "tests/test_parser.py"), "a1b2c3d4" * 5, (Check("make test", "failed"),)
    )
    (note,) = await notes(source(**outcome.as_content()))

    assert note.text == (
        "A task's outcome, as it was reported:\n"
        "The parser handles empty files now; nested arrays still fail.\n\n"
        "Changed paths: src/parser.py, tests/test_parser.py\n\n"
        "Git head: a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4a1b2c3d4\n\n"
        "Verification, as reported: make test: failed"
    )
    assert (note.kind, note.entry, note.reason) == ("working_note", None, None)


async def test_a_turn_that_stopped_is_no_proof_that_the_task_is_done() -> None:
    (note,) = await notes(source("AgentTurnSource", report=REPORT))

    assert note.text == f"An agent's turn, as it was reported; the task may be unfinished:\n{REPORT}"


async def test_there_is_one_note_of_the_last_outcome_that_says_something_else_of_the_last_turn() -> None:
    turn = source("AgentTurnSource", report="A turn that came after all the others, in order.")
    first, last = source(report=f"First. {REPORT}"), source(report=f"Last. {REPORT}")
    empty = source(report="Done.")

    (note,) = await notes(first, last, empty, turn)
    assert (note.sources, "Last." in note.text) == ((last,), True)
    (note,) = await notes(empty, turn)
    assert note.sources == (turn,)


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"report": ""},
        {"report": " \n "},
        {"report": "Done."},
        {"report": "All tests pass."},
        {"report": "🎉🎉🎉"},
        {"report": "完成"},
        {"report": None, "changed_paths": ["a.py"], "verification": [{"command": "make test", "outcome": "passed"}]},
        {"report": ["a", "list"]},
        {"prompt": "Fix the parser so that nested arrays work.", "trace": REPORT, "reasoning": REPORT},
    ],
)
async def test_nothing_useful_is_no_candidate(content: dict[str, Any]) -> None:
    assert await notes(source(**content)) == []


@pytest.mark.parametrize("kind", ["UserNoteSource", "DocumentSource", "GitChangeSource", "EditSessionSource"])
async def test_sources_that_are_no_reports_make_no_note(kind: str) -> None:
    assert await notes(source(kind, report=REPORT, text=REPORT)) == []


def test_malformed_parts_are_left_out() -> None:
    text = note_text(
        source(
            report=REPORT,
            changed_paths=["a.py", 5, None, "  ", "b\nc.py"],
            git_head="refs/heads/main; rm -rf",
            verification=[
                "make",
                {"command": "make"},
                {"command": 1, "outcome": "x"},
                {"command": "t", "outcome": "ok"},
            ],
        )
    )
    assert text is not None
    assert text.split("\n\n")[1:] == ["Changed paths: a.py, b c.py", "Verification, as reported: t: ok"]


def test_long_lists_are_cut_and_counted() -> None:
    text = note_text(source(report=REPORT, changed_paths=[f"{number}.py" for number in range(MAX_LISTED + 7)]))
    assert text is not None
    assert text.endswith(f"{MAX_LISTED - 1}.py, and 7 more")


def test_a_long_report_is_cut_behind_a_word() -> None:
    text = note_text(source(report="parser arrays nested empty " * 1000))
    assert text is not None
    assert text.endswith(("parser […]", "arrays […]", "nested […]", "empty […]"))
    assert len(text.encode()) < 3300


def test_colours_and_control_characters_of_a_terminal_are_taken_out() -> None:
    text = note_text(source(report=f"\x1b[31mFAILED\x1b[0m {REPORT}\r\n\x07bell\x00"))
    assert text is not None
    assert text.split("\n", 1)[1] == f"FAILED {REPORT}\n bell"


CONTENT = st.fixed_dictionaries(
    {
        "report": st.text(max_size=6000) | st.text("क़𝅘𝅥𝅮é 中x\n", min_size=500, max_size=6000),
        "changed_paths": st.lists(st.text(max_size=300), max_size=20),
        "git_head": st.text(max_size=70),
        "verification": st.lists(
            st.fixed_dictionaries({"command": st.text(max_size=300), "outcome": st.text(max_size=300)}), max_size=20
        ),
    }
)


@given(CONTENT)
def test_whatever_is_reported_the_note_can_be_stored(content: dict[str, Any]) -> None:
    text = note_text(source(**content))
    assert text is None or normalise_text(text) == text
