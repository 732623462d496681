"""Runs side by side share the GPUs of a machine. Loads without torch."""

import os
import shutil
import subprocess
from collections.abc import Iterable

import msgspec

from engine.runtime.run import RunHandle
from engine.spec.run import RunSpec


def spread(spec: RunSpec, live: Iterable[RunHandle], gpus: int) -> RunSpec:
    """Return the recipe of a run on a GPU of ``gpus`` that none of the living runs has, the first
    one where all are taken. A recipe that names its devices, or trains in several processes, keeps
    them.
    """
    is_free = spec.device in ("auto", "cuda") and not spec.compute.gpus
    if gpus < 2 or not is_free or spec.mode not in ("process", "thread"):
        return spec
    taken = {handle.folder.document.spec.device for handle in live}
    free = [number for number in range(gpus) if f"cuda:{number}" not in taken]
    return msgspec.structs.replace(spec, device=f"cuda:{(free or [0])[0]}")


def gpu_count() -> int:
    """Return how many NVIDIA GPUs this machine has, without loading torch; of those that are hidden
    from this process, none.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return len([name for name in visible.split(",") if name.strip() not in ("", "-1")])
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return 0
    told = subprocess.run([tool, "--list-gpus"], capture_output=True, text=True, check=False)
    return sum(line.startswith("GPU ") for line in told.stdout.splitlines())
