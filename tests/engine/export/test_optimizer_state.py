"""What a checkpoint tells of its optimizers: groups, settings, what is kept, and the steps."""

from pathlib import Path

import pytest
import torch
from torch import nn, optim

from engine.api import read_checkpoint
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.spec.run import Choice, ParameterGroup
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import iris_graph, make_run, train


def told(run: RunFolder):
    info = read_state(run).last
    assert info is not None
    return read_checkpoint(run.checkpoints / info.file).optimizers


@pytest.mark.row("S173")
def test_that_groups_of_a_run_have_their_settings_and_what_adam_keeps(tmp_path: Path) -> None:
    groups = (ParameterGroup(match="head", params={"lr": 0.05}),)
    adam = Choice(type="Adam", params={"lr": 0.01})
    run = make_run(tmp_path, iris_graph(), optimizer=adam, groups=groups, epochs=2)
    train(run)
    found = told(run)
    assert [(group.optimizer, group.number, group.parameters) for group in found] == [
        ("optimizer", 0, 2), ("optimizer", 1, 2),
    ]  # fmt: skip
    assert {group.settings["lr"] for group in found} == {"0.05", "0.01"}
    assert all(group.settings["betas"] == "(0.9, 0.999)" for group in found)
    for group in found:
        assert set(group.kept) == {"step", "exp_avg", "exp_avg_sq"}
        assert group.steps == 8
    sizes = sorted(group.size_bytes for group in found)
    assert sizes == [2 * 4 * (24 + 3) + 8, 2 * 4 * (32 + 8) + 8]  # and a step for each parameter


@pytest.mark.row("S173", "S171", "S232")
def test_that_the_optimizers_of_all_phases_are_told(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path, gan_graph(), gan_spec())
    train(run)
    names = [group.optimizer for group in told(run)]
    assert len(names) == 2
    assert names[0] == "optimizer"
    assert names[1].startswith("phases.")


@pytest.mark.row("S173", "S232")
def test_that_several_optimizers_of_a_file_from_elsewhere_are_told(tmp_path: Path) -> None:
    encoder, decoder = nn.Linear(3, 2), nn.Linear(2, 3)
    first = optim.SGD(encoder.parameters(), lr=0.1, momentum=0.9)
    second = optim.Adagrad(decoder.parameters(), lr=torch.tensor(0.5))
    decoder(encoder(torch.ones(1, 3))).sum().backward()
    first.step()
    second.step()
    file = tmp_path / "both.tar"
    parts = {"en": encoder.state_dict(), "de": decoder.state_dict()}
    both = {"en_opt": first.state_dict(), "inner": {"de_opt": second.state_dict()}}
    torch.save(parts | both, file)
    sgd, adagrad = read_checkpoint(file).optimizers
    assert (sgd.optimizer, sgd.kept, sgd.steps) == ("en_opt", ("momentum_buffer",), None)
    assert (sgd.settings["lr"], sgd.settings["momentum"]) == ("0.1", "0.9")
    assert (adagrad.optimizer, adagrad.settings["lr"]) == ("inner.de_opt", "0.5")
    assert adagrad.steps == 1


@pytest.mark.parametrize(
    "optimizer",
    [
        {"state": {}, "param_groups": [None, 3, {"params": "all", "lr": 0.1}]},
        {"state": {0: None, 1: {"step": float("nan")}}, "param_groups": [{"params": [0, 1, [2]]}]},
        {"state": {0: {"step": torch.ones(2)}}, "param_groups": [{"params": [0]}]},
        {"state": {0: {"step": 10**30}}, "param_groups": [{"params": [0] * 1000}] * 1000},
    ],
)
def test_that_strange_states_are_told_as_far_as_they_go(tmp_path: Path, optimizer) -> None:
    file = tmp_path / "strange.pt"
    torch.save({"model": nn.Linear(1, 1).state_dict(), "optimizer": optimizer}, file)
    found = read_checkpoint(file)
    assert found.elements == 2
    assert 1 <= len(found.optimizers) <= 200
    assert all(group.steps is None for group in found.optimizers)


def test_that_weights_alone_have_no_optimizer(tmp_path: Path) -> None:
    file = tmp_path / "weights.pt"
    torch.save(nn.Linear(1, 1).state_dict(), file)
    assert read_checkpoint(file).optimizers == ()
