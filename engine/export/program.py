"""The computation with its weights as a ``.pt2`` file of ``torch.export``, for any batch size."""

import io
from pathlib import Path

import torch
from torch import Tensor

from engine.export.job import ExportJob
from engine.export.outside import Batches, Reader, write_compared
from engine.export.predicting_file import with_predicting_file
from engine.export.preparation import PREPARATION, preparation_text
from engine.export.tracing import traced
from engine.export.written import Written
from engine.files import WriteTarget


def packed(batches: Batches) -> bytes:
    """Return batches as ``torch.save`` writes them."""
    question = io.BytesIO()
    torch.save([tuple(values.clone() for values in batch) for batch in batches], question)
    return question.getvalue()


def unpacked(answer: bytes) -> Batches:
    """Return what ``torch.save`` wrote of outputs."""
    return torch.load(io.BytesIO(answer), weights_only=True)


_LOADING = '''
from pathlib import Path

import torch

MODEL = Path(__file__).with_name({name})


def load_model():
    """Return the model, on the CPU."""
    return torch.export.load(MODEL).module()


def compute(model, inputs):
    """Return the outputs for prepared inputs."""
    with torch.no_grad():
        outputs = model(*inputs)
    return outputs if isinstance(outputs, tuple) else (outputs,)
'''
READER = Reader(Path(__file__).with_name("read_program.py"), packed, unpacked)
"""Knows PyTorch alone."""


def write_program(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples and write it; the file takes its place only after a process
    that knows nothing of Trellis computed the same with it, for other batch sizes.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X037 an operation cannot be exported
    (with its node), X038 the batch size is fixed, X040 the file cannot be loaded.
    """
    found = traced(job)
    beside = {PREPARATION: preparation_text(job, output.name)}

    def write(target: WriteTarget) -> None:
        torch.export.save(found.program, target, extra_files=beside)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    written = write_compared(job, output, write, found.compared, READER)
    written = with_predicting_file(job, output, written, _loading)
    return written._replace(snippet=_snippet(output, found.compared.batches[-1]))


def _loading(name: str) -> str:
    return _LOADING.format(name=repr(name))


def _snippet(output: Path, batch: tuple[Tensor, ...]) -> str:
    """Return the code that loads the file and computes with it."""
    shapes = [(tuple(values.shape[1:]), values.dtype) for values in batch]
    inputs = ", ".join(f"torch.zeros{(4, *shape)}.to({dtype})" for shape, dtype in shapes)
    return (
        "import torch\n\n"
        f"model = torch.export.load({output.name!r}).module()\n"
        f"print(model({inputs}))  # prepared as in the run; any batch size\n"
    )
