"""Autograd Function that a backward pass failed at, with the graph at that time."""

import time
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import GraphCaptured
from engine.inspect.autograd import capture
from engine.inspect.explanation import meaning
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import watched
from engine.runs.record.autograd_graph import AutogradGraph, AutogradNode
from engine.runs.record.graph_files import write_graph
from engine.train.training import Training

_MESSAGES = ("modified by an inplace operation", "backward through the graph a second time")


def explain_backward(
    training: Training, error: Exception, node_paths: NodePaths, artefacts: Path, step: int
) -> tuple[Diagnostic, GraphCaptured] | None:
    """Return the diagnostic of a backward pass that PyTorch refused and the event of its graph,
    which is written to the artefacts: a saved tensor was changed in place (A003), or was freed by
    the backward pass of an earlier step (A004). None for any other error.

    Goes forward once more with the batch of the step, so all that is worth keeping has to be saved
    before.
    """
    text = str(error)
    batch = training.probe.failed
    if batch is None or not any(message in text for message in _MESSAGES):
        return None
    try:
        with watched(training.model):
            outputs = training.model(*[batch[field] for field in training.input_fields])
            loss, _ = training.loss(outputs, batch)
        graph = capture(loss, training.model, node_paths)
        failed = _failed_function(graph)
        if failed is None:
            return None
        path = write_graph(artefacts, step, graph)
    except (DiagnosticError, RuntimeError):  # the first error is the one to report
        return None
    captured = GraphCaptured(
        time=time.time(),
        step=step,
        file=path.relative_to(artefacts).as_posix(),
        functions=len(graph.nodes),
        edges=len(graph.edges),
    )
    return _finding(failed, step, text), captured


def _failed_function(graph: AutogradGraph) -> AutogradNode | None:
    """Return the first Function in the order of the backward pass that cannot be called."""
    candidates = [node for node in graph.nodes if node.is_changed or node.is_freed]
    # The engine calls Functions by falling sequence number.
    return max(candidates, key=lambda node: (node.is_changed, node.sequence), default=None)


def _finding(node: AutogradNode, step: int, text: str) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "step": step,
        "function": node.name,
        "layer": node.layer or "forward",
    }
    if not node.is_changed:
        return Diagnostic(code="A004", node=node.place or None, params=params, detail=text)
    changed = next(value for value in node.saved if value.is_changed)
    shape = "×".join(map(str, changed.tensor.shape)) if changed.tensor else ""
    params |= {
        "tensor": f"{changed.name} {shape}".strip(),
        "version": changed.version,
        "expected": changed.expected,
    }
    return Diagnostic(code="A003", node=node.place or None, params=params, detail=text)


def hint(text: str, step: int) -> Diagnostic | None:
    """Return what a message of PyTorch means, as a hint; None for one without an explanation."""
    if is_out_of_memory(text):
        return Diagnostic(code="R138", severity=Severity.HINT, params={"step": step})
    return meaning(text)


def is_out_of_memory(text: str) -> bool:
    """Return whether a message says that there was not enough memory."""
    return "out of memory" in text or "DefaultCPUAllocator: can't allocate" in text
