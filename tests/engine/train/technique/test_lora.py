"""Training with low-rank blocks is what a plain script does, to the bit, and touches the pairs
alone.
"""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from engine.archive.weights import read_safetensors, write_weights
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import AddLora, RemoveLora
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.ask import ask
from engine.query.lora.request import (
    CountTrained,
    LoadAdapter,
    MergeLora,
    SaveAdapter,
    WeightsSource,
)
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import ClipSpec
from engine.spec.technique import AccumulationSpec, AveragingSpec
from engine.train.loop import train_epoch
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, iris_graph, iris_spec, make_run, train, weights

LORA = AddLora(places=("hidden", "head"), rank=2, alpha=6.0, dropout=0.2)


def adapted() -> Graph:
    return apply(LORA, iris_graph(*RANDOM_LAYERS))


def base_weights() -> dict[str, torch.Tensor]:
    """Return weights of the model without low-rank blocks, with statistics."""
    torch.manual_seed(7)
    model = to_module(iris_graph(*RANDOM_LAYERS))
    model(torch.randn(30, 4))
    return {name: value.clone() for name, value in model.state_dict().items()}


def named(base: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return weights of the model under the names that they have in the adapted one."""
    return {
        name.replace("hidden.", "hidden.base_layer.").replace("head.", "head.base_layer."): value
        for name, value in base.items()
    }


class PlainLora(nn.Module):
    """The paper's layer, as a script has it."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float, dropout: float) -> None:
        super().__init__()
        self.base_layer, self.drop = base.requires_grad_(requires_grad=False), nn.Dropout(dropout)
        self.a = nn.Parameter(torch.empty(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base_layer(x) + self.drop(x) @ self.a.T @ self.b.T * self.scale


def plain(batches: Training, start: nn.Module) -> nn.Module:
    """Train as a script would that knows nothing of the program."""
    model = copy.deepcopy(start)
    for name in ("hidden", "head"):
        block = model.get_submodule(name)
        layer = PlainLora(block.base_layer, 2, 6.0, 0.2)
        layer.a.data.copy_(block.lora_A.weight)
        setattr(model, name, layer)
    model.norm.requires_grad_(requires_grad=False)
    pairs = [weight for weight in model.parameters() if weight.requires_grad]
    assert len(pairs) == 4
    optimizer = torch.optim.AdamW(pairs, lr=0.01)
    torch.manual_seed(1)
    for epoch in range(3):
        model.train()
        model.norm.eval()
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["features"]), batch["label"]).backward()
            nn.utils.clip_grad_norm_(pairs, 0.5)
            optimizer.step()
    return model


def new_training() -> Training:
    torch.manual_seed(0)
    spec = iris_spec(clip=ClipSpec(kind="norm", limit=0.5))
    training = build_training(adapted(), spec, to_module(adapted()))
    training.model.load_state_dict(named(base_weights()), strict=False)
    return training


def test_that_it_is_what_a_plain_script_does() -> None:
    training = new_training()
    start = copy.deepcopy(training.model)
    torch.manual_seed(1)
    for epoch in range(3):
        list(train_epoch(training, epoch, 0, training.new_meter()))
    script = plain(new_training(), start)
    for name in ("hidden", "head"):
        block, layer = training.model.get_submodule(name), script.get_submodule(name)
        assert torch.equal(block.lora_A.weight, layer.a), name
        assert torch.equal(block.lora_B.weight, layer.b), name
        assert layer.b.abs().max() > 0
    before = start.state_dict()
    for name, value in training.model.state_dict().items():
        is_pair = "lora" in name
        assert torch.equal(value, before[name]) is not is_pair, name


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """Return a run of an adapted model that starts from a file of the model without blocks."""
    (tmp_path / "weights").mkdir()
    write_weights(base_weights(), tmp_path / "weights/base.safetensors")
    return make_run(tmp_path, adapted(), weights="weights/base.safetensors")


def test_that_a_run_begins_with_what_the_base_gives_and_keeps_its_weights(run: RunFolder) -> None:
    assert train(run).status is RunStatus.FINISHED
    expected = {name: value.numpy().tobytes() for name, value in base_weights().items()}
    kept = {
        name.replace("base_layer.", ""): value
        for name, value in weights(run).items()
        if "lora" not in name
    }
    assert kept == expected
    model, alone = to_module(adapted()), to_module(iris_graph(*RANDOM_LAYERS))
    alone.load_state_dict(base_weights())
    model.load_state_dict(named(base_weights()), strict=False)
    batch = torch.randn(9, 4)
    assert torch.equal(model.eval()(batch), alone.eval()(batch))


@pytest.mark.parametrize(
    "changes",
    [{}, {"accumulation": AccumulationSpec(batches=2), "averaging": AveragingSpec(kind="ema")}],
    ids=["plain", "accumulated"],
)
def test_that_a_resume_in_the_middle_of_an_epoch_is_exact(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    unbroken = make_run(tmp_path, adapted(), **changes)
    train(unbroken)
    broken = make_run(tmp_path, adapted(), **changes)
    stop_at(broken, 6)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


def test_that_a_trained_run_is_merged_and_its_adapter_taken_to_the_base_again(
    run: RunFolder, tmp_path: Path
) -> None:
    assert train(run).status is RunStatus.FINISHED
    source = WeightsSource(run_folder=str(run.path), checkpoint="last")
    graph, file = adapted(), tmp_path / "merged.safetensors"
    count = ask(CountTrained(graph=graph))
    ask(MergeLora(graph=graph, source=source, modules=("hidden", "head"), target=str(file)))
    after = apply(RemoveLora(places=("hidden", "head")), graph)
    plain_model, model = to_module(after), to_module(graph)
    plain_model.load_state_dict(read_safetensors(file))
    adapter, whole = tmp_path / "pairs.safetensors", tmp_path / "whole.safetensors"
    saved = ask(SaveAdapter(graph=graph, source=source, target=str(adapter)))
    assert saved.parameters == count.trained == 2 * (4 + 8 + 8 + 3)
    names = {"hidden.base_layer": "hidden", "head.base_layer": "head"}
    base = WeightsSource(file=str(run.project / "weights/base.safetensors"), names=names)
    ask(LoadAdapter(graph=graph, source=base, adapter=str(adapter), target=str(whole)))
    model.load_state_dict(read_safetensors(whole))
    assert {n: v.numpy().tobytes() for n, v in model.state_dict().items()} == weights(run)
    batch = torch.randn(9, 4)
    result = plain_model.eval()(batch)
    torch.testing.assert_close(result, model.eval()(batch), rtol=1e-5, atol=1e-6)
    again = make_run(tmp_path, after, weights="merged.safetensors")
    assert train(again).status is RunStatus.FINISHED
