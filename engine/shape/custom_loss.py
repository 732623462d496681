"""Check of custom losses before a run, on what they will get."""

from collections.abc import Iterator, Mapping

import torch
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis, TensorType
from engine.graph.code import code_entry, code_loss
from engine.graph.model import Graph
from engine.shape.custom_node import CustomNode, run_custom_node
from engine.shape.execute import BATCHES, Signal, dtype_of, floating_of, in_floating, shown
from engine.spec.data import DataInfo
from engine.spec.output import ModelOutput, model_outputs
from engine.spec.run import LossTerm, RunSpec
from engine.syntax.call import complete_params

_SOME = 3
"""Rows of a sample that stand for any number of them."""


def check_custom_losses(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield what own losses say to the shapes that they get, each at its field: what they raise at
    its line (U012 to U017), and that a loss is one number (U032). Terms of which not all is known
    are left out.
    """
    outputs = model_outputs(graph, analysis)
    floating = floating_of(spec.compute.precision)
    for index, term in enumerate(spec.losses):
        entry = code_entry(graph.code, term.loss.type)
        loss = code_loss(graph.code, term.loss.type)
        signals = None if loss is None else _signals(term, outputs, info, floating)
        if entry is None or signals is None:
            continue
        values = complete_params(entry, term.loss.params, {})
        node = CustomNode(entry, values, graph.code, entry.output_ports(term.loss.params), floating)
        outcome = run_custom_node(node, {}, signals)
        field = f"losses.{index}.loss"
        for finding in outcome.findings:
            yield replace(finding, field=field, params={"name": entry.label, **finding.params})
        result = outcome.outputs.get("output")
        if result is not None and result.shape:
            params: dict[str, str | int | float] = {"name": entry.label, "shape": shown(result)}
            yield Diagnostic(code="U032", field=field, params=params)


def _signals(
    term: LossTerm,
    outputs: Mapping[str, ModelOutput],
    info: DataInfo | None,
    floating: torch.dtype,
) -> dict[str, Signal] | None:
    found: dict[str, Signal] = {}
    for port, bound in term.inputs.items():
        side, _, name = bound.partition(".")
        if side == "model":
            output = outputs.get(name)
            kind = None if output is None else output.type
        else:
            field = None if info is None else info.field(name)
            shape = () if field is None else [_SOME if size < 0 else size for size in field.shape]
            kind = None if field is None else TensorType(shape=("N", *shape), dtype=field.dtype)
        signal = None if kind is None else _signal(kind, floating)
        if signal is None:
            return None
        found[port] = signal
    return found


def _signal(kind: TensorType, floating: torch.dtype) -> Signal | None:
    """Return a type as it is for both batch sizes; None for an axis that is not simply N."""
    dtype = dtype_of(kind.dtype)
    if dtype is None or any(isinstance(axis, str) and axis != "N" for axis in kind.shape):
        return None
    first, second = (
        tuple(axis if isinstance(axis, int) else batch for axis in kind.shape) for batch in BATCHES
    )
    return Signal((first, second), in_floating(dtype, floating))
