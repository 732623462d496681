"""Texts that a model writes of its own, and how they are measured."""

import pytest
import torch
from msgspec.structs import replace

from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec
from engine.spec.series import monitored_series
from engine.spec.validate import validate
from engine.train.metrics import EpochMeter, merged_states
from engine.train.part_evaluation import evaluate_part
from engine.train.written_text import words_of, written_texts
from tests.exported_kinds import KINDS, proposed
from tests.tiny_run import train

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def captioned(tmp_path_factory):
    """Return a run that learns to write captions, measured by BLEU."""
    folder = tmp_path_factory.mktemp("captions")
    (folder / "data").mkdir()
    graph, spec = proposed(KINDS["captions"], folder / "data")
    spec = replace(spec, metrics=("bleu",), epochs=3, checkpoint=replace(spec.checkpoint))
    run = RunFolder.create(folder / "project", graph, spec)
    train(run)
    return run


@pytest.mark.row("S212")
def test_that_bleu_is_that_of_the_texts_that_the_model_writes(captioned):
    from torchmetrics.text import BLEUScore

    with open_trained(captioned, "last").in_use() as training:
        found = evaluate_part(training, "validation")
        score, words = BLEUScore(), training.data.info.field("target").classes
        for batch in training.part_batches("validation"):
            written = [text.removesuffix(" <end>") for text in written_texts(training, batch)]
            rows = [[words[number] for number in row] for row in batch["target"].tolist()]
            true = [" ".join(word for word in row if word[0] != "<") for row in rows]
            assert "a square lies" in " ".join(true)
            score.update([text.replace(",", " ,") for text in written], [[text] for text in true])
    assert found["bleu"] == pytest.approx(float(score.compute()), abs=1e-6)


def test_that_bleu_is_recorded_for_validation_and_not_for_steps_of_training(captioned):
    store = RunStore.find(captioned.path)
    try:
        names = store.series_names()
    finally:
        store.close()
    assert "validation.bleu" in names
    assert "train.bleu" not in names


def test_that_two_ranks_measure_what_one_does(captioned):
    with open_trained(captioned, "last").in_use() as training:
        whole, *halves = (
            EpochMeter(("bleu",), training.comparison, CPU, code={}) for _ in range(3)
        )
        texts = [f"a square lies on the {side} side".split() for side in ("left", "right")]
        whole.observe_texts(texts, texts[::-1])
        for half, one, other in zip(halves, texts, texts[::-1], strict=True):
            half.observe_texts([one], [other])
        whole_of_two = EpochMeter(("bleu",), training.comparison, CPU)
        whole_of_two.load_state_dict(merged_states([half.state_dict() for half in halves]))
        assert whole_of_two.compute() == whole.compute()
        assert 0 < whole.compute()["bleu"] < 1


def test_that_words_are_those_between_spaces_and_each_chinese_character(captioned):
    with open_trained(captioned, "last").in_use() as training:
        field = training.data.info.field("target")
        assert field is not None
        names = ("<padding>", "<unknown>", "don't", "stop", ",", "\u7ea2\u8272", "<end>", "go")
        other = replace(field, name="other", classes=names)
        words = words_of(training, other, torch.arange(2, len(names)))
        unknown, *rest = words_of(training, other, torch.tensor([1, 3, 1, 3]))
    assert words == ["don", "'", "t", "stop", ",", "\u7ea2", "\u8272"]
    assert rest == ["stop", unknown, "stop"]


def test_that_bleu_needs_a_text_that_the_model_writes(captioned):
    spec = captioned.document.spec
    with open_trained(captioned, "last").in_use() as training:
        info = training.data.info
    assert "validation.bleu" in monitored_series(spec, info)
    assert "train.bleu" not in monitored_series(spec, info)
    assert not problems(spec, info)
    fields = tuple(replace(field, start=None) for field in info.fields)
    assert problems(spec, replace(info, fields=fields)) == {"R047"}


def problems(spec: RunSpec, info: DataInfo) -> set[str]:
    graph = Graph()
    source = replace(spec.data.source, params={**spec.data.source.params, "size": (16, 16)})
    spec = replace(spec, data=replace(spec.data, source=source))
    found = validate(spec, graph, analyse(graph), info)
    return {each.code for each in found if each.field == "metrics"}
