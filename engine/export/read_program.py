"""Plain script that loads a ``.pt2`` file and computes with it, as anyone without Trellis would.

``python -I read_program.py FILE SEED`` reads batches (``torch.save``) from its standard input and
writes the outputs to its standard output. It needs PyTorch alone.
"""

import io
import sys
from pathlib import Path

import torch
from torch import Tensor


def main(file: str, seed: int) -> None:
    """Answer with a tuple of outputs for each batch."""
    batches = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)
    with Path(file).open("rb") as stream:
        model = torch.export.load(stream).module()
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
