"""Vocabulary of a text with the counts of its tokens, against words counted by hand."""

from collections import Counter

import pytest
from msgspec.structs import replace

from engine.data.load.load import load_split
from engine.query.data.request import ListVocabulary
from engine.query.data.vocabulary import list_vocabulary
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.vocabulary import MARKS

LINES = [f"the owl number{n % 13} sees a mouse\t{'ab'[n % 2]}" for n in range(60)]


@pytest.fixture
def data(tmp_path) -> DataSpec:
    (tmp_path / "t.tsv").write_text("\n".join(LINES))
    params = {"path": str(tmp_path / "t.tsv"), "task": "classification", "tokens": "words"}
    return DataSpec(
        source=Choice(type="text", params={**params, "length": 8}),
        split=SplitSpec(train=0.5, validation=0.25, test=0.25),
    )


def words_by_part(data):
    source, indices = load_split(data)
    return {
        part: Counter(word for at in index.tolist() for word in source.text("text", at).split())
        for part, index in indices.items()
    }


def test_that_tokens_are_counted_in_the_training_part_and_unknown_ones_in_each(data):
    words = words_by_part(data)
    report = list_vocabulary(ListVocabulary(data=data))
    counts = {each.token: each.count for each in report.tokens}
    known = {word: count for word, count in words["train"].items() if count > 1}
    assert {word: counts[word] for word in known} == known
    assert counts[MARKS[0]] == 0
    assert [each.number for each in report.tokens] == list(range(report.size))
    for part in report.parts:
        own = words[part.part]
        assert part.tokens == sum(own.values())
        assert part.unknown == sum(count for word, count in own.items() if word not in known)
        assert part.read == part.samples
    assert sum(part.unknown for part in report.parts) > 0


def test_that_tokens_are_looked_for_in_any_letters_and_only_some_are_told(data):
    report = list_vocabulary(ListVocabulary(data=data, text="NUMBER", most=3))
    assert len(report.tokens) == 3
    assert all("number" in each.token for each in report.tokens)
    assert 3 < report.found < report.size


def test_that_another_split_is_counted_anew(data):
    before = list_vocabulary(ListVocabulary(data=data)).parts
    other = replace(data, split=SplitSpec(train=0.8, validation=0.1, test=0.1))
    after = list_vocabulary(ListVocabulary(data=other)).parts
    assert [part.samples for part in before] != [part.samples for part in after]
    assert list_vocabulary(ListVocabulary(data=data)).parts == before


def test_that_data_without_texts_have_no_vocabulary():
    report = list_vocabulary(ListVocabulary(data=DataSpec(source=Choice(type="iris"))))
    assert (report.fields, report.tokens, report.size) == ((), (), 0)
