"""Search for the cause of a loss that is not finite, by computing its batch once more."""

import warnings
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from engine.diagnostics import Diagnostic
from engine.graph.block import place_name
from engine.inspect.node_path import NodePaths
from engine.inspect.step_tracer import Spot, StepTracer
from engine.train.losses import Batch, Outputs
from engine.train.precision import Network
from engine.train.training import Training

Forward = Callable[[Network, Sequence[Tensor]], Outputs]
"""How a model goes forward: in the numbers of the run, or as it is."""


def find_cause(
    training: Training, batch: Batch, step: int, loss: float, node_paths: NodePaths
) -> Diagnostic:
    """Return the diagnostic of a loss that is not finite: the first value on the way that is not.

    Checks the data (R131), the weights and outputs layer by layer and operation by operation
    (R132, R133: ``node`` is the name of the layer, or of the node that is the operation; R493 where
    it is finite in float32, and only overflows in float16), and then at the operations of a
    backward pass in anomaly mode (R134).
    """
    params: dict[str, str | int | float] = {"step": step, "loss": str(loss)}
    for name, values in batch.items():
        if not _is_finite(values):
            return Diagnostic(code="R131", params={**params, "field": name})
    faults, total = _computed(training, batch, node_paths, training.precision.forward)
    if faults:
        code, layer = faults[0]
        if code == "R133" and training.spec.compute.precision == "float16":
            in_float32, _ = _computed(training, batch, node_paths, _plain)
            code = code if in_float32 else "R493"
        return Diagnostic(code=code, node=layer, params={**params, "layer": layer})
    return Diagnostic(code="R134", params=params, detail=_operation(total))


def _computed(
    training: Training, batch: Batch, node_paths: NodePaths, forward: Forward
) -> tuple[list[tuple[str, str]], Tensor]:
    """Compute a batch once more; return the layers whose values are not finite, in order, with what
    is wrong with them, and the loss.
    """
    faults: list[tuple[str, str]] = []
    handles = _watch(training.model, faults)
    tracer = StepTracer(node_paths, _LineTracer(node_paths, faults).reach)
    try:
        with tracer.forward(training.model):
            outputs = forward(training.model, [batch[field] for field in training.input_fields])
        total, _ = training.loss(outputs, batch)
    finally:
        for handle in handles:
            handle.remove()
    return faults, total


def _plain(network: Network, inputs: Sequence[Tensor]) -> Outputs:
    return network(*inputs)


class _LineTracer:
    """Checks values line by line: an operation is no module that could have a hook."""

    def __init__(self, node_paths: NodePaths, faults: list[tuple[str, str]]) -> None:
        self._graph = node_paths.graph
        self._faults = faults
        self._last_path = ""

    def reach(self, spot: Spot) -> None:
        """Blame the node before, where it is the first that left a value that is not finite."""
        if self._last_path and not self._faults:
            values = (each.tensor for each in spot.held().values() if each.kind == "variable")
            if not all(_is_finite(value) for value in values):
                self._faults.append(("R133", place_name(self._graph, self._last_path)))
        self._last_path = spot.place


def _watch(model: nn.Module, faults: list[tuple[str, str]]) -> list[RemovableHandle]:
    def hook_for(name: str) -> RemovableHandle:
        def check(module: nn.Module, _inputs: object, outputs: object) -> None:
            weights = [*module.parameters(recurse=False), *module.buffers(recurse=False)]
            if not all(_is_finite(value) for value in weights):
                faults.append(("R132", name))
            elif not all(_is_finite(value) for value in _tensors(outputs)):
                faults.append(("R133", name))

        return module_by_name[name].register_forward_hook(check)

    module_by_name = {
        name: module
        for name, module in model.named_modules()
        if name and not any(module.children())
    }
    return [hook_for(name) for name in module_by_name]


def _operation(total: Tensor) -> str:
    """Return what anomaly mode says of the backward pass of a loss."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says the same in many lines
            with torch.autograd.set_detect_anomaly(True):
                total.backward()
    except RuntimeError as error:
        return str(error)
    return ""


def _tensors(value: object) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in _tensors(item)]
    return []


def _is_finite(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() or bool(torch.isfinite(tensor).all())
