"""PyTorch is tried on each device that it knows."""

import pytest
import torch
from msgspec import msgpack
from msgspec.structs import replace

from engine.query.ask import answer_for_user, ask
from engine.query.machine import answer as module
from engine.query.machine.request import CheckInstallation, GetCapabilities, Gpu, Installation


@pytest.mark.row("S257")
def test_that_pytorch_computes_on_the_processor():
    sent = msgpack.encode(answer_for_user(CheckInstallation()))  # as the host does
    found = msgpack.decode(sent, type=Installation)
    assert found.torch == torch.__version__
    assert found.cuda == (torch.version.cuda or "")
    trial = found.trials[0]
    assert (trial.device, trial.problem) == ("cpu", None)


@pytest.mark.row("S257", "S258")
def test_that_a_gpu_on_which_nothing_can_be_computed_is_told_with_what_it_means(monkeypatch):
    known, rand = module.capabilities(GetCapabilities()), torch.rand

    def on_device(*shape: int, device: str) -> torch.Tensor:
        if device != "cpu":
            raise RuntimeError("CUDA error: no kernel image is available for execution")
        return rand(*shape)

    gpu = Gpu(index=0, name="Old", memory_bytes=1)
    found = replace(known, gpus=(gpu,), has_mps=False)
    monkeypatch.setattr(module, "capabilities", lambda _: found)
    monkeypatch.setattr(torch, "rand", on_device)
    processor, graphics = ask(CheckInstallation()).trials
    assert processor.problem is None
    assert graphics.problem is not None
    assert (graphics.device, graphics.problem.code) == ("cuda:0", "L056")
