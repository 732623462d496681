"""What a checkpoint keeps can be looked at when the run is over, and saved for PyTorch."""

from pathlib import Path

import numpy as np
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.query.ask import answer_for_user
from engine.query.export.request import SaveTensor
from engine.query.results.request import ListKeptTensors, TakeKeptTensor
from engine.runs.record.tensor_capture import CapturedTensor, TensorListing, as_array
from tests.tiny_run import make_run, train


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    folder = make_run(tmp_path_factory.mktemp("kept"), epochs=1)
    train(folder)
    return folder


@pytest.mark.row("S001", "S173")
def test_that_weights_buffers_and_state_of_an_ended_run_can_be_taken(run) -> None:
    listing = answer_for_user(ListKeptTensors(run_folder=str(run.path)))
    assert isinstance(listing, TensorListing)
    known = {(each.kind, each.name): each for each in listing.tensors}
    assert {kind for kind, _ in known} == {"parameter", "buffer", "state"}
    assert known["state", "hidden.weight:exp_avg"].shape == (8, 4)
    file = max(run.checkpoints.glob("*.ckpt"))
    content = torch.load(file, weights_only=True)
    first = next(iter(content["optimizer"]["state"].values()))
    for kind, name, wanted in (
        ("parameter", "hidden.weight", content["model"]["hidden.weight"]),
        ("buffer", "norm.running_mean", content["model"]["norm.running_mean"]),
        ("state", "hidden.weight:exp_avg", first["exp_avg"]),
    ):
        found = answer_for_user(
            TakeKeptTensor(run_folder=str(run.path), checkpoint=file.name, kind=kind, name=name)
        )
        assert isinstance(found, CapturedTensor)
        assert np.array_equal(as_array(found), wanted.numpy())
        assert found.step == content["position"]["step"]


@pytest.mark.parametrize("kind", ["gradient", "activation", "parameter"])
def test_that_what_a_checkpoint_does_not_keep_is_told(run, kind) -> None:
    request = TakeKeptTensor(run_folder=str(run.path), checkpoint="last", kind=kind, name="act")
    with pytest.raises(DiagnosticError) as found:
        answer_for_user(request)
    assert found.value.problems[0].code == "A021"


@pytest.mark.parametrize(
    ("tensor", "dtype"),
    [
        (torch.tensor([[1.0, float("nan")], [3.0, -0.0]]), "float32"),
        (torch.tensor([1.5, 2.0], dtype=torch.bfloat16), "bfloat16"),
        (torch.ones((), dtype=torch.bool), "bool"),
        (torch.zeros(0, 3, dtype=torch.int64), "int64"),
        (torch.tensor([1 + 2j]), "complex64"),
    ],
)
def test_that_a_tensor_is_saved_as_pytorch_reads_it(tmp_path: Path, tensor, dtype) -> None:
    plain = tensor.float() if tensor.dtype is torch.bfloat16 else tensor
    array = plain.numpy()
    file = tmp_path / "tensor.pt"
    answer_for_user(
        SaveTensor(
            file=str(file),
            shape=array.shape,
            stored=array.dtype.newbyteorder("<").str,
            data=array.tobytes(),
            dtype=dtype,
        )
    )
    again = torch.load(file, weights_only=True)
    assert again.dtype is tensor.dtype
    assert torch.equal(again.nan_to_num(), tensor.nan_to_num())
    assert torch.equal(again.isnan(), tensor.isnan())
