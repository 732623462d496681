"""Quantization-aware training: what a plain script computes, to the bit, and what it evaluates."""

import copy
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.api import check, evaluate
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, RunSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec, QuantizationSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.loop import train_epoch
from engine.train.technique.fake_quantization import FakeQuantization, quantized_layers
from engine.train.training import Training, build_training
from tests.engine.train.ranks import test_world
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec, make_run, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
EIGHT = QuantizationSpec(bits=8)
LATE = QuantizationSpec(bits=4, start=1, freeze=2, rate=0.3)
RATE = 0.01


def graph_of() -> Graph:
    return iris_graph(*RANDOM_LAYERS)


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(graph_of(), spec, to_module(graph_of()))


def trained(spec: RunSpec) -> Training:
    training = new_training(spec)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        list(train_epoch(training, epoch, 0, training.new_meter()))
    return training


class Rounded(nn.Linear):
    """A linear layer as a script would have it that knows nothing of the program."""

    bits, rate, is_on, is_measuring, low, high, seen = 8, 0.01, True, True, None, None, None

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            seen = torch.stack([x.detach().min().clamp(max=0), x.detach().max().clamp(min=0)])
            self.seen = seen if self.seen is None else torch.stack(
                [torch.minimum(seen[0], self.seen[0]), torch.maximum(seen[1], self.seen[1])]
            )  # fmt: skip
        if not self.is_on:
            return functional.linear(x, self.weight, self.bias)
        if self.low is not None:
            scale = (self.high - self.low) / 255
            zero = torch.round(-self.low / scale).int()
            x = torch.fake_quantize_per_tensor_affine(x, scale, zero, 0, 255)
        most = 2 ** (self.bits - 1) - 1
        scale, zero = self.weight.detach().abs().amax(1) / most, torch.zeros(len(self.weight)).int()
        weight = torch.fake_quantize_per_channel_affine(self.weight, scale, zero, 0, -most, most)
        return functional.linear(x, weight, self.bias)

    def update(self) -> None:
        seen, self.seen = self.seen, None
        if not self.is_measuring:
            return
        self.low = seen[0] if self.low is None else torch.lerp(self.low, seen[0], self.rate)
        self.high = seen[1] if self.high is None else torch.lerp(self.high, seen[1], self.rate)


def plain(spec: RunSpec) -> nn.Module:
    """Train as a script would."""
    chosen, together = spec.quantization, spec.accumulation.batches
    batches = new_training(iris_spec(optimizer=SGD))
    model = copy.deepcopy(batches.model).train()
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    for layer in layers:
        layer.__class__, layer.bits, layer.rate = Rounded, chosen.bits, chosen.rate
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        for layer in layers:
            layer.is_on = epoch >= chosen.start
            layer.is_measuring = not chosen.freeze or epoch < chosen.freeze
        read = list(batches.epoch_batches(epoch, 0))
        for at in range(0, len(read), together):
            group = read[at : at + together]
            optimizer.zero_grad()
            for batch in group:
                loss = functional.cross_entropy(model(batch["features"]), batch["label"])
                share = len(batch["label"]) / sum(len(each["label"]) for each in group)
                (loss if together == 1 else loss * share).backward()
            optimizer.step()
            for layer in layers:
                layer.update()
    return model


def same(left: nn.Module, right: nn.Module) -> bool:
    others: dict[str, Tensor] = right.state_dict()
    return all(torch.equal(value, others[name]) for name, value in left.state_dict().items())


@pytest.mark.row("P25")
@pytest.mark.parametrize(
    ("chosen", "together"), [(EIGHT, 1), (LATE, 1), (EIGHT, 2)], ids=["eight", "late", "together"]
)
def test_that_the_weights_are_those_of_a_plain_script(
    chosen: QuantizationSpec, together: int
) -> None:
    accumulation = AccumulationSpec(batches=together)
    spec = iris_spec(optimizer=SGD, quantization=chosen, accumulation=accumulation, epochs=3)
    training, script = trained(spec), plain(spec)
    assert same(training.model, script)
    without = iris_spec(optimizer=SGD, accumulation=accumulation, epochs=3)
    assert not same(training.model, trained(without).model)
    (batch,) = training.part_batches("validation")
    with torch.no_grad():
        own, other = (each.eval()(batch["features"]) for each in (training.model, script))
    assert torch.equal(own, other)


def test_that_inputs_stay_exact_where_only_weights_are_rounded() -> None:
    training = trained(iris_spec(quantization=QuantizationSpec(bits=4, activations=False)))
    layer = training.model.get_submodule("hidden")
    weight = layer(torch.eye(4)) - layer(torch.zeros(4))
    for row in weight.T:
        steps = row / (row.abs().max() / 7)
        assert torch.allclose(steps, steps.round(), atol=1e-3)
    assert training.techniques["quantization"].state_dict()["ranges"] == {}


def test_that_named_layers_and_those_inside_of_fused_ones_stay_exact() -> None:
    model = nn.ModuleDict(
        {
            "stem": nn.Conv2d(1, 2, 3),
            "body": nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)),
            "encoder": nn.TransformerEncoderLayer(4, 2, 8),
            "head": nn.Linear(2, 2),
        }
    )
    assert list(quantized_layers(model)) == ["stem", "body.0", "body.1", "head"]
    assert list(quantized_layers(model, ("head", "*.1"))) == ["stem", "body.0"]
    assert list(quantized_layers(model, ("body",))) == ["stem", "head"]


def test_that_a_pass_that_is_computed_again_moves_no_range() -> None:
    """As activation checkpointing does in the backward pass."""
    model = nn.Sequential(nn.Linear(3, 3))
    once, twice = (FakeQuantization(copy.deepcopy(model)) for _ in range(2))
    for quantization, passes in ((once, 1), (twice, 2)):
        (layer,) = quantization.layers.values()
        for scale in (1.0, 5.0, 2.0):
            for _ in range(passes):
                layer(torch.linspace(-1, 2, 12).reshape(4, 3) * scale)
            quantization.update()
    assert once.state_dict() == twice.state_dict()
    low, high = once.state_dict()["ranges"]["0"]
    assert -5 < low < -1
    assert 2 < high < 10


def test_that_what_a_skipped_step_saw_is_forgotten() -> None:
    quantization = FakeQuantization(nn.Sequential(nn.Linear(2, 2)))
    (layer,) = quantization.layers.values()
    layer(torch.full((1, 2), torch.inf))
    quantization.forget()
    layer(torch.ones(1, 2))
    quantization.update()
    assert quantization.state_dict()["ranges"] == {"0": (0.0, 1.0)}
    layer(torch.full((1, 2), torch.inf))
    quantization.update()  # what is infinite is no range
    assert quantization.state_dict()["ranges"]["0"][1] == 1.0


@pytest.mark.parametrize("averaging", [AveragingSpec(), AveragingSpec(kind="ema", decay=0.5)])
def test_that_a_stopped_run_ends_where_an_unbroken_one_does(
    tmp_path: Path, averaging: AveragingSpec
) -> None:
    changes = {"optimizer": SGD, "quantization": LATE, "epochs": 4, "averaging": averaging}
    unbroken, broken = (make_run(tmp_path, graph_of(), **changes) for _ in range(2))
    state = train(unbroken)
    assert state.status is RunStatus.FINISHED, state.problem
    stop_at(broken, 6)  # in the middle of the second epoch, of which the ranges are the last
    assert train(broken, "latest").status is RunStatus.FINISHED
    assert_same_run(broken, unbroken)
    assert evaluate(unbroken.path, "last").metrics["test.loss"] == state.metrics["test.loss"]
    names = set(to_module(graph_of()).state_dict())
    assert set(open_checkpoint(unbroken, "last").model) == names


def test_that_what_cannot_be_is_told_at_its_field() -> None:
    def problems(**changes: object) -> list[tuple[str, str]]:
        chosen = QuantizationSpec(**{"bits": 8, **changes})
        found = check(iris_graph(), iris_spec(quantization=chosen)).problems
        return [(one.code, one.field) for one in found]

    assert problems() == []
    assert problems(bits=1) == [("R563", "quantization.bits")]
    assert problems(skip="head, nothing") == [("R565", "quantization.skip")]
    assert problems(start=100) == [("R566", "quantization.start")]
    sharded = check(iris_graph(), iris_spec(quantization=EIGHT, mode="fsdp")).problems
    assert ("R564", "quantization.bits") in [(one.code, one.field) for one in sharded]
    with pytest.raises(DiagnosticError) as caught:
        new_training(iris_spec(quantization=QuantizationSpec(bits=8, skip="*")))
    assert caught.value.problems[0].code == "R562"


def test_that_a_checkpoint_with_ranges_of_something_else_is_refused() -> None:
    technique = new_training(iris_spec(quantization=EIGHT)).techniques["quantization"]
    for ranges in ({"hidden": (1.0,)}, {"hidden": (float("nan"), 1.0)}, ["hidden"]):
        with pytest.raises(ValueError, match=r"hidden|nan"):
            technique.load_state_dict({"ranges": ranges, "is_on": True, "is_observing": True})


@pytest.mark.real
@pytest.mark.timeout(600)
@pytest.mark.parametrize("more", [{}, {"mode": "ddp", "accumulation": AccumulationSpec(batches=2)}])
def test_that_two_processes_have_the_weights_and_ranges_of_one(
    tmp_path: Path, more: dict[str, object]
) -> None:
    changes = {"optimizer": SGD, "quantization": LATE, "epochs": 4} | more
    one, two = (make_run(tmp_path / name, iris_graph(), **changes) for name in ("one", "two"))
    assert train(one).status is RunStatus.FINISHED
    assert test_world.begin(two).wait(300) == 0, two.log_path.read_text()
    torch.testing.assert_close(test_world.curve(two), test_world.curve(one), rtol=1e-6, atol=1e-6)
    found, wanted = (open_checkpoint(run, "last") for run in (two, one))
    for name, value in wanted.model.items():
        torch.testing.assert_close(found.model[name], value, rtol=1e-6, atol=1e-6)
    ranges = [each.techniques["quantization"]["ranges"] for each in (found, wanted)]
    assert ranges[0].keys() == {"hidden", "head"}
    for name, range_ in ranges[1].items():
        assert ranges[0][name] == pytest.approx(range_, rel=1e-6)
