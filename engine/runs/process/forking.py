"""Forking of programs from a process that has loaded what they need (Linux): where that can be, and
what a child does to be a program of its own.

What is forked from must be quiet: one thread, and no accelerator opened. More threads, or a library
that has opened one, would not work in a child.
"""

import ctypes
import os
import runpy
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

_ACCELERATORS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg", "/dev/accel")
_READ_EARLY = (  # variables that are read when Python or a library is loaded
    *("PYTHON", "LD_", "MALLOC_", "GLIBC_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_"),
    *("TORCH", "PYTORCH", "CUDA", "NVIDIA"),
)
_READ_LATER = ("TORCHINDUCTOR_CACHE_DIR",)  # that PyTorch sets when it is asked for the folder
_START, _END = 45, 46  # of the fields behind the name


def can_fork() -> bool:
    """Return whether processes can be forked here: where an accelerator is, they are spawned."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return False
    return not any(Path(name).exists() for name in _ACCELERATORS)


def is_quiet() -> bool:
    """Return whether one thread runs here: those of BLAS, which the first fork ends, do not."""
    if not (pid := os.fork()):
        os._exit(0)
    os.waitpid(pid, 0)
    return len(list(Path("/proc/self/task").iterdir())) == 1


def early_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that count when a process begins."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_EARLY) and name not in _READ_LATER
    }


def seed_anew() -> None:
    """Begin other random numbers than siblings have; Python's own generator does so by itself."""
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.seed()


def show_command(command: Sequence[str]) -> None:
    """Show another command line than the one this process was started with (Linux); what there is
    no room for is left out.
    """
    fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    numbers = fields.rpartition(")")[2].split()
    start, end = int(numbers[_START]), int(numbers[_END])
    words = b"\0".join(word.encode(errors="surrogateescape") for word in command)
    size = end - start
    ctypes.memmove(start, words[: size - 1].ljust(size, b"\0"), size)


def run_module(command: Sequence[str]) -> None:
    """Run what ``python [options] -m MODULE …`` would, in this process."""
    show_command(command)
    module, *rest = command[command.index("-m") + 1 :]
    sys.modules.pop(module, None)  # it runs as a program, whatever was loaded of it
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
