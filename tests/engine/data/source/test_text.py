"""Sentences as data: numbers by the words of the training part, labels, noise."""

from collections import Counter

import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.data.preview import describe, preview, preview_at
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.vocabulary import UNKNOWN, Vocabulary, words_of

SPEC = DataSpec(source=Choice(type="sentences", params={"samples": 200, "length": 9}))


@pytest.mark.row("P19")
def test_that_the_vocabulary_is_of_words_that_the_training_part_has_at_least_twice():
    data = load_data(SPEC)
    field = data.source.fields[0]
    trained = [field.texts[place] for place in data.indices["train"].tolist()]
    counts = Counter(word for text in trained for word in words_of(text))
    assert set(field.info.words[2:]) == {word for word, count in counts.items() if count > 1}
    assert data.info.field("sentence") == field.info
    assert (field.info.lowest, field.info.highest) == (0, len(field.info.words) - 1)
    vocabulary = Vocabulary(field.info.words)
    for part, places in data.indices.items():
        read = [vocabulary.encode(field.texts[place], 9) for place in places.tolist()]
        assert data.tensors(part)["sentence"].tolist() == [list(numbers) for numbers in read]
    assert int((data.tensors("train")["sentence"] == UNKNOWN).sum()) > 0  # it is learned, too


def test_that_another_split_has_another_vocabulary_and_what_is_described_is_what_is_loaded():
    words = [
        describe(replace(SPEC, split=SplitSpec(seed=seed))).fields[0].words for seed in (0, 0, 1)
    ]
    assert words[0] == words[1] != words[2]
    assert describe(SPEC) == load_data(SPEC).info
    wrong = describe(replace(SPEC, split=SplitSpec(train=2.0)))
    assert wrong.splits == ()
    assert wrong.fields[0].words


def test_that_samples_are_shown_with_their_sentences():
    data = load_data(SPEC)
    shown = preview(data, "validation", 0, 3).samples
    assert shown == preview_at(SPEC, [sample.index for sample in shown]).samples
    sentence = shown[0].texts["sentence"]
    assert sentence[0].isupper()
    assert sentence.endswith(".")
    numbers = Vocabulary(data.source.fields[0].info.words).encode(sentence, 9)
    assert shown[0].values["sentence"] == numbers


def test_that_sentences_are_alike_only_where_their_texts_are():
    field = load_data(SPEC).source.fields[0]
    keys = load_data(SPEC).source.keys(range(200))
    assert len(set(keys)) == len(set(field.texts))
    assert len(set(keys)) > len(torch.unique(field.values, dim=0))  # rare numbers are unknown


def test_that_noise_gives_that_share_of_sentences_the_label_of_another_topic():
    def labels(noise: float) -> torch.Tensor:
        params = {"samples": 2000, "classes": 6, "noise": noise}
        return (
            load_data(DataSpec(source=Choice(type="sentences", params=params)))
            .source.fields[1]
            .values
        )

    right = labels(0.0)
    assert torch.equal(right, torch.arange(2000) % 6)
    assert 0.25 < float((labels(0.3) != right).float().mean()) < 0.35
    assert bool((labels(1.0) != right).all())


def test_that_two_topics_are_a_task_of_two_classes():
    params = {"samples": 20, "classes": 2}
    info = load_data(DataSpec(source=Choice(type="sentences", params=params))).info
    assert info.task == "binary"
    assert [field.name for field in info.fields] == ["sentence", "label", "target"]
