"""The whole model as ``torch.save`` pickles it, with the Python file of its class beside it."""

import importlib.util
import io
import json
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

from engine.custom.source_module import executed
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.example_batches import compared_on_examples
from engine.export.job import ExportJob
from engine.export.load import apply_weights
from engine.export.outside import Reading, write_compared
from engine.export.python_file import carried_text
from engine.export.source_parts import SourceParts
from engine.export.torch_file import loading_snippet, torch_reader
from engine.export.written import Written
from engine.files import atomic_write
from engine.train.precision import model_in_precision

_LOADING = '''
{MODEL} = Path(__file__).with_name({file})


def {load_model}(file={MODEL}):
    """Return the trained model in evaluation mode, on the CPU.

    The file is a pickle: loading it runs what it says. Load none that you do not trust.
    """
    return torch.load(file, map_location="cpu", weights_only=False).eval()
'''
_SNIPPET = """\
import sys

sys.path.insert(0, ".")  # where {code} lies, which has the class
# A pickle runs code when it is loaded: load none that you do not trust.
{load}"""


def write_whole_model(job: ExportJob, output: Path) -> Written:
    """Write the pickle and the file of its class; it takes its place only after a process that
    knows nothing of Trellis loaded it with that file and computed the same. It is told that
    loading a pickle runs code (X060).

    Raises :class:`DiagnosticError`: X011 when it would stand in the place of the Python file, X061
    for a name that cannot be that of a module, X062 for a model that cannot be pickled, X035 the
    outputs differ, X040 it cannot be loaded, D545 for a transform that cannot be carried.
    """
    code = output.with_suffix(".py")
    if code == output:
        raise DiagnosticError.of("X011", file=output.name)
    _require_importable(output)
    text = carried_text(job, output.name, lambda source: _loading(output.name, source))
    job.tell("write")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / code.name
        atomic_write(place, text.encode())
        content = _pickled(job, place, output.name)
        compared = compared_on_examples(job, job.module)
        told = Diagnostic(code="X060", severity=Severity.HINT, params={"file": code.name})
        compared = compared._replace(notices=(told, *compared.notices))
        with Reading(torch_reader("pickle", folder)) as reading:
            written = write_compared(job, output, content, compared, reading)
    atomic_write(code, text.encode())
    load = f'torch.load({output.name!r}, map_location="cpu", weights_only=False).eval()'
    snippet = _SNIPPET.format(code=code.name, load=loading_snippet(compared.batches[-1], load))
    return written._replace(files=(output, code), snippet=snippet)


def _require_importable(output: Path) -> None:
    """Raise :class:`DiagnosticError` (X061) where the class would not be found again by the name of
    its file: a pickle names it so.
    """
    name = output.stem
    is_known = name in sys.builtin_module_names or name in sys.modules
    if "." in name or is_known or importlib.util.find_spec(name) is not None:
        plain = name.replace(".", "_")
        raise DiagnosticError.of("X061", file=output.name, better=f"my_{plain}{output.suffix}")


def _loading(name: str, source: SourceParts) -> str:
    return _LOADING.format(
        MODEL=source.names["WEIGHTS"], load_model=source.names["load_model"], file=json.dumps(name)
    )


def _pickled(job: ExportJob, code: Path, name: str) -> bytes:
    """Return the model as an instance of the class in a file, as others will import it."""
    stream = io.BytesIO()
    module = _imported(code)
    try:
        made: type[nn.Module] = getattr(module, SourceParts(job.source).model)
        model = model_in_precision(made(), job.spec.compute)
        apply_weights(job.weights(), model)
        torch.save(model.eval(), stream)
    except Exception as error:  # what own code holds may refuse in any way
        reason = str(error).strip().split("\n")[0] or type(error).__name__
        params: dict[str, str | int | float] = {"file": name, "reason": reason}
        raise DiagnosticError(Diagnostic(code="X062", params=params, detail=str(error))) from error
    finally:
        del sys.modules[module.__name__]
    return stream.getvalue()


def _imported(code: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(code.stem, code)
    assert spec is not None
    return executed(spec, importlib.util.module_from_spec(spec))
