"""Several providers as one pipeline (spec 1.4, seed: "默认 pipeline 中某个可选 provider 不可用时可以继续尝试")."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memlens.core.errors import CapabilityNotSupportedError, InvalidInputError
from memlens.memory.candidates import CandidateProvider, CandidateProviders
from memlens.memory.models import MemoryEntryInput, MemoryEntryVersion

ENTRY = MemoryEntryVersion("mem_art_x", "mem_ent_1", "mem_ver_1", 1, None, "fact", "t", (), (), "0" * 64, 1)


class Proposing:
    def __init__(self, *candidates: MemoryEntryInput) -> None:
        self.candidates = candidates

    async def extract(self, *_: Any) -> tuple[MemoryEntryInput, ...]:
        return self.candidates


class Away:
    async def extract(self, *_: Any) -> tuple[MemoryEntryInput, ...]:
        raise CapabilityNotSupportedError("The model does not answer: start it.")


def saying(name: str, *texts: str, **more: Any) -> CandidateProvider:
    return CandidateProvider(name, Proposing(*(MemoryEntryInput("fact", text) for text in texts)), **more)


async def proposed(providers: CandidateProviders) -> list[str]:
    return [candidate.text for candidate in await providers.extract((), (), ())]


async def test_all_default_providers_propose_in_their_order() -> None:
    assert await proposed(CandidateProviders([saying("a", "1", "2"), saying("b"), saying("c", "3")])) == ["1", "2", "3"]


async def test_an_optional_provider_that_is_away_is_skipped_and_one_that_is_needed_is_not() -> None:
    away = CandidateProvider("model", Away())
    assert await proposed(CandidateProviders([away, saying("b", "1")])) == ["1"]
    with pytest.raises(CapabilityNotSupportedError, match="start it"):
        await proposed(CandidateProviders([replace(away, is_optional=False), saying("b", "1")]))


async def test_the_fallback_is_asked_only_where_the_others_propose_nothing() -> None:
    fallback = saying("note", "fallback")
    assert await proposed(CandidateProviders([saying("a", "1")], fallback)) == ["1"]
    assert await proposed(CandidateProviders([saying("a")], fallback)) == ["fallback"]
    assert await proposed(CandidateProviders([CandidateProvider("model", Away())], fallback)) == ["fallback"]
    assert await proposed(CandidateProviders((), fallback)) == ["fallback"]


async def test_with_nobody_to_ask_it_is_an_error_and_not_silence() -> None:
    for providers in (CandidateProviders(), CandidateProviders([CandidateProvider("model", Away())])):
        with pytest.raises(CapabilityNotSupportedError, match="pass the entries"):
            await proposed(providers)


async def test_what_is_asked_for_by_name_is_all_that_is_asked_and_may_not_be_away() -> None:
    providers = CandidateProviders([saying("a", "1"), CandidateProvider("model", Away())], saying("note", "fallback"))
    assert await proposed(providers.asked("a")) == ["1"]
    assert await proposed(providers.asked("note", "a")) == ["fallback", "1"]
    with pytest.raises(CapabilityNotSupportedError, match="start it"):
        await proposed(providers.asked("model"))
    with pytest.raises(CapabilityNotSupportedError, match="No candidate provider llm is configured; there are a, "):
        providers.asked("a", "llm")


async def test_of_two_that_revise_one_entry_the_first_is_heard() -> None:
    first, second = (CandidateProvider(t, Proposing(MemoryEntryInput("fact", t, ENTRY))) for t in ("one", "two"))
    other = CandidateProvider("three", Proposing(MemoryEntryInput("fact", "3", replace(ENTRY, entry_id="mem_ent_2"))))
    assert await proposed(CandidateProviders([first, second, other])) == ["one", "3"]


def test_two_providers_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="one name"):
        CandidateProviders([saying("a"), saying("a")])
