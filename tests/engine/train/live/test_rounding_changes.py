"""Quantization-aware training that is begun, ended and given other bits while a run goes on."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn.functional import cross_entropy

from engine.api import evaluate, export
from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runtime.certify import Certification
from engine.spec.fields import set_value
from engine.spec.live import LiveValue
from engine.spec.live_edits import edits_of_spec
from engine.spec.technique import AveragingSpec, QuantizationSpec
from engine.train.loop import train_epoch
from engine.train.training import Training
from tests.engine.export.test_teacher_text import imported
from tests.engine.runtime.test_certify import in_thread
from tests.engine.train.live.test_changes import (
    SGD,
    Changes,
    assert_equal,
    made,
    new_training,
    replaying,
)
from tests.engine.train.technique.test_quantization import Rounded
from tests.tiny_run import iris_spec, stop_at, train

NEVER = QuantizationSpec(bits=8, start=99, rate=0.3)
LIVE: Changes = [
    (3, "quantization.start", 0.0),
    (5, "quantization.bits", 4.0),
    (6, "quantization.rate", 0.5),
    (9, "quantization.freeze", 2.0),
]


def trained(training: Training, *changes: tuple[str, LiveValue]) -> nn.Module:
    """Train three epochs, with changes after the first."""
    torch.manual_seed(1)
    for epoch in range(3):
        for _ in train_epoch(training, epoch, 0, training.new_meter()):
            pass
        for change in () if epoch else changes:
            training.live.change(*change)
    return training.model


def plain(training: Training) -> nn.Module:
    """Train as a script would that begins with eight bits and goes on with four."""
    model = training.model.train()
    layers = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    for layer in layers:
        layer.__class__, layer.rate = Rounded, 0.3
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    torch.manual_seed(1)
    for epoch in range(3):
        for layer in layers:
            layer.bits = 4 if epoch else 8
        for batch in training.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            cross_entropy(model(batch["features"]), batch["label"]).backward()
            optimizer.step()
            for layer in layers:
                layer.update()
    return model


def same(left: nn.Module, right: nn.Module) -> bool:
    others = right.state_dict()
    return all(torch.equal(value, others[name]) for name, value in left.state_dict().items())


def quantized(**changes: object) -> Training:
    return new_training(optimizer=SGD, quantization=QuantizationSpec(**changes))


def test_that_rounding_that_is_begun_or_ended_is_that_of_a_run_that_does_so_by_itself() -> None:
    begun = trained(quantized(bits=4, start=1, rate=0.3))
    assert same(trained(quantized(bits=4, start=9, rate=0.3), ("quantization.start", 1.0)), begun)
    exact = trained(quantized(bits=4, start=9, rate=0.3))
    assert not same(begun, exact)
    ended = quantized(bits=4, start=0, rate=0.3)
    trained(ended, ("quantization.start", 9.0))
    (batch,) = ended.part_batches("validation")
    with torch.no_grad():
        own = ended.model.eval().hidden(batch["features"])
        weight = ended.model.hidden
        assert torch.equal(own, nn.functional.linear(batch["features"], weight.weight, weight.bias))


def test_that_other_bits_are_those_of_a_plain_script() -> None:
    script = plain(new_training(optimizer=SGD))
    assert same(trained(quantized(bits=8, rate=0.3), ("quantization.bits", 4.0)), script)
    assert not same(trained(quantized(bits=8, rate=0.3)), script)


@pytest.mark.parametrize("stop", [4, 7])
def test_that_a_replay_goes_on_exactly_and_its_certificate_says_so(
    tmp_path: Path, stop: int
) -> None:
    spec = {"quantization": NEVER, "averaging": AveragingSpec(kind="ema", decay=0.7), "epochs": 4}
    unbroken, broken = (replaying(tmp_path, LIVE, **spec) for _ in range(2))
    state = train(unbroken)
    assert (state.status, state.warnings) == (RunStatus.FINISHED, ())
    assert made(state) == LIVE
    stop_at(broken, stop)
    train(broken, "latest")
    assert_equal(broken, unbroken)
    found = Certification(broken, 5, begin=in_thread).run()
    assert found is not None
    assert found.is_equal, found.difference


@pytest.fixture(name="run", scope="module")
def _run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    run = replaying(tmp_path_factory.mktemp("bits"), LIVE, quantization=NEVER)
    assert train(run).problem is None
    return run


def test_that_exports_have_the_bits_that_the_checkpoint_was_trained_for(
    run: RunFolder, tmp_path: Path
) -> None:
    export(run.path, "int8", tmp_path / "net.safetensors", "last")
    whole = load_file(tmp_path / "net.safetensors")["hidden.weight"]
    assert whole.abs().amax(1).tolist() == [7] * 8
    export(run.path, "python-class", tmp_path / "net.py", "last")
    model = imported(tmp_path / "net.py").load_model()
    assert model.quantization.bits == 4
    (batch,) = new_training().part_batches("validation")
    measured = evaluate(run.path, "last", split="validation").metrics["validation.loss"]
    assert model.evaluate([batch])["loss"] == pytest.approx(measured, 1e-6)


def test_that_edits_reach_a_run_that_rounds_and_no_other() -> None:
    spec = iris_spec(quantization=NEVER)
    fewer = set_value(spec, "quantization.bits", 4)
    assert list(edits_of_spec(spec, fewer, spec)) == [("quantization.bits", 4.0)]
    assert list(edits_of_spec(spec, fewer, iris_spec())) == []


@pytest.mark.parametrize(
    ("bits", "value", "code"), [(8, 0.0, "R575"), (8, 1.0, "R575"), (0, 8.0, "R576")]
)
def test_that_what_cannot_be_is_refused_with_the_way_out(
    bits: int, value: float, code: str
) -> None:
    training = quantized(bits=bits)
    with pytest.raises(DiagnosticError) as error:
        training.live.change("quantization.bits", value)
    assert [problem.code for problem in error.value.problems] == [code]
    assert training.live.state_dict() == {}


def test_that_a_checkpoint_of_before_has_the_bits_of_its_recipe() -> None:
    technique = quantized(bits=3).techniques["quantization"]
    state = technique.state_dict()
    assert state.pop("bits") == 3
    technique.load_state_dict(state)
    assert technique.state_dict()["bits"] == 3
    with pytest.raises(ValueError, match="9"):
        technique.load_state_dict({**state, "bits": 9})
