"""A program for the tests of the fork server: does what its first argument says."""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path


def state() -> dict[str, object]:
    """Return what a process has of its own."""
    return {
        "arguments": sys.argv,
        "environment": dict(os.environ),
        "files": sorted(file.name for file in Path("/proc/self/fd").iterdir()),
        "session": os.getsid(0),
        "pid": os.getpid(),
        "has_torch": "torch" in sys.modules,
        "random": _random(),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
        "folder": str(Path.cwd()),
    }


def _random() -> list[float]:
    import numpy as np

    numbers = [random.random(), float(np.random.rand())]
    if (torch := sys.modules.get("torch")) is not None:
        numbers.append(torch.rand(1).item())
    return numbers


def train() -> str:
    """Return the gradient of a product, computed by more threads than one."""
    import torch

    torch.set_num_threads(2)
    matrix = torch.ones(600, 600, requires_grad=True)
    (matrix @ matrix).sum().backward()
    assert matrix.grad is not None
    return str(matrix.grad.sum().item())


def main(word: str) -> None:
    """Do it."""
    if word == "state":
        sys.stdout.write(json.dumps(state()))
    elif word == "train":
        sys.stdout.write(train())
    elif word == "say":
        sys.stderr.write("last words")
        sys.exit(7)
    elif word == "mark":
        Path(sys.argv[2]).write_text(json.dumps(state()))
        time.sleep(600)
    else:
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
