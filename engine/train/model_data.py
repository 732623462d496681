"""Data of a run as its model takes it: the fields that are read, weighed, and on the device."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial

import torch

from engine.data.load.load import LoadedData
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.spec.run import RunSpec
from engine.train.losses import LossTerms
from engine.train.precision import in_precision

_RESIDENT_BYTES = 1 << 30


def input_fields(graph: Graph) -> tuple[str, ...]:
    """Return the data fields that the inputs of a model take, in their order.

    Raises :class:`DiagnosticError` R120 where an input takes none.
    """
    fields: list[str] = []
    for node in graph.nodes.values():
        if node.type != "Input":
            continue
        field = node.params.get("field", "")
        if not isinstance(field, str) or not field:
            raise DiagnosticError.of("R120", node=node.id, name=node.name)
        fields.append(field)
    return tuple(fields)


def used_fields(graph: Graph, loss: LossTerms, data: LoadedData, more: Collection[str]) -> set[str]:
    """Return the fields that model and loss read, and those of ``more`` that the data has."""
    needed = {*input_fields(graph), *(name for term in loss.terms for name in term.data_fields())}
    return needed | {info.name for info in data.info.fields if info.name in more}


def weighing(loss: LossTerms, data: LoadedData) -> LoadedData:
    """Return the data, by whose weights of samples, where it has some, the loss is weighed."""
    if data.info.weight:
        loss.weigh_samples(data.info.weight)
    return data


def placed_data(
    data: LoadedData, used: set[str], device: torch.device, spec: RunSpec
) -> LoadedData:
    """Keep the fields that are used in the precision of the run, on the device where they fit."""
    compute, available = spec.compute, {field.name for field in data.info.fields}
    for field in sorted(used - available):
        names = ", ".join(sorted(available))
        problem = Diagnostic(
            code="R123", field="data.source", params={"field": field, "known": names}
        )
        raise DiagnosticError(problem)
    names, convert = sorted(used), partial(in_precision, spec=compute)
    parts = {part: each.placed(names, convert, None) for part, each in data.parts.items()}
    is_augmented = data.training is not data.parts["train"]
    training = data.training.placed(names, convert, None) if is_augmented else parts["train"]
    is_resident = sum(part.nbytes for part in (*parts.values(), training)) <= _RESIDENT_BYTES
    if device.type != "cpu" and is_resident:
        parts = {part: each.placed(names, convert, device) for part, each in parts.items()}
        training = training.placed(names, convert, device) if is_augmented else parts["train"]
    return replace(data, parts=parts, training=training)
