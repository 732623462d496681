"""Check that the installed PyTorch computes on the devices of this machine."""

import torch

from engine.inspect.explanation import explain
from engine.query.installation.request import CheckInstallation, DeviceTrial, Installation
from engine.query.machine.answer import capabilities
from engine.query.machine.request import GetCapabilities


def answer(_: CheckInstallation) -> Installation:
    """Return what PyTorch was built with, and whether it computes on each device."""
    found = capabilities(GetCapabilities())
    cudnn = torch.backends.cudnn.version() if found.gpus else None
    devices = ["cpu", *(f"cuda:{gpu.index}" for gpu in found.gpus)]
    return Installation(
        torch=str(torch.__version__),  # a class of its own, which no message takes
        cuda=torch.version.cuda or "",
        cudnn=str(cudnn or ""),
        trials=tuple(map(_try, [*devices, *(["mps"] if found.has_mps else [])])),
    )


def _try(device: str) -> DeviceTrial:
    """Compute a product of random numbers, as the installation guide of PyTorch has one do."""
    try:
        numbers = torch.rand(5, 3, device=device)
        (numbers @ numbers.T).sum().item()
    except RuntimeError as error:
        return DeviceTrial(device=device, problem=explain(error))
    return DeviceTrial(device=device)
