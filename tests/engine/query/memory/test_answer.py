"""The memory of a step: what is expected before the run is what a run keeps."""

import msgspec
import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from engine.diagnostics import DiagnosticError
from engine.events import MeasureMemory
from engine.graph.memory_report import MemoryReport, MemoryRow
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.memory.answer import answer, estimate
from engine.query.memory.request import EstimateMemory
from engine.runs.teacher import create_run
from engine.spec.run import Choice, DataSpec
from engine.spec.technique import AveragingSpec, DistillationSpec
from engine.train.training import build_training
from tests.tiny_run import RANDOM_LAYERS, chain, iris_graph, iris_spec, make_run, node, train


@pytest.mark.row("N12", "S294")
@pytest.mark.parametrize("optimizer", ["AdamW", "SGD", "Adafactor"])
def test_that_the_estimate_is_what_a_run_really_keeps(tmp_path, optimizer: str) -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    choice = Choice(type=optimizer, params={"lr": 0.01})
    spec = iris_spec(epochs=1, optimizer=choice)
    expected = estimate(graph, spec)
    run = make_run(tmp_path, graph, epochs=1, optimizer=choice)
    run.send(MeasureMemory())
    measured = train(run).memory
    assert measured is not None
    assert measured.step == 1
    assert measured.report == msgspec.structs.replace(expected, peak=0)
    rows = {row.place: row for row in expected.rows}
    weights = (4 * 8 + 8) * 4
    assert rows["hidden"].parameters == rows["hidden"].gradients == weights
    assert rows["act"].saved == spec.data.batch_size * 8 * 4
    assert rows["norm"].buffers > 0
    if optimizer == "AdamW":
        assert rows["hidden"].optimizer == 2 * weights + 2 * 4  # moments, and a step each
    assert expected.batch == spec.data.batch_size * 4 * 4


@pytest.mark.row("N12")
def test_that_an_average_and_a_teacher_count_as_much_as_they_take(tmp_path) -> None:
    graph, averaging = iris_graph(*RANDOM_LAYERS), AveragingSpec(kind="ema")
    taught = make_run(tmp_path, iris_graph(), epochs=1)
    train(taught)
    distillation = DistillationSpec(teacher=taught.id)
    spec = iris_spec(epochs=1, averaging=averaging, distillation=distillation)
    expected = answer(EstimateMemory(graph=graph, spec=spec, project=str(taught.project)))
    run = create_run(taught.project, graph, spec)
    run.send(MeasureMemory())
    measured = train(run).memory
    assert measured is not None
    assert measured.report == msgspec.structs.replace(expected, peak=0)
    average, teacher = (row for row in expected.rows if row.kept is not None)
    own = [row for row in expected.rows if row.kept is None]
    weights = sum(row.parameters for row in own)
    count = 8  # of averaged steps
    assert (average.kept, average.parameters) == ("average", weights)
    assert average.buffers == count + sum(row.buffers for row in own)
    assert (teacher.kept, teacher.total) == ("teacher", sum_of_weights(iris_graph()))
    plain = estimate(graph, iris_spec(epochs=1))
    assert expected.peak == plain.peak + average.total + teacher.total


def sum_of_weights(graph: Graph) -> int:
    """Return the bytes of the weights of a model."""
    return sum(weight.nbytes for weight in to_module(graph).parameters())


@pytest.mark.row("N12")
@pytest.mark.parametrize("size", [16, 4096])
@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
def test_that_the_peak_is_within_a_twentieth_of_what_pytorch_allocates(
    optimizer: str, size: int
) -> None:
    wide = [node("Linear", f"wide{index}", out_features=512) for index in range(3)]
    acts = [node("Tanh", f"tanh{index}") for index in range(3)]
    graph = chain(
        node("Input", "point", field="point", shape=(2,)),
        *[each for pair in zip(wide, acts, strict=True) for each in pair],
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    data = DataSpec(source=Choice(type="blobs", params={"samples": 4 * size}), batch_size=size)
    spec = iris_spec(data=data, optimizer=Choice(type=optimizer, params={"lr": 0.01}))
    expected = estimate(graph, spec)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        training = build_training(graph, spec, to_module(graph))
        batches = training.epoch_batches(0, 0)
        for batch in (next(batches), next(batches)):  # the state of the optimizer is there now
            training.optimizer.zero_grad()
            loss, _ = training.loss(training.model(batch["point"]), batch)
            loss.backward()
            training.optimizer.step()
    resident = sum(part.nbytes for part in training.data.parts.values())
    assert expected.peak == pytest.approx(_most_allocated(seen) - resident, rel=0.05)


def _most_allocated(seen: profile) -> int:
    events = [e for e in seen.profiler.kineto_results.events() if e.name() == "[memory]"]
    events.sort(key=lambda event: event.start_ns())
    used = most = 0
    for event in events:
        used += event.nbytes()
        most = max(most, used)
    return most


@pytest.mark.row("N12")
def test_that_the_node_is_named_at_which_a_memory_is_full() -> None:
    rows = (
        MemoryRow(place="a", parameters=10, saved=50),
        MemoryRow(place="b", parameters=10, saved=100),
        MemoryRow(place="c", saved=5),
    )
    report = MemoryReport(rows=rows, batch=5)
    assert report.total == 180
    assert report.first_too_much(180) is None
    first, second, third = rows
    assert report.first_too_much(179) is third
    assert report.first_too_much(100) is second
    assert report.first_too_much(30) is first
    assert report.first_too_much(15) is second  # whose weights come second


def test_that_an_optimizer_that_asks_for_the_loss_is_not_guessed() -> None:
    report = estimate(iris_graph(), iris_spec(optimizer=Choice(type="LBFGS")))
    assert not report.is_optimizer_known
    assert report.total > 0


@pytest.mark.row("S295")
def test_that_a_recurrent_layer_keeps_twice_as_much_for_sequences_twice_as_long() -> None:
    def saved(length: int) -> int:
        graph = chain(
            node("Input", "words", field="sequence", shape=(length,), dtype="int64"),
            node("Embedding", "vectors", num_embeddings=50, embedding_dim=8),
            node("LSTM", "lstm", hidden_size=16, batch_first=True),
            node("select", "last", dim=1, index=-1),
            node("Linear", "head", out_features=3),
            node("Output", "logits"),
        )
        random = {"kind": "sequence", "shape": (length,), "vocabulary": 50, "classes": 3}
        data = DataSpec(source=Choice(type="random", params=random))
        spec = msgspec.structs.replace(iris_spec(), data=data)
        rows = {row.place: row for row in estimate(graph, spec).rows}
        return rows["lstm"].saved

    assert saved(40) == 2 * saved(20) > 0


def test_that_a_model_that_cannot_be_made_is_told() -> None:
    spec = msgspec.structs.replace(iris_spec(), losses=())
    with pytest.raises(DiagnosticError) as found:
        estimate(iris_graph(), spec)
    assert found.value.problems[0].code == "R113"
    assert torch.get_default_device().type == "cpu"
