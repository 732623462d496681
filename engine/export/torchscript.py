"""The computation with its weights as a TorchScript file, for programs that cannot do without."""

import io
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.example_batches import TRACED, example_batches
from engine.export.job import ExportJob
from engine.export.outside import Compared, Reading, write_compared
from engine.export.predicting_file import with_predicting_file
from engine.export.preparation import PREPARATION, preparation_text
from engine.export.torch_file import loading_snippet, loading_text, torch_reader
from engine.export.tracing import refusal
from engine.export.written import Written


def write_torchscript(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples by ``torch.jit.trace`` and write it; the file takes its
    place only after a process that knows nothing of Trellis computed the same with it, for other
    batch sizes. It is told that TorchScript is deprecated (X049).

    Raises :class:`DiagnosticError`: X035 the outputs differ, X037 an operation cannot be traced
    (with its node), X038 the batch size is fixed, X040 the file cannot be loaded, X042 for what
    belongs to no node.
    """
    examples = example_batches(job)
    module = job.rounded_module().eval()
    job.tell("trace")
    content = _content(job, module, examples.traced, preparation_text(job, output.name))
    notices = (Diagnostic(code="X049", severity=Severity.HINT),)
    if not examples.samples:
        notices += (Diagnostic(code="X041", severity=Severity.HINT),)
    compared = Compared(module, examples.compared, examples.samples, notices)
    try:
        with Reading(torch_reader("torchscript")) as reading:
            written = write_compared(job, output, content, compared, reading)
    except RuntimeError as error:  # of the model itself, on a batch of another size
        raise DiagnosticError.of("X038", size=TRACED, detail=str(error)) from error
    written = with_predicting_file(job, output, written, _loading)
    load = f"torch.jit.load({output.name!r})"
    return written._replace(snippet=loading_snippet(examples.compared[-1], load))


def _loading(name: str) -> str:
    return loading_text(name, 'torch.jit.load(str(MODEL), map_location="cpu")')


def _content(
    job: ExportJob, module: nn.Module, inputs: tuple[Tensor, ...], preparation: str
) -> bytes:
    stream = io.BytesIO()
    try:
        with warnings.catch_warnings(), torch.no_grad(), torch.random.fork_rng(devices=[]):
            warnings.simplefilter("ignore")  # that it is deprecated is told by us
            script = torch.jit.trace(module, inputs, check_trace=False)
            torch.jit.save(script, stream, _extra_files={PREPARATION: preparation})
    except Exception as error:  # custom code and the compiler may raise anything
        raise DiagnosticError(refusal(job, error, "TorchScript")) from error
    return stream.getvalue()
