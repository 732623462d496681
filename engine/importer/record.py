"""Record of a module that is run: every call on a tensor is written down as it happens.

Nothing has memory behind it (the meta device), so only what depends on sizes is followed. All sizes
are those of the examples; the batch alone may be another one: two runs with two numbers of samples
tell what depends on it, a third in training what depends on the mode.
"""

import operator
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.func import functional_call
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map
from typing_extensions import override

from engine.importer.alignment import aligned
from engine.importer.trace import (
    BATCHES,
    Pair,
    Trace,
    blank,
    failed,
    holds_tensor,
    is_leaf,
    kept_modes,
    without_memory,
)

_OPERATORS: dict[str, Callable[..., Any]] = {
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__floordiv__": operator.floordiv,
    "__mod__": operator.mod,
    "__and__": operator.and_,
    "__or__": operator.or_,
    "__xor__": operator.xor,
    "__invert__": operator.invert,
    "__eq__": operator.eq,
    "__ne__": operator.ne,
    "__matmul__": operator.matmul,
}
_TURNED: dict[str, Callable[..., Any]] = {
    "__rsub__": operator.sub,
    "__rdiv__": operator.truediv,
    "__rtruediv__": operator.truediv,
    "__rpow__": operator.pow,
    "__rfloordiv__": operator.floordiv,
    "__rmod__": operator.mod,
    "__rmatmul__": operator.matmul,
}
"""Operators with the tensor on the right."""


def record(module: nn.Module, example_inputs: Sequence[Tensor]) -> Trace:
    """Return what a module does with inputs like the examples (the first axis is the batch).

    Raises :class:`DiagnosticError`: I002 when it cannot be followed, as what it does depends on
    values; I006 when it does something else in training than in evaluation or for another batch.
    """
    with kept_modes(module):
        module.train()
        training = _run(module, blank(example_inputs, BATCHES[0]))
        module.eval()
        first, second = (_run(module, blank(example_inputs, number)) for number in BATCHES)
    graph = aligned(module, (first.graph, second.graph, training.graph))
    pairs = zip(first.graph.nodes, second.graph.nodes, graph.nodes, strict=True)
    values = {
        node: Pair(first.values[one], second.values[other])
        for one, other, node in pairs
        if one in first.values
    }
    return Trace(module, graph, values)


def _run(module: nn.Module, inputs: Sequence[Tensor]) -> "_Recorder":
    recorder = _Recorder(module, inputs)
    try:
        recorder.run()
    except Exception as error:  # whatever the forward of a stranger raises
        raise failed("I002", module, error) from error
    return recorder


class _Recorder(TorchFunctionMode):
    """Writes the calls of one run into ``graph``; ``values`` is what each of them gave."""

    def __init__(self, module: nn.Module, inputs: Sequence[Tensor]) -> None:
        super().__init__()
        self.graph = fx.Graph()
        self.values: dict[fx.Node, Any] = {}
        self._module = module
        self._inputs = inputs
        self._sources: dict[int, fx.Node] = {}
        self._alive: list[Any] = []  # so that no id is given twice
        self._state = {
            name: without_memory(value)
            for name, value in (*module.named_parameters(), *module.named_buffers())
        }
        self._names = {id(value): name for name, value in self._state.items()}
        self._paths = {part: name for name, part in module.named_modules(remove_duplicate=False)}
        self._stack: list[tuple[str, nn.Module]] = []
        self._calls = 0
        self._is_inside_leaf = False

    def run(self) -> None:
        """Run the module once."""
        for index, value in enumerate(self._inputs):
            self._add("placeholder", f"x{index or ''}", (), {}, value)
        with _calls_of_modules(self._call), torch.device("meta"), self:
            result = functional_call(self._module, self._state, tuple(self._inputs))
        self.graph.output(self._written(result))

    @override
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        del types
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        is_assignment = name == "__setitem__"
        if self._is_inside_leaf or not (is_assignment or holds_tensor(result)):
            return result
        op, target = _target(func, name)
        if name == "__get__":
            args = (args[0], str(getattr(func, "__self__").__name__))  # noqa: B009  # no such stub
        elif name in _TURNED:
            args = args[::-1]
        self._add(op, target, args, kwargs, args[0] if is_assignment else result)
        return result

    def _call(self, call: Callable[..., Any], part: nn.Module, args: Any, kwargs: Any) -> Any:
        path = self._paths.get(part)
        if path is None or self._is_inside_leaf:
            return call(part, *args, **kwargs)
        self._calls += 1
        key = f"{path}@{self._calls}"
        if path:
            self._stack.append((key, part))
        self._is_inside_leaf = is_leaf(part)
        try:
            result = call(part, *args, **kwargs)
            if self._is_inside_leaf:
                self._add("call_module", path, args, kwargs, result)
            return result
        finally:
            self._is_inside_leaf = False
            if path:
                self._stack.pop()

    def _add(self, op: str, target: Any, args: Any, kwargs: Any, result: Any) -> None:
        node = self.graph.create_node(op, target, self._written(args), self._written(kwargs))
        node.meta["nn_module_stack"] = {
            key: (self._paths[part], type(part)) for key, part in self._stack
        }
        self._bind(node, result)

    def _bind(self, node: fx.Node, value: Any) -> None:
        self.values[node] = value
        self._alive.append(value)
        if isinstance(value, Tensor):
            self._sources[id(value)] = node
        elif isinstance(value, dict | list | tuple):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in items:
                if holds_tensor(item):
                    inner = self.graph.call_function(operator.getitem, (node, key))
                    inner.meta = dict(node.meta)
                    self._bind(inner, item)

    def _written(self, value: Any) -> Any:
        def written(item: Any) -> Any:
            return self._source(item) if isinstance(item, Tensor) else item

        return tree_map(written, value)

    def _source(self, value: Tensor) -> fx.Node:
        """Return the operation that a tensor comes from; it may be one that the module holds."""
        source = self._sources.get(id(value))
        if source is not None:
            return source
        name = self._names.get(id(value)) or self._attribute(value)
        node = self.graph.create_node("get_attr", name)
        node.meta["nn_module_stack"] = {
            key: (self._paths[part], type(part)) for key, part in self._stack
        }
        self.values[node] = value
        self._alive.append(value)
        return node

    def _attribute(self, value: Tensor) -> str:
        """Return the name of a tensor that is not among the weights."""
        for part, path in self._paths.items():
            for name, held in vars(part).items():
                if held is value:
                    return f"{path}.{name}" if path else name
        return "tensor"


def _target(func: Callable[..., Any], name: str) -> tuple[str, Any]:
    """Return a function as a graph names it."""
    if name == "__get__":
        return "call_function", getattr
    if name in _OPERATORS:
        return "call_function", _OPERATORS[name]
    if name in _TURNED:
        return "call_function", _TURNED[name]
    if getattr(Tensor, name, None) is func:
        return "call_method", name
    return "call_function", func


@contextmanager
def _calls_of_modules(instead: Callable[..., Any]) -> Generator[None]:
    """Lead every call of a module through a function of the call, the module and its arguments."""
    original = nn.Module.__call__

    def called(part: nn.Module, *args: Any, **kwargs: Any) -> Any:
        return instead(original, part, args, kwargs)

    nn.Module.__call__ = called
    try:
        yield
    finally:
        nn.Module.__call__ = original
