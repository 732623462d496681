"""Whether the PyTorch that is installed computes on the devices of this machine."""

from engine.query.installation.request import DeviceTrial, Installation
from engine.runtime.door import capabilities


def check_installation() -> Installation:
    """Return what PyTorch was built with, and whether it computes on each device.

    Raises :class:`DiagnosticError` (E001) where it cannot be loaded.
    """
    found = capabilities()
    import torch

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
    import torch

    from engine.inspect.explanation import explain

    try:
        numbers = torch.rand(5, 3, device=device)
        (numbers @ numbers.T).sum().item()
    except RuntimeError as error:
        return DeviceTrial(device=device, problem=explain(error))
    return DeviceTrial(device=device)
