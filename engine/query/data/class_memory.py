"""What very many classes need: the word of the memory estimate beside a proposal."""

from contextlib import suppress

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.model import Graph
from engine.query.memory.answer import estimate
from engine.spec.data import DataInfo
from engine.spec.run import RunSpec

_MANY = 10_000
_MB = 1e6


def with_class_memory(info: DataInfo, graph: Graph | None, spec: RunSpec) -> DataInfo:
    """Return what is told of the data; of very many classes with how many samples each has and the
    memory that a step of the proposed model takes.
    """
    classes = 0 if info.target is None else len(info.target.classes)
    if graph is None or classes <= _MANY:
        return info
    with suppress(DiagnosticError):  # what cannot be counted is told by the checks of the model
        told = Diagnostic.of(
            "D725",
            severity=Severity.HINT,
            classes=classes,
            each=round(info.samples / classes, 1),
            size=spec.data.batch_size,
            need=round(estimate(graph, spec).most / _MB),
        )
        return replace(info, problems=(*info.problems, told))
    return info
