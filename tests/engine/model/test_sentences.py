"""Every finding about graphs and shapes has its sentence, in both languages."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
ROOMS = ("graph", "syntax", "custom", "shape", "codegen", "reader", "model", "importer")
QUESTIONS = ("query/gradient", "query/listing", "query/trace")
FIRST_MODELS = ROOT / "engine" / "spec" / "first_run.py"  # which are a repair of an empty canvas
SOURCES = [
    *(path for room in (*ROOMS, *QUESTIONS) for path in (ROOT / "engine" / room).rglob("*.py")),
    FIRST_MODELS,
]

FURTHER = {"graph": ("phrase", "bypass", "annotation", "block", "initial", "surgery")}
"""Topics with a file of their own whose codes have the letter of another."""


def sentences(language: str, topic: str) -> dict[str, str]:
    path = ROOT / "resources" / "diagnostics" / language / f"{topic}.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("topic", "letter"), [("graph", "G"), ("build", "S"), ("repair", "F")])
def test_that_codes_and_sentences_are_the_same_set(topic: str, letter: str) -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    codes = set(re.findall(rf'"({letter}\d{{3}})"', text))
    for language in ("en", "zh_CN"):
        told: set[str] = set()
        for name in (topic, *FURTHER.get(topic, ())):
            told |= {code for code in sentences(language, name) if code[0] == letter}
        assert codes == told, language


@pytest.mark.parametrize("topic", ["graph", "build"])
def test_that_both_languages_mention_the_same_values(topic: str) -> None:
    english, chinese = sentences("en", topic), sentences("zh_CN", topic)
    for code, text in english.items():
        assert set(re.findall(r"{\w+}", chinese[code])) == set(re.findall(r"{\w+}", text)), code
