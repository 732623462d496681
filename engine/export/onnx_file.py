"""The computation with its weights as an ``.onnx`` file, for any batch size."""

import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, fx

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import ExportJob
from engine.export.outside import Batches, Reader, Reading, write_compared
from engine.export.predicting_file import with_predicting_file
from engine.export.preparation import PREPARATION, preparation_text
from engine.export.tracing import Traced, name_of, traced
from engine.export.written import Written
from engine.model.source import generate_whole

if TYPE_CHECKING:
    from onnx_ir import SymbolicDim
    from torch.onnx import ONNXProgram

_MOST = (1 << 31) - (1 << 24)  # bytes of a file of protobuf, without what is no weight
_STEP = re.compile(r'File "<trellis_model_\w+>", line (\d+)')


def _packed(batches: Batches) -> bytes:
    question = io.BytesIO()
    values = {
        f"{number}.{place}": values.contiguous().numpy()
        for number, batch in enumerate(batches)
        for place, values in enumerate(batch)
    }
    np.savez(question, allow_pickle=False, **values)
    return question.getvalue()


def _unpacked(answer: bytes) -> Batches:
    found: dict[int, list[Tensor]] = {}
    with np.load(io.BytesIO(answer)) as values:
        for key in values.files:
            found.setdefault(int(key.partition(".")[0]), []).append(torch.from_numpy(values[key]))
    return [tuple(outputs) for outputs in found.values()]


_LOADING = '''
from pathlib import Path

import onnxruntime
import torch

MODEL = Path(__file__).with_name({name})


def load_model():
    """Return a session of ONNX Runtime with the model, on the CPU."""
    return onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])


def compute(model, inputs):
    """Return the outputs for prepared inputs."""
    names = [each.name for each in model.get_inputs()]
    return model.run(None, {{name: x.numpy() for name, x in zip(names, inputs, strict=True)}})
'''
READER = Reader(Path(__file__).with_name("read_onnx.py"), _packed, _unpacked)
"""Knows NumPy and ONNX Runtime alone."""


def write_onnx(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples, put it into operators of ONNX and write it; the file takes
    its place only after ONNX Runtime, in another process, computed the same with it, for other
    batch sizes.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X037 an operation cannot be exported,
    X038 the batch size is fixed, X040 ONNX Runtime cannot load it, X044 ONNX has no such operator
    (with its node), X045 it cannot be put into ONNX, X046 it is too large for one file.
    """
    _require_fitting(job)
    found = traced(job)
    program = _translated(job, found)
    program.model.metadata_props[PREPARATION] = preparation_text(job, output.name)
    content = _content(program, job, found)
    with Reading(READER) as reading:
        written = write_compared(job, output, content, found.compared, reading)
    written = with_predicting_file(job, output, written, _loading)
    return written._replace(snippet=_snippet(output, found))


def _loading(name: str) -> str:
    return _LOADING.format(name=repr(name))


def _require_fitting(job: ExportJob) -> None:
    weights = job.module.state_dict().values()
    size = sum(value.numel() * value.element_size() for value in weights)
    if size > _MOST:
        raise DiagnosticError.of("X046", size=f"{size / 1e9:.1f}")


def _translated(job: ExportJob, found: Traced) -> "ONNXProgram":
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # of PyTorch about its own insides
            program = torch.onnx.export(found.program, dynamo=True, verbose=False)
    except Exception as error:  # the translator may raise anything
        raise DiagnosticError(_refusal(job, error)) from error
    assert program is not None
    return program


def _refusal(job: ExportJob, error: BaseException) -> Diagnostic:
    """Return why a program cannot be put into ONNX, with the node where it stopped."""
    causes = list(_causes(error))
    detail = str(causes[-1]).strip()
    node = next((each for each in map(_node_in, causes) if each is not None), None)
    if node is None:
        reason = detail.split("\n")[0] or type(error).__name__
        return Diagnostic(code="X045", params={"reason": reason}, detail=detail)
    steps = [int(line) for line in _STEP.findall(str(node.meta.get("stack_trace", "")))]
    lines = generate_whole(job.graph).lines
    place = next((lines[line] for line in steps if line in lines), None)
    operator = str(node.target).removesuffix(".default")
    params: dict[str, str | int | float] = {
        "node": node.name if place is None else name_of(job, place),
        "operator": operator,
    }
    return Diagnostic(code="X044", node=place, params=params, detail=detail)


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _node_in(error: BaseException) -> fx.Node | None:
    """Return the operation that an error arose at. Its message has only a name that the exporter
    gave it; the step that translates it holds the operation itself.
    """
    step = error.__traceback__
    found: fx.Node | None = None
    while step is not None:
        held = step.tb_frame.f_locals.get("node")
        if isinstance(held, fx.Node) and held.op == "call_function":
            found = held
        step = step.tb_next
    return found


def _content(program: "ONNXProgram", job: ExportJob, found: Traced) -> bytes:
    """Return a program as a file, with the names of the user's inputs, outputs and axes."""
    model = program.model
    program.rename_axes(_axis_names(found))
    taken = {value.name for node in model.graph for value in node.outputs}
    taken |= {value.name for value in model.graph.inputs} | set(model.graph.initializers)
    outputs = [node.name for node in job.graph.nodes.values() if node.type == "Output"]
    for value, name in zip(model.graph.outputs, outputs, strict=False):
        if name not in taken:
            value.name = name
            taken.add(name)
    model.producer_name = "Trellis"
    model.doc_string = job.title
    return program.model_proto.SerializeToString()


def _axis_names(found: Traced) -> "dict[str | SymbolicDim, str]":
    """Return the names of open axes: "batch", and that of the input with the number of the axis."""
    values = {node.name: node.meta.get("val") for node in found.program.graph.nodes}
    names: dict[str | SymbolicDim, str] = {}
    for name in found.program.graph_signature.user_inputs:
        shape = getattr(values.get(str(name)), "shape", ())
        for axis, size in enumerate(shape):
            if not str(size).isdigit():
                names.setdefault(str(size), f"{name}_{axis}" if axis else "batch")
    return names


def _snippet(output: Path, found: Traced) -> str:
    """Return the code that loads the file and computes with it."""
    names = found.program.graph_signature.user_inputs
    inputs = ", ".join(
        f"{name!r}: np.zeros({(4, *values.shape[1:])}, np.{_numpy_type(values)})"
        for name, values in zip(names, found.compared.batches[-1], strict=True)
    )
    return (
        "import numpy as np\nimport onnxruntime\n\n"
        f"session = onnxruntime.InferenceSession({output.name!r})\n"
        f"print(session.run(None, {{{inputs}}}))  # prepared as in the run; any batch size\n"
    )


def _numpy_type(values: Tensor) -> str:
    name = str(values.dtype).removeprefix("torch.")
    return "bool_" if name == "bool" else name
