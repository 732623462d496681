"""Calls of a recorded forward as Python text: the call itself and the numbers that it needs."""

import importlib
import inspect
import math
import operator
from typing import Any, NamedTuple

import torch
from torch import Tensor, fx

from engine.catalog.spec import Value
from engine.graph.naming import name_problem
from engine.importer.operation import changes_its_input
from engine.importer.scope import Source
from engine.importer.trace import Modal, Pair, Trace
from engine.importer.wiring import source_of
from engine.syntax.operator_name import SIGN_FUNCTIONS, function_names

_INFIX = {
    **{name: sign for sign in SIGN_FUNCTIONS for name in function_names(sign)},
    "and_": "&",
    "iand": "&",
    "or_": "|",
    "ior": "|",
    "xor": "^",
}
_HOMES = (
    ("torch", torch),
    ("F", torch.nn.functional),
    ("torch.special", torch.special),
    ("torch.fft", torch.fft),
    ("torch.linalg", torch.linalg),
)
_INSTALLED = ("torch", "torchvision", "math")
"""Packages whose functions a file may import: those that are where the program is."""

_FEW = 256
"""Numbers that are written out at most."""

_FACTORIES = frozenset(
    ("arange", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "tensor", "zeros")
)
"""Functions that make a tensor: it has to be where the others are."""

_TAKEN = frozenset({"torch", "nn", "F", "Tensor", "result", "self", "out", "math"})


class UnwritableError(Exception):
    """A call cannot be written down; ``code`` tells why."""

    def __init__(self, code: str = "I001") -> None:
        super().__init__(code)
        self.code = code


class Parameter(NamedTuple):
    """A constant of a call that stands in the form of the node."""

    value: Value
    annotation: str
    is_list: bool


class Expressions:
    """Writes one call. ``ports`` are the parameters for what arrives with their annotation,
    ``wires`` where that comes from, ``lines`` what stands before the call.
    """

    def __init__(self, trace: Trace) -> None:
        self.ports: dict[str, str] = {}
        self.wires: dict[str, Source] = {}
        self.lines: list[str] = []
        self.imports: set[str] = set()
        self._trace = trace
        self._known: dict[fx.Node, str] = {}
        self._sources: dict[Source, str] = {}
        self._hints: dict[fx.Node, str] = {}

    def call(self, node: fx.Node, params: dict[str, Parameter], *, of_self: bool) -> str:
        """Return a call whose result has tensors; its parameters are variables, or attributes where
        they are ``of_self``. Raises :class:`UnwritableError`.
        """
        self._hints = {
            value: name
            for name, value in _arguments(node).items()
            if isinstance(value, fx.Node) and name not in params and _is_good(name)
        }
        owner = "self." if of_self else ""
        named = {
            name: f"list({owner}{name})" if param.is_list else f"{owner}{name}"
            for name, param in params.items()
        }
        if "exact" in node.meta:
            return self._exact(node)
        value = (
            self._changed(node, named) if changes_its_input(node) else self._written(node, named)
        )
        self._any()
        return value

    def literal_tensor(self, value: Tensor) -> str:
        """Return an expression that makes a tensor of the same numbers. Raises
        :class:`UnwritableError` where they are many.
        """
        options = f"dtype={value.dtype}, device={self._any()}.device"
        sizes, flat = tuple(value.shape), value.flatten()
        first = flat[0].item() if value.numel() else 0
        if _is_even(flat):
            return f"torch.full({sizes}, {_literal(first)}, {options})"
        if _counts(flat):
            return f"torch.arange({first}, {first + flat.numel()}, {options}).view({sizes})"
        if not is_brief(value):
            raise UnwritableError("I013")
        return f"torch.tensor({_literal_numbers(value.tolist())}, {options})"

    def _exact(self, node: fx.Node) -> str:
        """Return a call of the operation of ATen that a node was made from."""
        target, args, kwargs = node.meta["exact"]
        word = str(target).rpartition(".")[0]
        if word.endswith("_") and not word.endswith("__"):
            raise UnwritableError("I008")
        value = f"torch.ops.{target}({self._list(args, kwargs)})"
        self._any()
        return value

    def _changed(self, node: fx.Node, named: dict[str, str]) -> str:
        """Return a call that writes into what it gets, of a copy of that."""
        source = self._value(node.args[0])
        name = getattr(node.target, "__name__", "")
        if name == "setitem":
            self.lines += [
                f"out = {source}.clone()",
                f"out[{self._index(node.args[1])}] = {self._value(node.args[2])}",
            ]
            return "out"
        if name in _INFIX:
            return self._written(node, {})
        if node.op != "call_method":
            return self._function_of_copies(node, named)
        rest = self._list(node.args[1:], node.kwargs)
        return f"{source}.clone().{node.target}({rest})"

    def _function_of_copies(self, node: fx.Node, named: dict[str, str]) -> str:
        """Return a call of a function that writes into what it gets, with copies of that."""
        for source in node.all_input_nodes:
            if isinstance(self._trace.values[source].first, Tensor):
                self._known[source] = f"{self._of_node(source)}.clone()"
        return self._written(node, named)

    def _written(self, node: fx.Node, named: dict[str, str]) -> str:
        args, kwargs = node.args, node.kwargs
        name = getattr(node.target, "__name__", "")
        if node.op == "call_method":
            return f"{self._value(args[0])}.{node.target}({self._list(args[1:], kwargs)})"
        if node.op != "call_function":
            raise UnwritableError
        if node.target is operator.getitem:
            return f"{self._value(args[0])}[{self._index(args[1])}]"
        if node.target is getattr:
            return f"{self._value(args[0])}.{args[1]}"
        if getattr(node.target, "__module__", "") == "_operator":
            return self._operator(name, args)
        function = self._function(node.target)
        if named:
            return f"{function}({self._named(node, named)})"
        if name in _FACTORIES and "device" not in kwargs:
            kwargs = {**kwargs, "device": torch.device("meta")}
        return f"{function}({self._list(args, kwargs)})"

    def _operator(self, name: str, args: Any) -> str:
        if name in _INFIX and len(args) == 2:
            return f"{self._value(args[0])} {_INFIX[name]} {self._value(args[1])}"
        if name in ("neg", "invert", "inv") and len(args) == 1:
            return f"{'-' if name == 'neg' else '~'}{self._value(args[0])}"
        raise UnwritableError

    def _named(self, node: fx.Node, named: dict[str, str]) -> str:
        return ", ".join(
            f"{name}={named[name] if name in named else self._value(value)}"
            for name, value in _arguments(node).items()
        )

    def _list(self, args: Any, kwargs: Any) -> str:
        items = [self._value(value) for value in args]
        return ", ".join([*items, *(f"{k}={self._value(v)}" for k, v in kwargs.items())])

    def _function(self, target: Any) -> str:
        """Return how a function is called; what torch has no name for is imported."""
        name = str(getattr(target, "__name__", ""))
        for home, holder in _HOMES:
            short = name.removeprefix(f"{home.rpartition('.')[2]}_")  # fft_fft is torch.fft.fft
            if getattr(holder, short, None) is target:
                return f"{home}.{short}"
        module = str(getattr(target, "__module__", ""))
        if module == "builtins" and name in ("min", "max", "len", "int", "float", "round", "abs"):
            return name
        if module.partition(".")[0] not in _INSTALLED or not _is_good(name.strip("_")):
            raise UnwritableError
        if getattr(importlib.import_module(module), name, None) is not target:
            raise UnwritableError
        self.imports.add(f"from {module} import {name}")
        return name

    def _index(self, value: Any) -> str:
        if isinstance(value, tuple) and value:
            items = [self._index(item) for item in value]
            return ", ".join(items) + ("," if len(items) == 1 else "")
        if isinstance(value, slice):
            ends = [value.start, value.stop]
            parts = ["" if end is None else self._value(end) for end in ends]
            step = "" if value.step is None else f":{self._value(value.step)}"
            return ":".join(parts) + step
        return self._value(value)

    def _value(self, value: Any) -> str:  # noqa: PLR0911 - one line a kind of value
        match value:
            case fx.Node():
                return self._of_node(value)
            case Modal():
                return _modal(value)
            case Pair():
                return self._size(value)
            case torch.device():
                return f"{self._any()}.device"
            case list() | tuple():
                return self._sequence(value, list(map(self._value, value)))
            case dict():
                pairs = [f"{name!r}: {self._value(item)}" for name, item in value.items()]
                return "{" + ", ".join(pairs) + "}"
            case slice():
                parts = ", ".join(map(self._value, (value.start, value.stop, value.step)))
                return f"slice({parts})"
            case _:
                return _literal(value)

    def _sequence(self, value: list[Any] | tuple[Any, ...], items: list[str]) -> str:
        if isinstance(value, list):
            return f"[{', '.join(items)}]"
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"

    def _of_node(self, node: fx.Node) -> str:
        if node in self._known:
            return self._known[node]
        pair = self._trace.values[node]
        if self._trace.has_tensor(node):
            text = self._arriving(pair.first, *source_of(node, self._trace), node)
        elif pair.is_constant and not isinstance(pair.first, torch.device):
            text = self._value(pair.first)
        else:
            value = self._written(node, {})
            text = self._free(node.name)
            self.lines.append(f"{text} = {value}")
        self._known[node] = text
        return text

    def _arriving(self, value: Any, node: fx.Node, path: Any, origin: fx.Node) -> str:
        """Return a parameter for a tensor, or a tuple or dictionary made of several."""
        if isinstance(value, Tensor):
            return self._port((node, path), origin)
        if isinstance(value, dict):
            pairs = [
                f"{key!r}: {self._arriving(item, node, (*path, key), origin)}"
                for key, item in value.items()
            ]
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list | tuple):
            items = [
                self._arriving(item, node, (*path, position), origin)
                for position, item in enumerate(value)
            ]
            return self._sequence(value, items)
        return _literal(value)

    def _port(self, source: Source, origin: fx.Node) -> str:
        if source not in self._sources:
            name = self._free(self._hints.get(origin, "x"))
            self._sources[source] = name
            self.ports[name] = "Tensor"
            self.wires[name] = source
        return self._sources[source]

    def _any(self) -> str:
        """Return something that arrives; what needs nothing gets the first input of the model."""
        return next(iter(self.ports), None) or self._like()

    def _like(self) -> str:
        """Return the first input of the model, for its batch."""
        first = self._trace.first_input()
        self._hints.setdefault(first, "like")
        return self._port((first, ()), first)

    def _free(self, base: str) -> str:
        name, number = base, 2
        while name in self.ports or name in _TAKEN or name in self._known.values():
            name, number = f"{base}{number}", number + 1
        return name

    def _size(self, pair: Pair) -> str:
        """Return a number that depends on the batch, by the size of something that arrives."""
        size = next(filter(None, (self._part(pair, name) for name in list(self.wires))), None)
        size = size or self._part(pair, self._like())
        if size is None:
            raise UnwritableError("I004")
        return size

    def _part(self, pair: Pair, name: str) -> str | None:
        """Return a number as a multiple or a part of a size of what arrives at a port."""
        source = self.wires[name]
        both = _picked(self._trace.values[source[0]], source[1])
        for axis, sizes in enumerate(zip(both[0].shape, both[1].shape, strict=True)):
            if sizes[0] == sizes[1]:
                continue
            if sizes == tuple(pair):
                return f"{name}.shape[{axis}]"
            factors = [divmod(a, b) for a, b in zip(pair, sizes, strict=True)]
            if factors[0] == factors[1] and factors[0][1] == 0:
                return f"{factors[0][0]} * {name}.shape[{axis}]"
            parts = [divmod(b, a) if a else (0, 1) for a, b in zip(pair, sizes, strict=True)]
            if parts[0] == parts[1] and parts[0][1] == 0:
                return f"{name}.shape[{axis}] // {parts[0][0]}"
        return None


def is_brief(value: Tensor) -> bool:
    """Return whether the numbers of a tensor can be written out: few, all the same, or counting."""
    flat = value.flatten()
    return flat.numel() <= _FEW or _is_even(flat) or _counts(flat)


def _is_even(flat: Tensor) -> bool:
    return flat.numel() > 0 and bool((flat == flat[0]).all())


def _counts(flat: Tensor) -> bool:
    is_whole = flat.dtype == torch.int64
    return is_whole and torch.equal(flat, torch.arange(flat.numel()) + flat[:1])


def parameters_of(node: fx.Node) -> dict[str, Parameter]:
    """Return the plain constants of a call by name, where its function tells their names."""
    if node.op != "call_function" or not inspect.isfunction(node.target):
        return {}
    params = {name: _parameter(value) for name, value in _arguments(node).items()}
    return {name: param for name, param in params.items() if param is not None and _is_good(name)}


def modal_values(node: fx.Node) -> bool:
    """Return whether a constant of a call depends on the mode."""
    waiting: list[Any] = [*node.args, *node.kwargs.values()]
    for value in waiting:
        if isinstance(value, Modal):
            return True
        if isinstance(value, list | tuple) and not isinstance(value, Pair):
            waiting += list(value)
    return False


def _arguments(node: fx.Node) -> dict[str, Any]:
    """Return the arguments of a call by name; nothing where their names are not known."""
    if node.op != "call_function" or not inspect.isfunction(node.target):
        return {}
    try:
        signature = inspect.signature(node.target)
        bound = signature.bind(*node.args, **node.kwargs)
    except (TypeError, ValueError):
        return {}
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    is_plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return dict(bound.arguments) if is_plain else {}


def _parameter(value: Any) -> Parameter | None:
    if isinstance(value, bool | int | float | str):
        return Parameter(value, type(value).__name__, is_list=False)
    if isinstance(value, list | tuple) and value and not isinstance(value, Pair | Modal):
        for kind in (int, float):
            if all(type(item) is kind for item in value):
                listed = tuple(value)
                return Parameter(listed, f"tuple[{kind.__name__}, ...]", isinstance(value, list))
    return None


def _is_good(name: str) -> bool:
    return name.isidentifier() and name not in _TAKEN and name_problem(name) is None


def _modal(value: Modal) -> str:
    if value == (False, True):
        return "self.training"
    return f"({_literal(value.training)} if self.training else {_literal(value.evaluation)})"


def _literal(value: Any) -> str:
    match value:
        case None | bool() | int() | str():
            return repr(value)
        case float():
            return repr(value) if math.isfinite(value) else f'float("{value}")'
        case torch.dtype() | torch.memory_format() | torch.layout():
            return str(value)
        case _ if value is ...:
            return "..."
        case _:
            raise UnwritableError


def _literal_numbers(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal_numbers, value))}]"
    return _literal(value)


def _picked(pair: Pair, path: Any) -> tuple[Any, Any]:
    first, second = pair
    for part in path:
        first, second = first[part], second[part]
    return first, second
