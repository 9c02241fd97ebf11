"""Analyzer v1 (spec 1.8, docs/search.md): the terms of a text, as a table and as properties."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlens.memory.analyzer import MAX_TERM_LENGTH, STOP_WORDS, index_terms, query_terms

EXAMPLES = [
    ("English", "Run make check before review.", "run make check before review"),
    ("punctuation", "C++, foo-bar; a:b! (x) @decorator", "c foo bar a b x decorator"),
    ("paths", "src/api/v2.py", "src api v2 v 2 py"),
    ("camelCase", "getUserName HTTPServer", "getusername get user name httpserver http server"),
    ("snake_case", "MAX_RETRIES gate_limit", "max retries gate limit"),
    ("digits", "utf8 x86_64 3.38 sha256sum", "utf8 utf 8 x86 x 86 64 3 38 sha256sum sha 256 sum"),
    ("Chinese", "中文", "u_4e2d u_6587 b_4e2d_6587"),
    ("a single Han character", "中", "u_4e2d"),
    ("Chinese with an identifier glued to it", "写死gate_limit的", "u_5199 u_6b7b b_5199_6b7b gate limit u_7684"),
    ("Chinese punctuation", "限流，阈值", "u_9650 u_6d41 b_9650_6d41 u_9608 u_503c b_9608_503c"),
    ("Han beyond the basic plane", "𠮷野", "u_20bb7 u_91ce b_20bb7_91ce"),
    ("kana", "カタかな", "u_30ab u_30bf u_304b u_306a b_30ab_30bf b_30bf_304b b_304b_306a"),
    ("half-width kana with a voiced mark", "ｶﾞ", "u_30ac"),
    ("a voiced mark that combines", "カ\u3099", "u_30ac"),
    ("a prolonged sound", "サーバー", "u_30b5 u_30fc u_30d0 u_30fc b_30b5_30fc b_30fc_30d0 b_30d0_30fc"),
    ("Hangul", "한국", "u_d55c u_ad6d b_d55c_ad6d"),
    ("Hangul as jamo", unicodedata.normalize("NFD", "한국"), "u_d55c u_ad6d b_d55c_ad6d"),
    ("half-width Hangul", "ﾡ", "u_3131"),
    ("Bopomofo", "ㄅㄆ", "u_3105 u_3106 b_3105_3106"),
    ("full-width Latin", "ＡＢＣ１２", "abc12 abc 12"),
    ("Cyrillic", "Привет", "u_43f_440_438_432_435_442"),
    ("Cyrillic in capitals", "ПРИВЕТ", "u_43f_440_438_432_435_442"),
    ("Devanagari with its vowel signs", "हिन्दी", "u_939_93f_928_94d_926_940"),
    ("Greek final sigma", "ΟΔΟΣ οδος", "u_3bf_3b4_3bf_3c3 u_3bf_3b4_3bf_3c3"),
    ("Arabic digits", "٣", "u_663"),
    ("emoji are boundaries", "fire🔥alarm 👩‍👩‍👧", "fire alarm"),
    ("diacritics", "Café naïve Ångström Việt", "cafe naive angstrom viet"),
    ("Latin letters that do not decompose", "Straße Œuvre Łódź brød Þór ı", "strasse oeuvre lodz brod thor i"),
    ("ligatures", "ﬁle ﬄuent", "file ffluent"),
    ("diacritics in camelCase", "caféMenü", "cafemenu cafe menu"),
    ("joiners are not there, a zero-width space is a space", "so\u00adft a\u200db c\u200bd", "soft ab c d"),
    ("a variation selector", "葛\U000e0100城", "u_845b u_57ce b_845b_57ce"),
    ("a long word is cut", "a" * 100, "a" * 64),
    ("stop words are indexed", "the API", "the api"),
    ("nothing", " …!? ", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "terms"), [pytest.param(t, e, id=name) for name, t, e in EXAMPLES])
def test_the_terms_of_a_body_by_example(text: str, terms: str) -> None:
    assert index_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("限流阈值", ["b_9650_6d41", "b_6d41_9608", "b_9608_503c"]),
        ("限", ["u_9650"]),
        ("what is the API of make?", ["api", "make"]),
        ("And www.example.com", ["example"]),
        ("make MAKE make", ["make"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("is it?", []),
    ],
)
def test_the_terms_of_a_query_by_example(text: str, terms: list[str]) -> None:
    assert list(query_terms(text)) == terms


def test_a_long_word_of_another_script_keeps_its_start_and_stays_apart_from_its_relatives() -> None:
    one, two = "достопримечательностями", "достопримечательностями"[:-1] + "х"
    first, second = index_terms(one), index_terms(two)
    assert len(first) == len(second) == MAX_TERM_LENGTH
    assert first != second
    assert first[:40] == second[:40]
    assert query_terms(one) == (first,)


def test_the_stop_words_hold_every_word_that_oceanbase_never_matches() -> None:
    builtin = (
        "a about an are as at be by com de en for from how i in is it la of on or that the this to was what when "
        "where who will with und www"
    )
    assert set(builtin.split()) <= STOP_WORDS


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
PIECES = [
    "中文",
    "Straße",
    "getHTTPServer2",
    "ｶﾞ",
    "한국",
    "Привет",
    "हिन्दी",
    "é",
    "e\u0301",
    "the",
    "_",
    " ",
    "🔥",
    "ﬁ",
]
ODD_CASE = ["İ", "ŉ", "ǰ", "ΐ", "\u0345", "ẞ", "K", "Å"]
WORDS = st.lists(st.sampled_from([*PIECES, *ODD_CASE]), max_size=12).map("".join)
ANY = TEXT | WORDS


@settings(max_examples=300)
@given(ANY)
def test_every_term_is_ascii_lower_case_and_short(text: str) -> None:
    for term in [*index_terms(text).split(" "), *query_terms(text)]:
        assert re.fullmatch(r"[0-9a-z_]{1,64}", term) or not index_terms(text)


@settings(max_examples=300)
@given(ANY)
def test_every_term_of_a_query_is_a_term_of_the_same_text_as_a_body(text: str) -> None:
    """Except stop words, which queries drop and bodies keep."""
    body = set(index_terms(text).split())
    assert set(query_terms(text)) <= body
    unigrams = {term for term in body if re.fullmatch(r"u_[0-9a-f]+", term)}
    assert body - set(query_terms(text)) <= STOP_WORDS | unigrams


@settings(max_examples=300)
@given(ANY)
def test_composed_and_decomposed_texts_have_the_same_terms(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert index_terms(composed) == index_terms(decomposed)
    assert query_terms(composed) == query_terms(decomposed)


NARROW = {chr(code): unicodedata.decomposition(chr(code)).split()[1] for code in range(0xFF01, 0xFFDD)
          if unicodedata.decomposition(chr(code))}  # fmt: skip


@given(st.lists(st.sampled_from(sorted(NARROW)), max_size=12).map("".join))
def test_half_and_full_width_forms_have_the_terms_of_ordinary_ones(text: str) -> None:
    ordinary = "".join(chr(int(NARROW[character], 16)) for character in text)
    assert index_terms(text) == index_terms(ordinary)


@given(st.text("abcXYZ019 é-ДЖ中文", max_size=40))
def test_case_makes_no_difference_to_whole_words(text: str) -> None:
    def wholes(value: str) -> set[str]:
        return {index_terms(word).split()[0] for word in value.split() if index_terms(word)}

    plain = " ".join(re.findall(r"\w+", text))
    assert wholes(plain.lower()) == wholes(plain.upper())


@given(st.lists(st.sampled_from(["walnut", "中文编程", "v2"]), min_size=1, max_size=5))
def test_analysing_the_terms_of_plain_words_again_changes_nothing(words: list[str]) -> None:
    latin = " ".join(term for term in index_terms(" ".join(words)).split() if "_" not in term and not term.isdigit())
    assert set(index_terms(latin).split()) >= set(latin.split())


DENSE = st.sampled_from(["中", "ｱ", "𠮷", "aB", "a1", "ΐ", "a ", "क", "क़", "Ж", "가", "ﬃ", "é", "ㄱx"])


@settings(max_examples=60, deadline=None)
@given(st.lists(DENSE, min_size=1, max_size=6).map("".join))
def test_the_searchable_text_of_any_8192_bytes_fits_a_text_column(unit: str) -> None:
    text = (unit * 8192).encode()[:8192].decode(errors="ignore")
    assert len(index_terms(text).encode()) <= 65_535
