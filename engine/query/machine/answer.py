"""Capabilities of the machine for computing, and a check of the installed PyTorch."""

import os
import platform
import time

import psutil
import torch

from engine.inspect.explanation import explain
from engine.model import analysis
from engine.query.machine.request import (
    Capabilities,
    CheckInstallation,
    DeviceTrial,
    GetCapabilities,
    Gpu,
    Installation,
    Ready,
    WarmUp,
)
from engine.query.machine.versions import package_versions


def warm_up(_: WarmUp) -> Ready:
    """Import torch and what the first analysis needs; returns how long it took."""
    begun = time.monotonic()
    analysis.warm_up()
    return Ready(seconds=time.monotonic() - begun)


def capabilities(_: GetCapabilities) -> Capabilities:
    """Return what this machine has for computing."""
    memory = psutil.virtual_memory()
    gpus: list[Gpu] = []
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            properties = torch.cuda.get_device_properties(index)
            gpus.append(
                Gpu(index=index, name=properties.name, memory_bytes=properties.total_memory)
            )
    has_mps = torch.backends.mps.is_available()
    devices = ["auto", "cpu", *(["cuda"] if gpus else [])]
    devices += [f"cuda:{gpu.index}" for gpu in gpus if len(gpus) > 1]
    devices += ["mps"] if has_mps else []
    return Capabilities(
        python=platform.python_version(),
        versions=package_versions(),
        threads=_usable_cores(),
        memory_bytes=memory.total,
        free_memory_bytes=memory.available,
        gpus=tuple(gpus),
        has_mps=has_mps,
        devices=tuple(devices),
    )


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_installation(_: CheckInstallation) -> Installation:
    """Return what PyTorch was built with, and whether it computes on each device."""
    machine = capabilities(GetCapabilities())
    cudnn = torch.backends.cudnn.version() if machine.gpus else None
    devices = ["cpu", *(f"cuda:{gpu.index}" for gpu in machine.gpus)]
    return Installation(
        torch=str(torch.__version__),  # a class of its own, which no message takes
        cuda=torch.version.cuda or "",
        cudnn=str(cudnn or ""),
        trials=tuple(map(_try, [*devices, *(["mps"] if machine.has_mps else [])])),
    )


def _try(device: str) -> DeviceTrial:
    """Compute a product of random numbers, as the installation guide of PyTorch has one do."""
    try:
        numbers = torch.rand(5, 3, device=device)
        (numbers @ numbers.T).sum().item()
    except RuntimeError as error:
        return DeviceTrial(device=device, problem=explain(error))
    return DeviceTrial(device=device)
