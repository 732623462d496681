"""A text that a model writes: how a token is chosen, and that the same question is one text."""

from collections import Counter

import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.generation.answer import chosen_token
from engine.query.generation.request import Generate, GenerationStep, Sampling
from engine.query.results.request import DescribeModel, Predict
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.spec.vocabulary import MARKS
from tests.tiny_run import chain, make_run, node, train

LENGTH = 4
LETTERS = "abcdefgh"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run of a model that has learned that letters follow in the order of the alphabet."""
    root = tmp_path_factory.mktemp("project")
    (root / "text.txt").write_text(LETTERS * 60, encoding="utf-8")
    params = {"path": str(root / "text.txt"), "length": LENGTH}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=8)
    words = load_data(data).info.fields[0].words
    graph = chain(
        node("Input", "text", field="text", shape=(LENGTH,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=len(words), embedding_dim=16),
        node("Linear", "head", out_features=len(words)),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    )
    term = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.logits", "target": "data.target"},
    )
    optimizer = Choice(type="Adam", params={"lr": 0.05})
    folder = make_run(root, graph, data=data, losses=(term,), epochs=6, optimizer=optimizer)
    assert train(folder).problem is None
    return folder


def question(run: RunFolder, text: str, **sampling: object) -> Generate:
    chosen = replace(Sampling(tokens=30), **sampling)
    return Generate(run_folder=str(run.path), texts={"text": text}, sampling=chosen, seconds=600.0)


def write(run: RunFolder, text: str, **sampling: object) -> GenerationStep:
    return ask(question(run, text, **sampling))


@pytest.mark.row("P19")
def test_that_the_likeliest_tokens_go_on_from_the_end_of_a_text_that_is_longer_than_the_input(run):
    step = write(run, "abcdefghabcde", temperature=0.0, tokens=11)
    assert step.text == "fghabcdefgh"
    assert (step.before, step.is_done, len(step.written)) == ("abcdefghabcde", True, 11)


def test_that_a_text_asked_for_in_steps_is_the_one_written_at_once(run):
    whole = write(run, "ab", temperature=3.0, seed=5)
    asked = replace(question(run, "ab", temperature=3.0, seed=5), seconds=0.0)
    steps = [ask(asked)]
    while not steps[-1].is_done:
        steps.append(ask(replace(asked, written=steps[-1].written)))
    assert len(steps) == 30, "a token a step where there is no time"
    assert steps[-1].written == whole.written
    assert write(run, "ab", temperature=3.0, seed=5) == whole
    assert write(run, "ab", temperature=3.0, seed=6).written != whole.written


def test_that_it_ends_before_the_text_to_stop_at(run):
    step = write(run, "a", temperature=0.0, stop="ef")
    assert (step.text, step.is_done) == ("bcd", True)


def test_that_a_beam_search_asked_for_in_steps_is_the_one_made_at_once(run):
    whole = write(run, "ab", beams=3, tokens=6)
    assert whole.text == "cdefgh"
    assert len(whole.beams) == 3
    assert whole.beams[0].text == whole.text
    asked = replace(question(run, "ab", beams=3, tokens=6), seconds=0.0)
    steps = [ask(asked)]
    while not steps[-1].is_done:
        steps.append(ask(replace(asked, written=steps[-1].written, beams=steps[-1].beams)))
    assert len(steps) > 1
    assert steps[-1] == whole


def test_that_no_mark_is_written_whatever_is_drawn(run):
    written = write(run, "a", temperature=10.0, tokens=300).text
    assert set(written) <= set(LETTERS)
    assert not any(mark in written for mark in MARKS)


def test_that_what_cannot_be_continued_is_told(run):
    with pytest.raises(DiagnosticError) as told:
        write(run, "")
    assert told.value.problems[0].code == "P070"


def test_that_a_model_of_other_data_is_told_to_write_no_text(tmp_path):
    flowers = make_run(tmp_path, epochs=1)
    train(flowers)
    with pytest.raises(DiagnosticError) as told:
        ask(Generate(run_folder=str(flowers.path)))
    assert told.value.problems[0].code == "P069"


def test_that_the_playground_says_at_once_what_greedy_generation_writes(run):
    text = "abc"
    answer = ask(
        Predict(run_folder=str(run.path), checkpoint="best", values={}, texts={"text": text})
    )
    greedy = write(run, text, temperature=0.0, tokens=20).text
    assert answer.continued.startswith(greedy)


def test_that_the_answer_to_a_long_text_goes_on_from_its_end(run):
    described = ask(DescribeModel(run_folder=str(run.path), checkpoint="best"))
    assert described.continues == "text"
    given = {"text": "abcdefghabc"}
    answer = ask(Predict(run_folder=str(run.path), checkpoint="best", values={}, texts=given))
    assert answer.continued.startswith("defgh")


SCORES = torch.tensor([0.0, 3.0, 1.0, 2.0])


def drawn(sampling: Sampling, count: int = 4000) -> Counter[int]:
    return Counter(chosen_token(SCORES, sampling, at) for at in range(count))


def test_that_tokens_are_drawn_by_the_softmax_of_scores_by_temperature():
    counts = drawn(Sampling(temperature=2.0))
    expected = (SCORES / 2).softmax(dim=0).tolist()
    assert [counts[at] / 4000 for at in range(4)] == pytest.approx(expected, abs=0.03)


def test_that_top_k_leaves_only_the_likeliest_and_temperature_0_only_one():
    assert set(drawn(Sampling(temperature=5.0, top_k=2))) == {1, 3}
    assert set(drawn(Sampling(temperature=5.0, top_k=100))) == {0, 1, 2, 3}
    assert set(drawn(Sampling(temperature=0.0))) == {1}
    assert set(drawn(Sampling(temperature=1e-9), 10)) == {1}
