"""A small interpreter of catalogue entries, independent of the code generator, and guesses."""

import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from engine.catalog.spec import Entry, ParamKind, PortSpec, Value

NAMESPACES: dict[str, Any] = {"nn": nn, "F": functional, "torch": torch}
OWN = {
    "expand_batch": lambda tensor, like: tensor.repeat(len(like), *[1] * (tensor.dim() - 1)),
    "shuffle": lambda tensor, dim: tensor.flip(dim),
    "slice": lambda tensor, dim, step: tensor[(slice(None),) * dim + (slice(None, None, step),)],
}
INFIX = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "**": lambda a, b: a**b, "@": lambda a, b: a @ b, "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def named(target: str) -> Any:
    """Return what ``nn.Conv2d`` or ``torch.linalg.vector_norm`` stands for."""
    space, _, path = target.partition(".")
    found = NAMESPACES[space]
    for part in path.split("."):
        found = getattr(found, part)
    return found


def argument(entry: Entry, name: str, value: Value) -> Any:
    """Return a document value as torch takes it."""
    param = entry.param(name)
    if param is not None and param.kind is ParamKind.DTYPE:
        return getattr(torch, str(value))
    return value


def build(entry: Entry, params: dict[str, Value]) -> nn.Module:
    """Return the module of a layer entry."""
    values = {
        name: argument(entry, name, value)
        for name, value in params.items()
        if not (found := entry.param(name)) or not found.call
    }
    inner = []
    for part in entry.parts:
        own = {name: values.pop(name) for name in part.params if name in values}
        inner.append(named(part.target)(**own))
    return named(entry.target)(*inner, **values)


def run(entry: Entry, params: dict[str, Value], given: dict[str, Any]) -> dict[str, Any]:
    """Run an entry on tensors by port and return its outputs by port."""
    if entry.group == "layer":
        function: Any = build(entry, params)
        rest = {p.name: params[p.name] for p in entry.params if p.call and p.name in params}
        order: list[str] = []
    else:
        function, rest, order = _operator(entry, params, given)
    positional = [rest.pop(name) for name in order]
    named_ports = {p.name: given[p.name] for p in entry.inputs if p.keyword and p.name in given}
    result = function(*_positional(entry, given), *positional, **named_ports, **rest)
    return {port.name: _at(result, port.path) for port in entry.output_ports(params)}


def _operator(
    entry: Entry, params: dict[str, Value], given: dict[str, Any]
) -> tuple[Any, dict[str, Any], list[str]]:
    drawn = {param.name for param in entry.params if param.is_drawn}
    passed = {k: v for k, v in params.items() if k not in given and k not in drawn}
    values = {k: argument(entry, k, v) for k, v in passed.items()}
    kind, _, name = entry.target.partition(":")
    order = [name for name in entry.positional if name in values]
    if kind == "infix":
        return INFIX[name], values, list(values)
    if kind == "own":
        return OWN[name], values, order
    if kind == "method":
        return functools.partial(_method, name), values, order
    if any(port.name in entry.positional for port in entry.inputs):
        function = named(entry.target)
        return functools.partial(_parameters_first, function), values, order
    return named(entry.target), values, order


def _parameters_first(function: Any, operands: Any, *args: Any) -> Any:
    return function(*args, operands)


def _method(name: str, owner: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(owner, name)(*args, **kwargs)


def _positional(entry: Entry, given: dict[str, Any]) -> list[Any]:
    grouped: dict[int, list[Any]] = {}
    arguments: list[Any] = []
    for place, port in enumerate(entry.inputs):
        if port.keyword or port.name not in given:
            continue
        if port.path:
            grouped.setdefault(port.path[0], []).append(given[port.name])
        else:
            assert place == len(arguments), "an optional port stands before this one"
            arguments.append(given[port.name])
    return arguments + [tuple(group) for _, group in sorted(grouped.items())]


def _at(result: Any, path: tuple[int, ...]) -> Any:
    for index in path:
        result = result[index]
    return result


def layer_guess(entry: Entry) -> tuple[dict[str, Value], dict[str, Any]]:
    """Return parameters and inputs with which a layer should run: its suggestions, and shapes
    by its name and category. ``"auto"`` is resolved as ``auto_port`` and ``auto_axis`` say.
    """
    given = _layer_inputs(entry)
    params: dict[str, Value] = {
        name: value for name, value in entry.initial_params().items() if value != "auto"
    }
    for param in entry.params:
        if param.auto and (param.required or param.name == "d_model"):
            port: PortSpec = entry.inputs[0]
            tensor = given[param.auto_port or port.name]
            params[param.name] = tensor.shape[param.auto_axis]
    return params, given


SPATIAL = {1: (2, 8, 16), 2: (2, 8, 16, 16), 3: (2, 8, 8, 8, 8)}
SHAPES = {
    "Recurrent": (2, 5, 8), "Attention": (2, 5, 8), "Linear": (2, 8), "Distance": (2, 8),
    "Activation": (2, 8),
}  # fmt: skip
OWN_SHAPES = {
    "Fold": (2, 12, 49), "LayerNorm": (2, 8), "RMSNorm": (2, 8), "Unflatten": (2, 8),
    "BatchNorm1d": (2, 8), "Softmax2d": SPATIAL[2], "RNNCell": (2, 8), "LSTMCell": (2, 8),
    "GRUCell": (2, 8),
}  # fmt: skip


def _layer_inputs(entry: Entry) -> dict[str, Any]:
    key = entry.key
    dims = int(key[-2]) if key.endswith(("1d", "2d", "3d")) else 2
    if key.startswith("MaxUnpool"):
        pool = getattr(functional, f"max_pool{dims}d")
        values, indices = pool(torch.randn(SPATIAL[dims]), 2, return_indices=True)
        return {"input": values, "indices": indices}
    if entry.category == "Embedding":
        return {"input": torch.randint(0, 10, (2, 5))}
    shape = OWN_SHAPES.get(key) or SHAPES.get(entry.category) or SPATIAL[dims]
    return {port.name: torch.randn(shape) for port in entry.inputs if port.required}


def operator_guess(entry: Entry) -> tuple[dict[str, Value], dict[str, Any]]:
    """Return parameters and inputs with which an operator should run."""
    key = entry.key
    params = {**entry.initial_params()}
    tensor = torch.rand(2, 3, 4) + 0.5
    given: dict[str, Any] = {}
    for port in entry.inputs:
        if port.variadic:
            given[port.name] = [tensor, tensor] if key != "einsum" else [tensor[0], tensor[0]]
        elif port.required or entry.param(port.name):
            given[port.name] = tensor
    special: dict[str, dict[str, Any]] = {
        "bmm": {"mat2": tensor.mT},
        "matmul": {"other": tensor.mT},
        "outer": {"input": tensor[0, 0], "vec2": tensor[0, 0]},
        "one_hot": {"input": torch.randint(0, 10, (2, 3))},
        "where": {"condition": tensor > 1},
        "masked_fill": {"mask": tensor > 1},
        "gather": {"index": torch.zeros(2, 3, 1, dtype=torch.int64)},
        "index_select": {"index": torch.tensor([0, 1])},
        "take": {"index": torch.tensor([0, 1])},
        "masked_select": {"mask": tensor > 1},
        "logical_and": {"input": tensor > 1, "other": tensor > 1},
        "logical_or": {"input": tensor > 1, "other": tensor > 1},
        "logical_not": {"input": tensor > 1},
        "pixel_shuffle": {"input": torch.rand(2, 4, 3, 3)},
        "expand": {"input": torch.rand(2, 1)},
        "expand_batch": {"input": tensor[:1]},
        "mm": {"input": tensor[0], "mat2": tensor[0].T},
        "scatter": {"index": torch.zeros(2, 3, 1, dtype=torch.int64)},
    }
    given |= special.get(key, {})
    if "pool" in key:
        given["input"] = torch.rand(SPATIAL[int(key[-2])])
    chosen: dict[str, dict[str, Value]] = {
        "view": {"shape": (-1, 12)},
        "reshape": {"shape": (-1, 12)},
        "repeat": {"repeats": (1, 2, 1)},
        "split": {"sizes": (1, 2)},
        "topk": {"k": 2},
        "glu": {"dim": -1},
        "clamp": {"min": 0.0},
        "expand": {"sizes": (-1, 3)},
    }
    return params | chosen.get(key, {}), given


Guess = Callable[[Entry], tuple[dict[str, Value], dict[str, Any]]]


@pytest.fixture(name="guess")
def _guess() -> Guess:
    """Return a function that gives parameters and inputs with which a node should run."""

    def guess(entry: Entry) -> tuple[dict[str, Value], dict[str, Any]]:
        torch.manual_seed(0)
        return (layer_guess if entry.group == "layer" else operator_guess)(entry)

    return guess


@pytest.fixture(name="call")
def _call() -> Callable[..., dict[str, Any]]:
    """Return a function that runs an entry on tensors by port and gives tensors by port."""
    return run
