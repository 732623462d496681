"""The sentences for findings: every code has one in every language, with the same values."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from engine.diagnostics import Diagnostic, sentence

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "diagnostics"
LANGUAGES = sorted(path.name for path in FOLDER.iterdir())
CODE = re.compile(r'"([CGSDRKXPEULHV]\d{3})"')


@cache
def sentences(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted((FOLDER / language).glob("*.json")):
        topic = json.loads(path.read_text(encoding="utf-8"))
        assert not set(found) & set(topic), f"{path} doubles a code"
        found |= topic
    return found


@cache
def codes() -> dict[str, str]:
    """Return the codes that stand in the source, with a file of each."""
    return {
        code: str(path.relative_to(ROOT))
        for folder in ("engine", "studio")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for code in CODE.findall(path.read_text(encoding="utf-8"))
    }


def test_that_every_language_has_the_same_codes():
    assert LANGUAGES == ["en", "zh_CN"]
    assert set(sentences("en")) == set(sentences("zh_CN"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_that_every_code_of_the_source_has_a_sentence(language):
    missing = {code: file for code, file in codes().items() if code not in sentences(language)}
    assert not missing


def test_that_a_sentence_shows_the_same_values_in_every_language():
    english, chinese = sentences("en"), sentences("zh_CN")
    for code, text in english.items():
        shown, other = (set(re.findall(r"\{(\w+)[:}]", one)) for one in (text, chinese[code]))
        assert shown == other, code
        assert re.search(r"[\u4e00-\u9fff]", chinese[code]), code


def test_that_a_word_goes_with_its_number():
    params = {"name": "e", "count": 1, "actual": 3}
    problem = Diagnostic(code="S038", params=params)
    assert sentence(problem) == "“e”: the equation has 1 input, but 3 are connected."
    problem = Diagnostic(code="S038", params={"name": "e", "count": "1,000", "actual": "1"})
    assert sentence(problem) == "“e”: the equation has 1,000 inputs, but 1 is connected."


def test_that_words_go_with_numbers_that_are_shown():
    for language in LANGUAGES:
        for code, text in sentences(language).items():
            plain = re.sub(r"\{(\w+)\|[^|{}]*\|[^|{}]*\}|\{\w+:[^{}]+\}", "", text)
            assert "|" not in plain, code
            counting = set(re.findall(r"\{(\w+)\|", text))
            assert counting <= set(re.findall(r"\{(\w+)\}", plain)), code
