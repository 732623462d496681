"""Visible GPUs of a worker: ``CUDA_VISIBLE_DEVICES`` of its process."""

import os
from collections.abc import Mapping

_VISIBLE = "CUDA_VISIBLE_DEVICES"


def gpu_numbers(gpus: str) -> tuple[int, ...]:
    """Return the numbers in a list such as ``0,3``; inside the run they are counted from 0."""
    return tuple(int(number) for number in gpus.split(",") if number.strip())


def gpu_environment(gpus: str, base: Mapping[str, str] | None = None) -> dict[str, str] | None:
    """Return the environment of a worker that sees only these GPUs; None: as this process.

    The numbers count what this process sees: where its own ``CUDA_VISIBLE_DEVICES`` (of ``given``,
    by default of this process) says 2,3, number 1 is the GPU 3. They follow the order of the bus,
    as ``nvidia-smi`` shows it.
    """
    numbers = gpu_numbers(gpus)
    if not numbers:
        return None
    environment = dict(os.environ if base is None else base)
    visible = [name.strip() for name in environment.get(_VISIBLE, "").split(",") if name.strip()]
    chosen = [visible[n] for n in numbers if n < len(visible)] if visible else map(str, numbers)
    environment[_VISIBLE] = ",".join(chosen)
    environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    return environment
