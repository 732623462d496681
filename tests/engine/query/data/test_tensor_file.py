"""Files of tensors: data to train on, or weights."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engine.query.data.request import JudgeTensors
from engine.query.data.tensor_file import judge_tensors

X, Y = torch.zeros(6, 3), torch.zeros(6, dtype=torch.int64)


def held(path, content) -> str:
    if path.suffix == ".safetensors":
        save_file(content, path)
    else:
        torch.save(content, path)
    return judge_tensors(JudgeTensors(path=str(path))).holds


@pytest.mark.parametrize("name", ["a.pt", "a.pth", "a.safetensors"])
def test_that_a_file_is_told_by_the_names_in_it(tmp_path, name):
    path = tmp_path / name
    assert held(path, {"data": X, "targets": Y}) == "data"
    assert held(path, {"x_train": X, "y_train": Y, "x_test": X[:2].clone()}) == "data"
    assert held(path, torch.nn.Linear(3, 6).state_dict()) == "weights"
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    assert held(path, net.state_dict()) == "weights"
    assert held(path, {"spectra": X, "mass": X[:, 0].clone()}) == "either"
    assert held(path, {"spectra": X, "scale": torch.zeros(4)}) == "weights"


def test_that_tensors_in_a_row_are_data_and_what_is_no_file_of_tensors_is_left_to_the_weights(
    tmp_path,
):
    path = tmp_path / "a.pt"
    assert held(path, (X, Y)) == "data"
    assert held(path, X) == "data"
    assert held(path, {"model": {"fc.weight": X}, "epoch": 3}) == "weights"
    path.write_bytes(np.arange(9).tobytes())
    assert judge_tensors(JudgeTensors(path=str(path))).holds == "weights"
