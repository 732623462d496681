"""Vocabulary of the names in the source: the last table of ``docs/glossary.md``."""

import ast
import re
from collections.abc import Container, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.statements import statements

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "studio", "widgets")
HEADING = "## Words that are not used"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_NAME = re.compile(r"\b(?:def|class)\s+(\w+)")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

EXCEPTIONS = frozenset(
    [
        "engine/events.py:MeasureMemory",
    ]
)
"""Names that still have such a word, each with its file. Rename one and take it out; add none."""


@cache
def glossary() -> tuple[str, str]:
    """Return the words of the glossary and, apart, the words that are not used."""
    words, heading, unused = (ROOT / "docs" / "glossary.md").read_text("utf-8").partition(HEADING)
    assert heading
    return words, unused


def rows(text: str) -> list[list[str]]:
    """Return the rows of the tables of a text, without their heads."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    return [row for row in cells if row[0] not in ("word", "not") and set(row[0]) != {"-"}]


def unused_words() -> dict[str, bool]:
    """Return the words that are not used, and whether that holds for nouns alone."""
    return {
        word.removesuffix(" (noun)"): word.endswith(" (noun)")
        for first, _ in rows(glossary()[1])
        for word in first.split(", ")
    }


def names(unused: Container[str]) -> Iterator[tuple[str, bool]]:
    """Yield ``folder/file.py:name`` of all that is public, and whether it is a file or a class;
    a file and a folder have no name behind the colon. A file is passed over where no name, as far
    as its lines tell, has one of the words.
    """
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            file = path.relative_to(ROOT).as_posix()
            yield f"{file}:", True
            source = path.read_text("utf-8")
            written = (word for name in _NAME.findall(source) for word in words_of(f":{name}"))
            for node in statements(source) if any(word in unused for word in written) else ():
                is_definition = isinstance(node, _DEFINITIONS)
                if is_definition and not node.name.startswith("_"):
                    yield f"{file}:{node.name}", isinstance(node, ast.ClassDef)


def words_of(name: str) -> list[str]:
    """Return the words of a name: ``OwnNode`` and ``own_node`` have the same two."""
    file, _, public = name.partition(":")
    text = public or file.removesuffix(".py")
    return [word.lower() for word in _WORD.findall(text.replace("/", "_"))]


@cache
def offences() -> frozenset[str]:
    """Return the names that have a word that is not used."""
    unused = unused_words()
    return frozenset(
        name
        for name, is_noun in names(unused)
        if any(word in unused and (is_noun or not unused[word]) for word in words_of(name))
    )


def test_that_public_names_use_the_words_of_the_glossary():
    assert sorted(offences() - EXCEPTIONS) == []


def test_that_the_known_exceptions_only_get_fewer():
    assert sorted(EXCEPTIONS - offences()) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("engine/shape/node.py:OwnNode", ["own", "node"]),
        ("engine/shape/node.py:own_nodes", ["own", "nodes"]),
        ("engine/shape/node.py:DDPModel", ["ddp", "model"]),
        ("engine/own_loss.py:", ["engine", "own", "loss"]),
    ],
)
def test_that_a_name_is_taken_apart_into_its_words(name, words):
    assert words_of(name) == words


def test_that_the_glossary_says_each_word_once_with_a_meaning_and_in_chinese():
    entries = rows(glossary()[0])
    assert len(entries) >= 80
    heads = [row[0] for row in entries]
    assert len(heads) == len(set(heads))
    for word, meaning, chinese in entries:
        assert meaning, word
        assert chinese == "—" or re.match(r"^[\w ]+$", chinese) or _CHINESE.search(chinese), word


def test_that_each_table_of_the_glossary_is_in_the_order_of_the_alphabet():
    for section in (section for part in glossary() for section in part.split("\n## ")):
        heads = [re.split(r"[,(]", row[0].strip("`"))[0].lower() for row in rows(section)]
        assert heads == sorted(heads)


def test_that_no_word_of_the_glossary_is_one_that_is_not_used():
    unused = {word for word, is_noun in unused_words().items() if not is_noun}
    for row in rows(glossary()[0]):
        assert not unused & set(words_of(f":{row[0]}"))
