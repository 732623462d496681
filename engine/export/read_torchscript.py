"""Plain script that loads a TorchScript file and computes with it, as anyone without Trellis would.

``python -I read_torchscript.py FILE SEED`` reads batches (``torch.save``) from its standard input
and writes the outputs to its standard output. It needs PyTorch alone.
"""

import io
import sys
import warnings

import torch
from torch import Tensor


def main(file: str, seed: int) -> None:
    """Answer with a tuple of outputs for each batch."""
    batches = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        model = torch.jit.load(file, map_location="cpu")
    found: list[tuple[Tensor, ...]] = []
    with torch.no_grad():
        for inputs in batches:
            torch.manual_seed(seed)
            outputs = model(*inputs)
            found.append(outputs if isinstance(outputs, tuple) else (outputs,))
    answer = io.BytesIO()
    torch.save(found, answer)
    sys.stdout.buffer.write(answer.getvalue())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
