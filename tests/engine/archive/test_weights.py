"""Starting a model from weights: what fits is taken, what does not is told."""

import os
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.archive.weights import read_safetensors, start_from, write_weights
from engine.diagnostics import DiagnosticError


def _model(classes: int) -> nn.Module:
    return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, classes))


@pytest.mark.row("N04", "S121")
@pytest.mark.fault("F22")
def test_that_weights_of_untouched_layers_stay_through_surgery(tmp_path: Path) -> None:
    file, old, new = tmp_path / "w.safetensors", _model(10), _model(2)
    write_weights(old.state_dict(), file)
    head = new[2].weight.clone()  # pyright: ignore[reportIndexIssue, reportCallIssue]
    report = start_from(new, file)
    assert report is not None
    assert report.code == "R142"
    assert report.params["kept"] == 7
    assert report.params["dropped"] == "2.bias, 2.weight"
    assert report.params["new"] == "2.weight, 2.bias"
    assert torch.equal(new.state_dict()["0.weight"], old.state_dict()["0.weight"])
    assert torch.equal(new.state_dict()["2.weight"], head)


def test_that_nothing_is_told_when_all_weights_fit(tmp_path: Path) -> None:
    file, old, new = tmp_path / "w.safetensors", _model(2), _model(2)
    write_weights(old.state_dict(), file)
    assert start_from(new, file) is None
    assert all(torch.equal(v, new.state_dict()[k]) for k, v in old.state_dict().items())


@pytest.mark.fault("F22")
def test_that_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "w.safetensors"
    write_weights(nn.Conv2d(1, 2, 3).state_dict(), file)
    with pytest.raises(DiagnosticError) as caught:
        start_from(_model(2), file)
    assert caught.value.problems[0].code == "R141"


@pytest.mark.parametrize("place", [20, -3])
def test_that_a_damaged_file_is_refused(tmp_path: Path, place: int) -> None:
    file = tmp_path / "w.safetensors"
    write_weights(_model(2).state_dict(), file)
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        read_safetensors(file)
    assert caught.value.problems[0].code == "X023"


def test_that_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        start_from(_model(2), tmp_path / "none.safetensors")
    assert caught.value.problems[0].code == "X025"


@pytest.mark.fault("B04")
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_that_a_pipe_in_the_place_of_weights_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "w.safetensors"
    os.mkfifo(pipe)
    with pytest.raises(DiagnosticError):
        start_from(nn.Linear(1, 1), pipe)
