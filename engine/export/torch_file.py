"""What the formats of whole computations that PyTorch loads have in common."""

import io
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

from engine.export.outside import Batches, Reader

_SCRIPT = Path(__file__).with_name("read_torch.py")
_LOADING = '''
from pathlib import Path

import torch

MODEL = Path(__file__).with_name({name})


def load_model():
    """Return the model, on the CPU."""
    return {load}


def compute(model, inputs):
    """Return the outputs for prepared inputs."""
    with torch.no_grad():
        outputs = model(*inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)
'''


ReaderKind = Literal[
    "program",
    "torchscript",
    "project",
    "pickle",
    "huggingface",
    "notebook",
    "lightning",
    "bundle",
    "compiled",
    "service",
]


def torch_reader(kind: ReaderKind, beside: str = "") -> Reader:
    """Return what loads a file of a kind in another process, with PyTorch alone; ``beside`` is the
    folder of what lies beside it.
    """
    return Reader(_SCRIPT, _packed, _unpacked, (kind, *filter(None, [beside])))


def loading_text(name: str, load: str) -> str:
    """Return the functions of a Python file that load the model ``name`` beside it and compute with
    it; ``load`` is the expression that loads the path ``MODEL``.
    """
    return _LOADING.format(name=repr(name), load=load)


def loading_snippet(batch: tuple[Tensor, ...], load: str) -> str:
    """Return the code that loads a file by an expression and computes with it, on inputs like those
    of a batch.
    """
    shapes = [(tuple(values.shape[1:]), values.dtype) for values in batch]
    inputs = ", ".join(f"torch.zeros{(4, *shape)}.to({dtype})" for shape, dtype in shapes)
    return (
        "import torch\n\n"
        f"model = {load}\n"
        f"print(model({inputs}))  # prepared as in the run; any batch size\n"
    )


def _packed(batches: Batches) -> bytes:
    question = io.BytesIO()
    torch.save([tuple(values.clone() for values in batch) for batch in batches], question)
    return question.getvalue()


def _unpacked(answer: bytes) -> Batches:
    return torch.load(io.BytesIO(answer), weights_only=True)
