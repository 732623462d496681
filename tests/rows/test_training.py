"""Rows of the capability table about the training loop, its measures and its checkpoints."""

import contextlib
import os
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from engine.api import evaluate
from engine.data.load.load import load_data
from engine.data.load.order import epoch_order
from engine.events import EpochDone
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.fields import fields
from engine.spec.run import CheckpointSpec, Choice, ClipSpec
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, make_run, train

BATCH = 32


def values(run: RunFolder, name: str) -> list[float]:
    with RunStore.open(run.path) as store:
        return store.scalars(name).values.tolist()


def plain_losses(run: RunFolder) -> tuple[list[float], nn.Module]:
    """Train the same model in a loop of a few lines that any textbook has."""
    spec = run.document.spec
    torch.manual_seed(spec.seed)
    model = to_module(run.document.graph)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    loss_of = nn.CrossEntropyLoss()
    data = load_data(spec.data).tensors("train")
    count = len(data["label"])
    losses = []
    model.train()
    for epoch in range(spec.epochs):
        for places in epoch_order(count, spec.seed, epoch, shuffle=True).split(BATCH):
            optimizer.zero_grad()
            loss = loss_of(model(data["features"][places]), data["label"][places])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses, model


@pytest.mark.row("S183", "N03")
def test_that_a_run_is_the_standard_loop_to_the_last_bit(tmp_path: Path) -> None:
    run = make_run(tmp_path, iris_graph(*RANDOM_LAYERS))
    state = train(run)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        losses, model = plain_losses(run)
    finally:
        torch.set_num_threads(threads)
    assert values(run, "train.loss") == losses
    assert (state.epoch, state.step, len(losses)) == (3, 12, 12)
    saved = open_checkpoint(run, "last").model
    assert all(torch.equal(saved[name], value) for name, value in model.state_dict().items())


@pytest.mark.row("S184", "S064", "S065")
def test_that_dropout_and_normalisation_learn_in_training_and_rest_in_evaluation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, int]] = []
    forward = nn.Dropout.forward

    def noted(self: nn.Dropout, x: torch.Tensor) -> torch.Tensor:
        if not x.is_meta:
            seen.append((self.training, len(x)))
        return forward(self, x)

    monkeypatch.setattr(nn.Dropout, "forward", noted)
    run = make_run(tmp_path, epochs=2)
    train(run)
    modes = [is_training for is_training, _ in seen]
    assert modes == [True] * 4 + [False] + [True] * 4 + [False] * 2  # validation, then test
    counted = open_checkpoint(run, "last").model["norm.num_batches_tracked"]
    assert counted.item() == 8, "only the training batches move the running statistics"


@pytest.mark.row("S185", "P26")
def test_that_a_resume_goes_on_at_the_epoch_of_the_checkpoint_with_the_best_so_far(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path, epochs=2)
    train(run)
    kept = open_checkpoint(run, "last")
    assert (kept.position.epoch, kept.position.step) == (2, 8)
    assert kept.best == min(values(run, "validation.loss"))
    state = train(run, "latest", length=5)
    assert (state.status, state.epoch, state.step) == (RunStatus.FINISHED, 5, 20)
    with RunStore.open(run.path) as store:
        done = [item.event for item in store.events() if isinstance(item.event, EpochDone)]
    assert [event.epoch for event in done] == [1, 2, 3, 4, 5]
    whole = make_run(tmp_path, epochs=5)
    train(whole)
    assert curves(run)["train.loss"] == curves(whole)["train.loss"]


@pytest.mark.row("S186", "P26")
@pytest.mark.parametrize(
    ("monitor", "mode", "pick"),
    [("validation.loss", "min", min), ("validation.accuracy", "max", max)],
)
def test_that_the_best_by_loss_or_accuracy_is_kept(
    tmp_path: Path, monitor: str, mode: str, pick
) -> None:
    policy = CheckpointSpec(monitor=monitor, mode=mode)
    run = make_run(tmp_path, epochs=12, checkpoint=policy)
    train(run)
    measured = values(run, monitor)
    assert len(measured) == 12
    best = read_state(run).best
    assert best is not None
    assert best.metrics[monitor] == pick(measured)
    assert best.epoch == measured.index(pick(measured)) + 1, "the first of equals"
    again = evaluate(run.path, "best", "validation").metrics
    assert again[monitor] == pytest.approx(pick(measured))


@pytest.mark.row("S192", "P25")
@pytest.mark.parametrize("limit", [20.0, 5.0, 0.01])
def test_that_gradients_are_clipped_by_their_norm_which_is_a_curve(
    tmp_path: Path, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[float] = []
    step = torch.optim.SGD.step

    def noted(self: torch.optim.SGD) -> None:
        gradients = [p.grad for group in self.param_groups for p in group["params"]]
        moved.append(torch.cat([g.flatten() for g in gradients]).norm().item())
        step(self)

    monkeypatch.setattr(torch.optim.SGD, "step", noted)
    run = make_run(
        tmp_path,
        optimizer=Choice(type="SGD"),
        clip=ClipSpec(kind="norm", limit=limit),
        epochs=1,
        metrics=(),
    )
    train(run)
    norms = values(run, "train.grad_norm")
    assert moved == pytest.approx([min(norm, limit) for norm in norms], rel=1e-3)
    assert {"clip.kind", "clip.limit"} <= fields(run.document.spec).keys()


@pytest.mark.row("S206", "S207")
def test_that_test_loss_and_accuracy_are_those_of_a_plain_evaluation(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    state = train(run)
    model = to_module(run.document.graph)
    model.load_state_dict(open_checkpoint(run, "last").model)
    data = load_data(run.document.spec.data).tensors("test")
    model.eval()
    with torch.no_grad():
        scores = model(data["features"])
        correct = (torch.max(scores, 1).indices == data["label"]).sum().item()
        loss = nn.functional.cross_entropy(scores, data["label"]).item()
    assert not scores.requires_grad
    assert state.metrics["test.accuracy"] == pytest.approx(correct / len(scores))
    assert state.metrics["test.loss"] == pytest.approx(loss, rel=1e-5)


@pytest.mark.row("S208")
def test_that_the_loss_of_every_step_is_there_to_be_smoothed(tmp_path: Path) -> None:
    run = make_run(tmp_path, epochs=10)
    state = train(run)
    losses = np.array(values(run, "train.loss"))
    assert len(losses) == state.step == 40
    count = len(load_data(run.document.spec.data).tensors("train")["label"])
    sizes = [BATCH] * (count // BATCH) + [count % BATCH]
    with RunStore.open(run.path) as store:
        told = [
            item.event.metrics["train.loss"]
            for item in store.events()
            if isinstance(item.event, EpochDone)
        ]
    expected = [float(np.average(part, weights=sizes)) for part in losses.reshape(10, 4)]
    assert told == pytest.approx(expected)


@pytest.mark.row("S301", "N25", "S188")
@pytest.mark.parametrize("is_deterministic", [True, False])
def test_that_two_runs_of_a_seed_are_the_same_curve_and_another_seed_is_another(
    tmp_path: Path, *, is_deterministic: bool
) -> None:
    runs = [make_run(tmp_path, seed=seed, deterministic=is_deterministic) for seed in (5, 5, 6)]
    for run in runs:
        train(run)
    first, second, other = (curves(run) for run in runs)
    assert first == second
    assert first["train.loss"] != other["train.loss"]
    assert {"seed", "deterministic", "threads"} <= fields(runs[0].document.spec).keys()


@pytest.mark.row("S301")
def test_that_seeds_and_flags_are_set_for_a_run_and_put_back_after_it() -> None:
    import random

    from engine.train.devices import run_settings
    from tests.tiny_run import iris_spec

    before = (torch.get_rng_state(), random.getstate(), np.random.get_state()[2])
    drawn = []
    for _ in range(2):
        with run_settings(iris_spec(seed=11)):
            assert torch.are_deterministic_algorithms_enabled()
            drawn.append((torch.rand(1).item(), random.random(), float(np.random.rand())))
    assert drawn[0] == drawn[1]
    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert np.random.get_state()[2] == before[2]


@pytest.mark.row("S301")
def test_that_only_a_deterministic_run_has_cublas_compute_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from engine.train.devices import run_settings
    from tests.tiny_run import iris_spec

    name = "CUBLAS_WORKSPACE_CONFIG"
    monkeypatch.delenv(name, raising=False)
    with run_settings(iris_spec(deterministic=False)):
        assert name not in os.environ
    with run_settings(iris_spec(deterministic=True)):
        assert os.environ[name] in {":4096:8", ":16:8"}  # those that PyTorch takes
    assert name not in os.environ
    monkeypatch.setenv(name, ":16:8")
    with run_settings(iris_spec(deterministic=True)):
        assert os.environ[name] == ":16:8"
    assert os.environ[name] == ":16:8"


@pytest.mark.row("S301")
def test_that_of_overlapping_settings_the_last_to_end_puts_back_what_was_before_the_first() -> None:
    from engine.train.devices import run_settings
    from tests.tiny_run import iris_spec

    before, threads = torch.get_rng_state(), torch.get_num_threads()
    with contextlib.ExitStack() as second:
        with run_settings(iris_spec(deterministic=True)):
            second.enter_context(run_settings(iris_spec(deterministic=False, threads=threads + 1)))
        assert not torch.are_deterministic_algorithms_enabled()
        assert torch.get_num_threads() == threads + 1
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.row("S228", "S229", "S230", "S231", "P26")
def test_that_a_checkpoint_holds_what_a_resume_needs_and_loads_as_weights_only(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path)
    train(run)
    info = read_state(run).last
    assert info is not None
    content = torch.load(run.checkpoints / info.file, weights_only=True)
    assert {
        "model",
        "optimizer",
        "scheduler",
        "random",
        "position",
        "history",
        "graph",
        "spec",
    } <= (content.keys())
    model = to_module(run.document.graph)
    expected = model.state_dict()
    assert list(content["model"]) == list(expected)
    assert {"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"} <= expected.keys()
    assert not any(name.startswith(("act", "drop")) for name in expected)
    assert {name: tuple(v.shape) for name, v in content["model"].items()} == {
        name: tuple(v.shape) for name, v in expected.items()
    }
    model.load_state_dict(content["model"])
    file = tmp_path / "weights.pth"
    torch.save(model.state_dict(), file)
    again = to_module(run.document.graph)
    again.load_state_dict(torch.load(file, weights_only=True))
    value = torch.ones(2, 4)
    assert torch.equal(model.eval()(value), again.eval()(value))


@pytest.mark.row("S231")
def test_that_adam_makes_a_checkpoint_about_three_times_its_model(tmp_path: Path) -> None:
    from engine.export.load import contents
    from tests.tiny_run import chain, node

    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "wide", out_features=400),
        node("Linear", "hidden", out_features=200),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    ratios = []
    for optimizer in ("SGD", "Momentum", "Adam"):
        choice = Choice(type="SGD", params={"momentum": 0.9}) if optimizer == "Momentum" else None
        run = make_run(tmp_path, graph, optimizer=choice or Choice(type=optimizer), epochs=1)
        train(run)
        info = read_state(run).last
        assert info is not None
        found = contents(run.checkpoints / info.file)
        ratios.append(
            (found.sections["model"] + found.sections.get("optimizer", 0)) / found.sections["model"]
        )
    assert ratios == pytest.approx([1, 2, 3], abs=0.01)


@pytest.mark.row("S230", "S326")
def test_that_a_whole_model_file_is_refused_in_words(tmp_path: Path) -> None:
    from engine.api import read_checkpoint
    from engine.diagnostics import DiagnosticError, sentence

    file = tmp_path / "model.pth"
    torch.save(to_module(iris_graph()), file)
    with pytest.raises(DiagnosticError) as error:
        read_checkpoint(file)
    assert re.search("code", sentence(error.value.problems[0]))
