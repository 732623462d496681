"""The computation with its weights as a ``.pt2`` file of ``torch.export``, for any batch size."""

import io
import math
import subprocess
import sys
import warnings
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.example_batches import TRACED, Examples, example_batches
from engine.export.job import ExportJob
from engine.export.verify import SEED, difference_of, outputs_of
from engine.export.written import Written
from engine.files import WriteTarget, atomic_write
from engine.graph.model import Node
from engine.model.module import node_of_traceback
from engine.model.source import generate_whole

_READER = Path(__file__).with_name("read_program.py")


def write_program(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples and write it; the file takes its place only after a process
    that knows nothing of Trellis computed the same with it, for other batch sizes.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X037 an operation cannot be exported
    (with its node), X038 the batch size is fixed, X040 the file cannot be loaded.
    """
    examples = example_batches(job)
    module = job.rounded_module().eval()
    job.tell("trace")
    program = _traced(job, module, examples.traced)
    notices, compared = _fixed_axes(job, program, examples)
    if not examples.samples:
        notices += (Diagnostic(code="X041", severity=Severity.HINT),)
    differences: list[float] = []

    def write(target: WriteTarget) -> None:
        torch.export.save(program, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    def verify(file: Path) -> None:
        job.tell("check")
        found = _outputs_outside(file, output.name, compared)
        expected = _outputs_here(module, compared)
        differences.append(require_close(expected, found, output.name))

    job.tell("write")
    atomic_write(output, write, verify)
    samples = sum(len(batch[0]) for batch in compared) if examples.samples else 0
    return Written(
        (output,), max(differences), len(compared), samples, _snippet(output, compared), notices
    )


def require_close(
    expected: list[tuple[Tensor, ...]], found: list[tuple[Tensor, ...]], file: str
) -> float:
    """Return the largest difference. Raises :class:`DiagnosticError` (X035) where it is more than
    rounding: the square root of what the numbers tell apart, of the largest output.
    """
    largest = 0.0
    for wanted, given in zip(expected, found, strict=True):
        if len(wanted) != len(given):
            raise DiagnosticError.of("X035", file=file, difference=math.inf, allowed=0.0)
        for one, other in zip(wanted, given, strict=True):
            difference, allowed = difference_of(one, other), _allowed(one)
            if difference > allowed:
                raise DiagnosticError.of("X035", file=file, difference=difference, allowed=allowed)
            largest = max(largest, difference)
    return largest


def _allowed(expected: Tensor) -> float:
    if not expected.is_floating_point() or not expected.numel():
        return 0.0
    size = float(expected.abs().nan_to_num(posinf=0.0).max())
    return math.sqrt(torch.finfo(expected.dtype).eps) * max(1.0, size)


def _inputs(job: ExportJob) -> list[Node]:
    return [node for node in job.graph.nodes.values() if node.type == "Input"]


def _traced(job: ExportJob, module: nn.Module, inputs: tuple[Tensor, ...]) -> ExportedProgram:
    shapes = tuple(_dynamic(node) for node in _inputs(job))
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # of PyTorch about its own insides
            return torch.export.export(module, inputs, dynamic_shapes=shapes)
    except Exception as error:  # custom code and the compiler may raise anything
        raise DiagnosticError(_refusal(job, error)) from error


def _dynamic(node: Node) -> dict[int, object]:
    """Return the axes of an input of any size: the batch, and those that its shape leaves open."""
    given = node.params.get("shape")
    axes = given if isinstance(given, tuple) else ()
    free = {place: Dim.AUTO for place, axis in enumerate(axes, 1) if axis == -1}
    return {0: Dim.DYNAMIC, **free}


def _refusal(job: ExportJob, error: Exception) -> Diagnostic:
    """Return why a model cannot be traced, with the node where it stopped."""
    text = str(error).strip().split("\n\n")[0]
    if "as dynamic but your code specialized it" in text:
        return Diagnostic(code="X038", params={"size": TRACED}, detail=text)
    node = node_of_traceback(error, generate_whole(job.graph).lines)
    first = text.split("\n")[0] or type(error).__name__
    if node is None:
        return Diagnostic(code="X042", params={"reason": first}, detail=text)
    found = job.graph.nodes.get(node.split("/")[0])
    name = found.name if found is not None else node
    return Diagnostic(code="X037", node=node, params={"node": name, "reason": first}, detail=text)


def _fixed_axes(
    job: ExportJob, program: ExportedProgram, examples: Examples
) -> tuple[tuple[Diagnostic, ...], list[tuple[Tensor, ...]]]:
    """Return what is to be said of open axes that PyTorch made constants, and the batches that fit
    them; a batch of other sizes is cut to the traced ones.
    """
    names = program.graph_signature.user_inputs
    values = {node.name: node.meta.get("val") for node in program.graph.nodes}
    notices: list[Diagnostic] = []
    compared = [list(batch) for batch in examples.compared]
    for number, (node, name) in enumerate(zip(_inputs(job), names, strict=True)):
        shape = getattr(values.get(str(name)), "shape", ())
        for axis in _dynamic(node):
            if axis == 0 or not str(shape[axis]).isdigit():  # its name, where it is open
                continue
            size = int(shape[axis])
            params: dict[str, str | int | float] = {
                "axis": axis,
                "input": node.name,
                "size": size,
            }
            notices.append(
                Diagnostic(code="X039", severity=Severity.HINT, node=node.id, params=params)
            )
            for batch in compared:
                batch[number] = _of_size(batch[number], axis, size)
    return tuple(notices), [tuple(batch) for batch in compared]


def _of_size(values: Tensor, axis: int, size: int) -> Tensor:
    """Return values cut along an axis, or filled up with the last ones."""
    places = torch.arange(size).clamp(max=values.shape[axis] - 1)
    return values.index_select(axis, places)


def _outputs_here(module: nn.Module, batches: list[tuple[Tensor, ...]]) -> list[tuple[Tensor, ...]]:
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        return [outputs_of(module, inputs) for inputs in batches]


def _outputs_outside(
    file: Path, name: str, batches: list[tuple[Tensor, ...]]
) -> list[tuple[Tensor, ...]]:
    """Return what another process computes with a file. It ends with this one: nobody writes to it
    or reads from it then. Raises :class:`DiagnosticError` (X040).
    """
    question = io.BytesIO()
    torch.save([tuple(values.clone() for values in batch) for batch in batches], question)
    done = subprocess.run(
        [sys.executable, "-I", str(_READER), str(file), str(SEED)],
        input=question.getvalue(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip()
        reason = words.rpartition("\n")[2]
        raise DiagnosticError(
            Diagnostic(code="X040", params={"file": name, "reason": reason}, detail=words[-4000:])
        )
    return torch.load(io.BytesIO(done.stdout), weights_only=True)


def _snippet(output: Path, batches: list[tuple[Tensor, ...]]) -> str:
    """Return the code that loads the file and computes with it."""
    shapes = [(tuple(values.shape[1:]), values.dtype) for values in batches[-1]]
    inputs = ", ".join(f"torch.zeros{(4, *shape)}.to({dtype})" for shape, dtype in shapes)
    return (
        "import torch\n\n"
        f"model = torch.export.load({output.name!r}).module()\n"
        f"print(model({inputs}))  # prepared as in the run; any batch size\n"
    )
