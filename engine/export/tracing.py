"""The computation of a model, traced by ``torch.export`` for any batch size."""

import warnings
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.example_batches import TRACED, Examples, example_batches
from engine.export.job import ExportJob
from engine.export.outside import Compared
from engine.graph.model import Node
from engine.model.module import node_of_traceback
from engine.model.source import generate_whole


class Traced(NamedTuple):
    """What was traced of a model, and what it is compared on."""

    program: ExportedProgram
    compared: Compared


def traced(job: ExportJob) -> Traced:
    """Trace a model with two samples.

    Raises :class:`DiagnosticError`: X037 an operation cannot be exported (with its node), X038 the
    batch size is fixed, X042 for what belongs to no node.
    """
    examples = example_batches(job)
    module = job.rounded_module().eval()
    job.tell("trace")
    program = _program(job, module, examples.traced)
    notices, compared = _fixed_axes(job, program, examples)
    if not examples.samples:
        notices += (Diagnostic(code="X041", severity=Severity.HINT),)
    samples = sum(len(batch[0]) for batch in compared) if examples.samples else 0
    return Traced(program, Compared(module, compared, samples, notices))


def inputs_of(job: ExportJob) -> list[Node]:
    """Return the inputs of a model, in order."""
    return [node for node in job.graph.nodes.values() if node.type == "Input"]


def name_of(job: ExportJob, node: str) -> str:
    """Return the name of a node; of one within a block that of the block."""
    found = job.graph.nodes.get(node.split("/", maxsplit=1)[0])
    return found.name if found is not None else node


def _program(job: ExportJob, module: nn.Module, inputs: tuple[Tensor, ...]) -> ExportedProgram:
    shapes = tuple(_dynamic(node) for node in inputs_of(job))
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")  # of PyTorch about its own insides
            return torch.export.export(module, inputs, dynamic_shapes=shapes)
    except Exception as error:  # custom code and the compiler may raise anything
        raise DiagnosticError(refusal(job, error)) from error


def _dynamic(node: Node) -> dict[int, object]:
    """Return the axes of an input of any size: the batch, and those that its shape leaves open."""
    given = node.params.get("shape")
    axes = given if isinstance(given, tuple) else ()
    free = {place: Dim.AUTO for place, axis in enumerate(axes, 1) if axis == -1}
    return {0: Dim.DYNAMIC, **free}


def refusal(job: ExportJob, error: Exception, by: str = "torch.export") -> Diagnostic:
    """Return why a model cannot be traced ``by`` something, with the node where it stopped."""
    text = str(error).strip().split("\n\n")[0]
    if "as dynamic but your code specialized it" in text:
        return Diagnostic(code="X038", params={"size": TRACED}, detail=text)
    node = node_of_traceback(error, generate_whole(job.graph).lines)
    first = text.split("\n")[0] or type(error).__name__
    if node is None:
        return Diagnostic(code="X042", params={"by": by, "reason": first}, detail=text)
    name = name_of(job, node)
    params: dict[str, str | int | float] = {"by": by, "node": name, "reason": first}
    return Diagnostic(code="X037", node=node, params=params, detail=text)


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
    for number, (node, name) in enumerate(zip(inputs_of(job), names, strict=True)):
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
