"""Plain script that unpacks an exported project and computes with it, as anyone without Trellis.

``python -I read_project.py FILE SEED`` reads batches (``torch.save``) from its standard input and
writes the outputs to its standard output. It needs what the project says that it needs.
"""

import importlib
import io
import sys
import tempfile
import zipfile
from pathlib import Path

import torch
from torch import Tensor


def main(file: str, seed: int) -> None:
    """Answer with a tuple of outputs for each batch."""
    batches = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        (package,) = Path(folder).glob("*/*/__init__.py")
        sys.path.insert(0, str(package.parent.parent))
        found = _outputs(package.parent.name, seed, batches)
    answer = io.BytesIO()
    torch.save(found, answer)
    sys.stdout.buffer.write(answer.getvalue())


def _outputs(package: str, seed: int, batches: list[tuple[Tensor, ...]]) -> list[object]:
    loaders = [name for name in importlib.import_module(package).__all__ if "load_model" in name]
    model = getattr(importlib.import_module(package), loaders[0])()
    found: list[object] = []
    with torch.no_grad():
        for inputs in batches:
            torch.manual_seed(seed)
            outputs = model(*inputs)
            found.append(outputs if isinstance(outputs, tuple) else (outputs,))
    return found


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
