"""Weights of another model: names are made to fit where they can; only what fits is taken."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from engine.archive.weights import read_safetensors, write_weights
from engine.diagnostics import DiagnosticError
from engine.export.report import Renaming
from engine.export.warm_start import report_weights, take_weights


class Body(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.head = nn.Linear(8, classes)


class Whole(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.backbone = Body(classes)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "other.pt"
    state = {f"module.encoder.{k}": v for k, v in Body(3).state_dict().items()}
    torch.save({"state_dict": state, "epoch": 3}, path)
    return path


@pytest.mark.row("S122", "S233")
@pytest.mark.fault("B04", "B05")
def test_that_the_prefixes_are_found_under_which_the_most_fit(file: Path) -> None:
    report = report_weights(file, Whole(5), None)
    assert report.renaming == Renaming(remove="encoder.", add="backbone.")
    found = report.comparison
    assert found.matching == 7
    assert [entry.name for entry in found.matched][:2] == [
        "backbone.stem.weight",
        "backbone.stem.bias",
    ]
    assert [one.name for one in found.mismatched] == [
        "backbone.head.weight",
        "backbone.head.bias",
    ]
    assert not found.missing
    assert not found.unexpected
    assert "encoder." in report.file_prefixes
    assert "backbone." in report.model_prefixes


def test_that_names_that_fit_already_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "same.pt"
    torch.save(Body(3).state_dict(), path)
    assert report_weights(path, Body(3), None).renaming == Renaming()


@pytest.mark.row("S122", "S195", "S233", "S234")
@pytest.mark.row("S325")
def test_that_only_what_fits_is_taken_and_the_model_is_left_alone(
    file: Path, tmp_path: Path
) -> None:
    model = Whole(5)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    target = tmp_path / "weights" / "other.safetensors"
    take_weights(file, model, target, Renaming(remove="encoder.", add="backbone."))
    taken = load_file(target)
    assert set(taken) == {name for name in before if ".head." not in name}
    source = torch.load(file, weights_only=True)["state_dict"]
    assert torch.equal(taken["backbone.stem.weight"], source["module.encoder.stem.weight"])
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_that_nothing_is_written_where_nothing_fits(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "weights" / "other.safetensors"
    with pytest.raises(DiagnosticError) as caught:
        take_weights(file, Whole(5), target, Renaming(add="elsewhere."))
    assert caught.value.problems[0].code == "R141"
    assert not target.exists()


@pytest.mark.row("S233")
def test_that_layers_that_were_renamed_since_find_their_weights(tmp_path: Path) -> None:
    file, model = tmp_path / "start.safetensors", Body(3)
    write_weights({"old.weight": model.stem.weight, "old.bias": model.stem.bias}, file)
    report = report_weights(file, model, Renaming(), {"stem": "old"})
    assert report.comparison.matching == 2
    target = tmp_path / "taken.safetensors"
    take_weights(file, model, target, Renaming(), {"stem": "old"})
    assert set(read_safetensors(target)) == {"stem.weight", "stem.bias"}
