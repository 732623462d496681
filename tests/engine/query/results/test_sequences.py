"""Results of models that predict a token for each position, beside what is counted by hand."""

import json
import math
from collections import Counter

import pytest
import torch
from msgspec.structs import replace

from engine.api import evaluate, predict
from engine.data.load.load import load_data
from engine.query.ask import ask, write_predictions
from engine.query.data.request import ProposeData
from engine.query.predicting.request import PredictFile
from engine.query.results.request import DescribeModel, Examine, PredictSequences
from engine.query.results.sample_predictions import SamplePredictions
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.browse import LOSS
from engine.spec.proposal import Answers
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.spec.vocabulary import BYTES, joined
from tests.tiny_run import chain, make_run, node, train

LENGTH = 6
FIRST = (("the", "le"), ("my", "mon"), ("your", "ton"))
SECOND = (("cat", "chat"), ("dog", "chien"), ("book", "livre"))
LINES = ("the cat sat on the mat", "a dog", "birds fly over the sea", "on the hill a dog")


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a short run of a model that says the next word of a text."""
    root = tmp_path_factory.mktemp("project")
    (root / "text.txt").write_text("\n".join(LINES * 8), encoding="utf-8")
    params = {"path": str(root / "text.txt"), "task": "next", "tokens": "words", "length": LENGTH}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=5)
    words = load_data(data).info.fields[0].words
    graph = chain(
        node("Input", "text", field="text", shape=(LENGTH,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=len(words), embedding_dim=8),
        node("Linear", "head", out_features=len(words)),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    )
    loss = Choice(type="CrossEntropyLoss", params={"ignore_index": words.index("the")})
    term = LossTerm(loss=loss, inputs={"input": "model.logits", "target": "data.target"})
    folder = make_run(root, graph, data=data, losses=(term,), epochs=4)
    state = train(folder)
    assert state.problem is None
    return folder


@pytest.fixture(scope="module")
def scored(run):
    """Return scores, targets and vocabulary of the test part."""
    trained = open_trained(run, "best")
    with trained.in_use() as training:
        batches = list(training.part_batches("test"))
        outputs = [training.model(batch["text"]) for batch in batches]
    targets = torch.cat([batch["target"] for batch in batches])
    words = training.data.info.field("target").classes
    return torch.cat(outputs), targets, words


def test_that_right_tokens_and_perplexity_are_those_counted_by_hand(run, scored):
    scores, targets, words = scored
    report = ask(Examine(run_folder=str(run.path), seconds=600.0)).report
    kept = targets != words.index("the")
    hits = (scores.argmax(dim=1) == targets) & kept
    costs = -scores.log_softmax(dim=1).gather(1, targets.unsqueeze(1)).squeeze(1)
    assert report.metrics == pytest.approx(
        {
            "accuracy": float(hits.sum() / kept.sum()),
            "perplexity": math.exp(float(costs[kept].mean())),
        },
        rel=1e-5,
    )
    assert report.hits == pytest.approx((hits.sum(1) / kept.sum(1)).tolist(), nan_ok=True)
    assert report.positions == pytest.approx((hits.sum(0) / kept.sum(0)).tolist(), nan_ok=True)
    by_sample = [float(costs[row][kept[row]].mean()) for row in range(len(targets))]
    assert report.losses == pytest.approx(by_sample, rel=1e-5, nan_ok=True)
    assert (report.matrix, report.targets, report.classes) == ((), (), ())
    found = evaluate(run.path, "best", split="test")
    assert found.metrics["test.accuracy"] == pytest.approx(report.metrics["accuracy"])


@pytest.mark.row("S210")
def test_that_samples_are_told_as_text(run, scored):
    scores, targets, words = scored
    request = PredictSequences(
        run_folder=str(run.path), checkpoint="best", split="test", numbers=(2, 0, 10_000)
    )
    found = ask(request)
    assert [sample.number for sample in found.samples] == [2, 0]
    for sample in found.samples:
        kept = [word for word in (words[at] for at in targets[sample.number]) if word != "the"]
        assert sample.truth.split() == kept
        assert len(sample.prediction.split()) == len(kept)
        chosen = scores[sample.number].argmax(dim=0)[targets[sample.number] != words.index("the")]
        assert sample.prediction.split() == [words[at] for at in chosen]
        assert len(sample.text.split()) == LENGTH


@pytest.mark.parametrize(
    ("tokens", "unit", "text"),
    [
        (("a", "b"), "words", "a b"),
        (("a", " ", "<unk>"), "characters", "a <unk>"),
        (tuple(BYTES[byte] for byte in "é 文!".encode()), "bytes", "é 文!"),
        ((BYTES[0xC3], "<pad>"), "bytes", "\ufffd<pad>"),
        (("Ġthe", "Ġc", "at", "Ċ", "æĸĩ", "<pad>"), "bpe", " the cat\n文<pad>"),
        (("▁the", "▁文"), "bpe", " the 文"),
    ],
)
def test_that_tokens_are_joined_as_they_were_taken_apart(tokens, unit, text):
    assert joined(tokens, unit) == text


def test_that_the_columns_of_a_run_on_sequences_are_the_losses(run):
    trained = open_trained(run, "best")
    predictions = SamplePredictions(trained)
    assert predictions.advance(600.0)
    found = predictions.result()
    assert set(found.arrays) == {LOSS}
    assert len(found.arrays[LOSS]) == trained.training.data.source.samples


def test_that_a_text_is_continued_with_the_likeliest_tokens(run, scored):
    words = scored[2]
    answer = predict(run.path, checkpoint="best", texts={"text": "the cat sat"})
    trained = open_trained(run, "best")

    def likeliest(last: str) -> int:
        with trained.in_use() as training:
            batch = torch.zeros(1, LENGTH, dtype=torch.int64)
            batch[0, 0] = words.index(last)  # the model looks at one word alone
            scores = training.model(batch)
        return int(scores[0, :, 0].argmax())

    expected = ["sat"]
    while len(expected) < 5:
        expected.append(words[likeliest(expected[-1])])
    assert max(range(len(words)), key=answer.following.__getitem__) == words.index(expected[1])
    assert sum(answer.following) == pytest.approx(1)
    assert answer.continued.split()[:4] == expected[1:]
    assert len(answer.continued.split()) > LENGTH  # the text moves on where the window is full


@pytest.mark.row("S211")
def test_that_a_translation_is_written_from_its_source_alone(tmp_path):
    pairs = [f"{a} {b}\t{x} {y}" for a, x in FIRST for b, y in SECOND]
    rare = "the axolotl\tle axolotl"  # once: no token of its own
    lines = [*pairs * 4, rare]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    params = {"path": str(tmp_path / "pairs.tsv"), "task": "pairs", "tokens": "words", "length": 5}
    proposal = ask(ProposeData(path=params["path"], answers=Answers(source="text", params=params)))
    assert proposal.graph is not None
    folder = RunFolder.create(tmp_path, proposal.graph, replace(proposal.spec, epochs=6))
    assert train(folder).problem is None
    fields = ask(DescribeModel(run_folder=str(folder.path), checkpoint="last")).fields
    assert [field.info.name for field in fields] == ["source"]  # the rest is the model's to write
    answer = predict(folder.path, checkpoint="last", texts={"source": "the house"})
    assert 0 < len(answer.continued.split()) <= 5
    words = {word for _, word in (*FIRST, *SECOND)}
    assert set(answer.continued.split()) <= words
    rows = []
    for part in ("train", "validation", "test"):
        file = tmp_path / f"{part}.jsonl"
        request = PredictFile(
            run_folder=str(folder.path), output=str(file), checkpoint="last", part=part
        )
        write_predictions(request)
        rows += [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert Counter(row["truth"] for row in rows) == Counter(line.split("\t")[1] for line in lines)
    assert {word for row in rows for word in row["prediction"].split()} <= words


def test_that_subwords_are_told_as_the_text_that_they_were_cut_from(tmp_path):
    pytest.importorskip("tokenizers")
    text = "Élodie boit du café à Orléans. Père Noël dort. " * 30
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    params = {"path": str(tmp_path / "text.txt"), "tokens": "bpe", "vocabulary": 280, "length": 8}
    answers = Answers(source="text", params=params)
    proposal = ask(ProposeData(path=str(tmp_path / "text.txt"), answers=answers))
    assert proposal.graph is not None
    folder = RunFolder.create(tmp_path, proposal.graph, replace(proposal.spec, epochs=1))
    assert train(folder).problem is None
    request = PredictSequences(
        run_folder=str(folder.path), checkpoint="last", split="train", numbers=(0, 1, 2)
    )
    for sample in ask(request).samples:
        assert sample.truth.strip("\ufffd") in text  # perhaps half a letter at an end
    answer = predict(folder.path, checkpoint="last", texts={"text": "Père"})
    assert not {"Ġ", "␣"} & set(answer.continued)
