"""Check that a backward pass computes the derivatives of its forward pass: in double precision, on
small random numbers of the sizes that arrive.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.gradcheck import GradcheckError

from engine.catalog.code.target import is_custom
from engine.catalog.spec import Entry, EntryGroup
from engine.custom import watchdog
from engine.custom.module import load_custom_object
from engine.custom.trust import require_trust
from engine.diagnostics import DiagnosticError
from engine.graph.block import entry_of
from engine.graph.model import Graph, Node
from engine.graph.query import incoming
from engine.query.gradient.request import CheckGradient, GradientDifference, GradientReport
from engine.shape.custom_node import CustomNode, stopped
from engine.shape.execute import Signal, arguments_of, picked
from engine.shape.propagate import Propagator
from engine.shape.survey import survey
from engine.syntax.call import call_arguments, complete_params, constructor_arguments

_SECONDS = 60.0
_SEED = 0
_STEP = 1e-6
_MOST = 600  # numbers of inputs and parameters; beyond them directions are drawn
_SHOWN = 10
_ABSOLUTE, _RELATIVE = 1e-5, 1e-3


class _Case(NamedTuple):
    """A function of tensors that need a derivative, with their names and values."""

    call: Callable[..., tuple[Tensor, ...]]
    names: tuple[str, ...]
    values: tuple[Tensor, ...]
    outputs: tuple[str, ...]


def check_gradient(request: CheckGradient) -> GradientReport:
    """Return what a check of a node of custom code finds; layers in evaluation mode.

    Raises :class:`DiagnosticError`: U030 for a node that is not of custom code or to which nothing
    known arrives, U027 for code that nobody has trusted, U015 and U016 where an earlier check did
    not come to an end.
    """
    graph, node_path = request.graph, request.place
    require_trust(graph.code)
    flat = survey(graph, Propagator())
    node = flat.flat.graph.nodes.get(node_path)
    entry = None if node is None else entry_of(flat.flat.graph, node)
    if node is None or entry is None or not is_custom(entry.target):
        raise DiagnosticError.of("U030", node=node_path, name=node_path)
    signals: dict[str, Signal] = {}
    for edge in incoming(flat.flat.graph, node_path):
        source = flat.outcomes.get(edge.source)
        if source is not None and edge.source_port in source.outputs:
            signals[edge.target_port] = source.outputs[edge.source_port]
    findings = flat.outcomes[node_path].findings if node_path in flat.outcomes else ()
    if findings or not signals:
        raise DiagnosticError.of("U030", node=node_path, name=node.name)
    values = complete_params(entry, node.params, {})
    custom = CustomNode(entry, values, graph.code, entry.output_ports(node.params))
    key = f"gradient of {custom.name} {sorted(signals.items())}"
    verdict = watchdog.verdict(key)
    if verdict is not None:
        raise DiagnosticError(stopped(custom, verdict, _SECONDS, node.name))
    with watchdog.watched(key, _SECONDS), torch.random.fork_rng(devices=[]):
        torch.manual_seed(_SEED)
        return _report(_case(node, entry, graph, signals, flat.outcomes[node_path].resolved))


def _case(
    node: Node,
    entry: Entry,
    graph: Graph,
    signals: Mapping[str, Signal],
    resolved: Mapping[str, int],
) -> _Case:
    made, _ = load_custom_object(graph.code, entry.target)
    values = complete_params(entry, node.params, resolved)
    tensors = {port: _random(signal) for port, signal in signals.items()}
    module: nn.Module | None = None
    if entry.group is EntryGroup.LAYER:
        positional, keywords = arguments_of(constructor_arguments(entry, values), {})
        module = made(*positional, **keywords).double().eval()
    inputs = {name: tensor for name, tensor in tensors.items() if tensor.requires_grad}
    weights = dict(module.named_parameters()) if module is not None else {}
    weights = {name: weight for name, weight in weights.items() if weight.requires_grad}
    names = (*inputs, *weights)
    ports = entry.output_ports(node.params)

    def call(*given: Tensor) -> tuple[Tensor, ...]:
        now = dict(zip(names, given, strict=True))
        arriving = {port: now.get(port, tensor) for port, tensor in tensors.items()}
        positional, keywords = arguments_of(call_arguments(entry, values, arriving), arriving)
        if module is None:
            result: Any = made(*positional, **keywords)
        else:
            replaced = {name: now[name] for name in weights}
            result = torch.func.functional_call(module, replaced, tuple(positional), keywords)
        outputs = [picked(result, port) for port in ports]
        return tuple(t for t in outputs if t is not None and t.is_floating_point())

    given = (*inputs.values(), *(weight.detach().clone() for weight in weights.values()))
    return _Case(
        call,
        names,
        tuple(tensor.detach().requires_grad_() for tensor in given),
        tuple(port.name for port in ports),
    )


def _random(signal: Signal) -> Tensor:
    if not signal.dtype.is_floating_point:
        return torch.zeros(signal.shape, dtype=signal.dtype)
    return torch.randn(signal.shape, dtype=torch.float64).requires_grad_()


def _report(case: _Case) -> GradientReport:
    is_large = sum(prod(value.shape) for value in case.values) > _MOST
    try:
        torch.autograd.gradcheck(
            case.call, case.values, eps=_STEP, fast_mode=is_large, check_undefined_grad=False
        )
    except GradcheckError as error:
        differences = [] if is_large else _differences(case)
        reason = "" if differences else str(error).strip().splitlines()[0][:300]
        shown = tuple(sorted(differences, key=_size, reverse=True)[:_SHOWN])
        return GradientReport(passed=False, checked=case.names, differences=shown, reason=reason)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the code raises is told
        reason = f"{type(error).__name__}: {error}"[:300]
        return GradientReport(passed=False, checked=case.names, reason=reason)
    return GradientReport(passed=True, checked=case.names)


def _size(difference: GradientDifference) -> float:
    return abs(difference.given - difference.expected)


def _differences(case: _Case) -> list[GradientDifference]:
    """Return for each pair of output and input the worst place where they do not agree."""
    outputs = case.call(*case.values)
    differences: list[GradientDifference] = []
    for argument, name in enumerate(case.names):
        expected = _expected(case, argument)
        for number, output in enumerate(outputs):
            given = _given(output, case.values[argument])
            gap = (given - expected[number]).abs()
            allowed = _ABSOLUTE + _RELATIVE * expected[number].abs()
            if not bool((gap > allowed).any()):
                continue
            worst = int((gap - allowed).argmax())
            row, column = divmod(worst, given.shape[1])
            differences.append(
                GradientDifference(
                    of=case.outputs[number] if number < len(case.outputs) else str(number),
                    by=name,
                    output_index=row,
                    input_index=column,
                    given=float(given[row, column]),
                    expected=float(expected[number][row, column]),
                )
            )
    return differences


def _given(output: Tensor, value: Tensor) -> Tensor:
    """Return the Jacobian that the backward pass gives: a row for each number of the output."""
    rows: list[Tensor] = []
    for index in range(output.numel()):
        direction = torch.zeros_like(output)
        direction.view(-1)[index] = 1
        (row,) = torch.autograd.grad(
            output, value, direction, retain_graph=True, allow_unused=True, materialize_grads=True
        )
        rows.append(row.flatten())
    return torch.stack(rows) if rows else torch.zeros(0, value.numel(), dtype=value.dtype)


@torch.no_grad()
def _expected(case: _Case, argument: int) -> list[Tensor]:
    """Return the Jacobians of all outputs by one input, from small steps to both sides."""
    columns: list[list[Tensor]] = []
    for index in range(case.values[argument].numel()):
        sides: list[tuple[Tensor, ...]] = []
        for step in (_STEP, -_STEP):
            moved = [value.detach().clone() for value in case.values]
            moved[argument].view(-1)[index] += step
            sides.append(case.call(*moved))
        columns.append([((a - b) / (2 * _STEP)).flatten() for a, b in zip(*sides, strict=True)])
    return [torch.stack(parts, dim=1) for parts in zip(*columns, strict=True)]
