"""Rows of the capability table about the samples of a step and what a run is made of."""

from pathlib import Path

import pytest
import torch
from torch.nn import functional

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.fields import fields
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.tiny_run import chain, iris_graph, make_run, node, train

PAD = 0


def scalars(run: RunFolder, name: str) -> list[float]:
    with RunStore.open(run.path) as store:
        return store.scalars(name).values.tolist()


@pytest.mark.row("S203")
@pytest.mark.parametrize(("size", "steps"), [(1, 105), (32, 4), (105, 1), (1_000_000, 1)])
def test_that_an_epoch_is_stochastic_in_batches_or_of_all_samples(
    tmp_path: Path, size: int, steps: int
) -> None:
    data = DataSpec(source=Choice(type="iris"), batch_size=size)
    state = train(make_run(tmp_path, iris_graph(), data=data, epochs=1, metrics=()))
    assert state.step == state.steps_per_epoch == steps
    entry = catalog().entry(EntryGroup.SETTING, "data")
    assert entry is not None
    tooltip = next(param.help for param in entry.params if param.name == "batch_size")
    assert "stochastic" in tooltip
    assert "full batch" in tooltip


@pytest.mark.row("S197", "S198")
def test_that_pairs_of_any_length_train_one_by_one_with_the_loss_over_their_own_length(
    tmp_path: Path,
) -> None:
    words = ("a", "b c", "d e f", "a c e", "b", "f d")
    lines = "".join(f"{left}\t{right}\n" for left in words for right in words)
    (tmp_path / "pairs.tsv").write_text(lines, encoding="utf-8")
    params = {"path": str(tmp_path / "pairs.tsv"), "task": "pairs", "tokens": "words", "length": 5}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=1)
    info = load_data(data).info
    count = len(next(field for field in info.fields if field.name == "previous").words)
    graph = chain(
        node("Input", "previous", field="previous", shape=(5,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=count, embedding_dim=4),
        node("GRU", "gru", hidden_size=6, batch_first=True),
        node("Linear", "head", out_features=count),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    )
    loss = Choice(type="CrossEntropyLoss", params={"ignore_index": PAD})
    term = LossTerm(loss=loss, inputs={"input": "model.logits", "target": "data.target"})
    sgd = Choice(type="SGD", params={"lr": 0.01})
    plan: dict[str, object] = {"length": "steps", "steps": 30, "metrics": ()}
    run = make_run(tmp_path / "p", graph, data=data, losses=(term,), optimizer=sgd, **plan)
    assert train(run).step == 30
    assert scalars(run, "train.loss") == pytest.approx(by_hand(run), rel=1e-4)


def by_hand(run: RunFolder) -> list[float]:
    """Train pair by pair: the losses of the tokens of one sentence, divided by its length."""
    spec = run.document.spec
    torch.manual_seed(spec.seed)
    model = to_module(run.document.graph)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = load_data(spec.data).tensors("train")
    pairs = len(data["target"])
    order = [
        int(place)
        for epoch in range(30 // pairs + 1)
        for place in epoch_order(pairs, spec.seed, epoch, shuffle=True)
    ]
    losses, lengths = [], set()
    for place in order[:30]:
        scores = model(data["previous"][place : place + 1])[0].T
        target = data["target"][place]
        length = int((target != PAD).sum())
        total = sum(
            functional.cross_entropy(scores[at], target[at]) for at in range(5) if target[at] != PAD
        )
        optimizer.zero_grad()
        (total / length).backward()
        optimizer.step()
        losses.append((total / length).item())
        lengths.add(length)
    assert len(lengths) > 1
    return losses


@pytest.mark.row("S202")
def test_that_a_recipe_names_what_is_compiled_and_what_is_called_while_it_fits(
    tmp_path: Path,
) -> None:
    recipe = {
        "optimizer": Choice(type="SGD", params={"lr": 0.1}),
        "scheduler": Choice(type="StepLR", params={"step_size": 1}),
        "metrics": ("f1",),
    }
    run = make_run(tmp_path, iris_graph(), **recipe)
    known = fields(run.document.spec).keys()
    compiled = {"optimizer", "losses.0.loss", "scheduler", "metrics"}
    called = {"checkpoint.every_epochs", "checkpoint.monitor", "validate_every"}
    assert compiled | called | {"early_stopping.patience"} <= known
    state = train(run)
    assert {"train.loss", "validation.loss", "validation.f1", "test.f1"} <= state.metrics.keys()
    assert scalars(run, "lr") == pytest.approx([0.1, 0.01, 0.001])
    assert state.checkpoints


@pytest.mark.row("S205")
def test_that_the_weighted_parts_of_a_loss_are_curves_beside_their_sum(tmp_path: Path) -> None:
    inputs = {"input": "model.out", "target": "data.target"}
    terms = (
        LossTerm(loss=Choice(type="MSELoss"), inputs=inputs, weight=0.25),
        LossTerm(loss=Choice(type="L1Loss"), inputs=inputs, weight=2.0),
    )
    graph = chain(
        node("Input", "source", field="features", shape=(10,)),
        node("Linear", "head", out_features=1),
        node("Output", "out"),
    )
    data = DataSpec(source=Choice(type="diabetes"), normalization="standard")
    run = make_run(tmp_path, graph, data=data, losses=terms, metrics=(), epochs=1)
    assert train(run).problem is None
    squared, absolute = (scalars(run, f"train.loss.{name}") for name in ("MSELoss", "L1Loss"))
    total = scalars(run, "train.loss")
    assert len(total) == len(squared) == len(absolute) > 1
    assert total == pytest.approx([a + b for a, b in zip(squared, absolute, strict=True)])
