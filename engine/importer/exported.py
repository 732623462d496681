"""Program of ``torch.export`` as a module and the trace of its operations.

Its operations are those of ATen, a level below what is called in Python. Where a layer of PyTorch
was called, the layer is made again from what its operation is told; other operations become those
of the catalogue, or own code that calls the same operation.
"""

import operator
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.utils._pytree import tree_map
from typing_extensions import override

from engine.importer.archive import Exported
from engine.importer.expression import is_brief
from engine.importer.layer import layer_class, principal, rebuilt
from engine.importer.operation import is_known_operation
from engine.importer.program import Call, Name, Program, Step, carry_out, names_in
from engine.importer.rehearsal import (
    Rehearsal,
    TooLargeError,
    TooLongError,
    WrittenWeightError,
)
from engine.importer.trace import BATCHES, Modal, Pair, Trace, without_memory

_CONTAINERS: dict[str, type[nn.Module]] = {
    f"torch.nn.modules.container.{kind.__name__}": kind
    for kind in (nn.Sequential, nn.ModuleList, nn.ModuleDict)
}
_RESIZED = frozenset(("view", "reshape", "_unsafe_view", "expand"))
_DROPOUTS = frozenset(("dropout", "alpha_dropout", "feature_alpha_dropout"))


_Called = tuple[str, Any, tuple[Any, ...], dict[str, Any]]
"""The kind of an operation in a graph, what is called, and with what."""


class FixedBatchError(Exception):
    """The program was exported for one number of samples, and cannot be carried out for another."""


class ExportedModule(nn.Module):
    """The program as a module: its weights under their names, and a forward that carries it out."""

    def __init__(self, exported: Exported, program: Program) -> None:
        super().__init__()
        self._program = program
        self._constants = exported.constants

    @override
    def forward(self, *inputs: Tensor) -> dict[str, Tensor]:
        """Return the results by their key."""
        names = (value.name for value in self._program.inputs)
        values = dict(zip(names, inputs, strict=True)) | self.held()
        carry_out(self._program, values)
        return {key: values[name.name] for key, name in self._program.outputs.items()}

    def held(self) -> dict[str, Any]:
        """Return the tensors that the program reads, by the name of the value."""
        weights = dict(self.named_parameters(remove_duplicate=False)) | dict(self.named_buffers())
        tensors = self._constants | weights
        return {name: tensors[path] for name, path in self._program.held.items() if path in tensors}


class ExportedReader:
    """Makes the module and the trace. Raises what PyTorch raises, and :class:`FixedBatchError`."""

    def __init__(self, exported: Exported, program: Program) -> None:
        self._exported = exported
        self._program = program
        self.module = _class_named(exported.name, ExportedModule)(exported, program)
        self._kinds = {call.path: call.kind for s in program.steps for call in s.stack}
        self._groups: dict[str, list[Step]] = {}
        for step in program.steps:
            for call in step.stack:
                self._groups.setdefault(call.key, []).append(step)
        self._leaves: dict[str, tuple[Step, Name] | None] = {}
        self._layers: dict[str, nn.Module] = {}
        self._graph = fx.Graph()
        self._nodes: dict[str, fx.Node] = {}
        self._weights: dict[str, fx.Node] = {}
        self._at: Step | None = None
        self._stack: dict[str, tuple[str, str]] = {}
        self._values: dict[fx.Node, Pair] = {}
        self._results: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self.unread: list[str] = []
        """The weights that no layer has and no operation reads: they are left out."""
        self.added: list[str] = []
        """Tensors that are saved with the weights from now on: too many numbers for a text."""

    @property
    def is_training(self) -> bool:
        """Whether the program was exported in training."""
        flags = [s.named.get("training", s.named.get("train")) for s in self._program.steps]
        return any(flag is True for flag in flags)

    def examples(self) -> list[Tensor]:
        """Return inputs that the program takes; whole numbers are zero."""
        return [
            torch.randn(sizes, dtype=value.dtype)
            if value.dtype.is_floating_point
            else torch.zeros(sizes, dtype=value.dtype)
            for value, sizes in zip(self._program.inputs, self._sizes(0), strict=True)
        ]

    def trace(self) -> Trace:
        """Return the operations as those of Python."""
        self._put_weights()
        given = self._compute()
        for value in self._program.inputs:
            self._add(value.name, ("placeholder", value.name, (), {}))
        for step, args, kwargs in given:
            leaf = next(
                (replacement for call in step.stack if (replacement := self._leaf(call))), None
            )
            if leaf is None:
                self._add_step(step, args, kwargs)
            elif leaf[0] is step:
                self._add_layer(step, leaf[1])
        results = {key: self._source(name) for key, name in self._program.outputs.items()}
        self._graph.output(results)
        return Trace(self.module, self._graph, self._values)

    def _sizes(self, index: int) -> list[tuple[int, ...]]:
        """Return the sizes of the inputs for one of the two numbers of samples."""
        tensor_sizes: list[tuple[int, ...]] = []
        for value in self._program.inputs:
            first = value.sizes[0] if value.sizes else 0
            batch = BATCHES[index] if first < 0 else first + index
            tensor_sizes.append((batch, *map(abs, value.sizes[1:])) if value.sizes else ())
        return tensor_sizes

    def _compute(self) -> list[tuple[Step, list[Any], dict[str, Any]]]:
        """Carry the program out for two numbers of samples; sizes that differ are pairs."""
        both: list[list[tuple[list[Any], dict[str, Any]]]] = []
        held = {name: without_memory(value) for name, value in self.module.held().items()}
        for index, values in enumerate(self._results):
            values.update(held)
            both.append(self._carried_out(values, index))
        pairs = zip(self._program.steps, *both, strict=True)
        return [(s, _merged(a[0], b[0]), _merged(a[1], b[1])) for s, a, b in pairs]

    def _carried_out(
        self, values: dict[str, Any], index: int
    ) -> list[tuple[list[Any], dict[str, Any]]]:
        """Rehearse the program for one of the two numbers of samples."""
        is_open = any(value.sizes and value.sizes[0] < 0 for value in self._program.inputs)
        is_adapted = index > 0 and not is_open

        def adapt(step: Step, args: list[Any], values: dict[str, Any]) -> list[Any]:
            self._at = step
            return self._adapted(step, args, values) if is_adapted else args

        try:
            with torch.no_grad(), Rehearsal(self._kept(values)):
                for value, sizes in zip(self._program.inputs, self._sizes(index), strict=True):
                    values[value.name] = torch.empty(sizes, dtype=value.dtype)
                return carry_out(self._program, values, adapt)
        except WrittenWeightError as error:
            assert self._at is not None
            module = self._at.stack[-1].path if self._at.stack else "forward"
            raise WrittenWeightError(f"aten.{self._at.word}", module) from error
        except Exception as error:  # PyTorch raises many kinds
            if not is_adapted or isinstance(error, TooLargeError | TooLongError):
                raise
            raise FixedBatchError(self._at.word if self._at else "") from error

    def _kept(self, values: Mapping[str, Any]) -> list[Tensor]:
        """Return the tensors of the file that no operation may write into: all but buffers."""
        fixed = self._exported.parameters | self._exported.constants.keys()
        held = self._program.held.items()
        return [values[name] for name, path in held if path in fixed and name in values]

    def _adapted(self, step: Step, args: list[Any], values: dict[str, Any]) -> list[Any]:
        """Return the arguments with the sizes for the second number of samples, where the program
        has those of the first written in.
        """
        if step.word not in _RESIZED or not isinstance(args[0], Name):
            return args
        first, second = (part[args[0].name] for part in (self._results[0], values))
        sizes, batch = list(args[1]), self._sizes(0)[0][0]
        is_same = first.shape == second.shape or sizes[:1] == [-1]
        if is_same and step.word != "expand":
            return args
        for axis in _axes_to_try(sizes, batch, first, second, step.word):
            changed = [*sizes]
            changed[axis] = sizes[axis] // batch * (batch + 1)
            if step.word == "expand" or _rest(changed, second) == _rest(sizes, first):
                return [args[0], changed, *args[2:]]
        if step.word == "expand":
            return args
        raise FixedBatchError(step.word)

    def _put_weights(self) -> None:
        """Make the modules around the operations, and put the weights where they belong."""
        for key, steps in self._groups.items():
            call = next(call for call in steps[0].stack if call.key == key)
            self._leaf(call)
        for path in sorted(self._kinds, key=lambda path: path.count(".")):
            if not any(path.startswith(f"{leaf}.") for leaf in self._layers):
                self._module_at(path)
        used = {self._path(name, [c.path for c in stack]) for name, stack in self._reads()}
        for path, value in self._exported.weights.items():
            above, _, name = path.rpartition(".")
            owner = self._module_at(above)
            if hasattr(owner, name):
                continue  # a layer brought it
            if path not in used:
                self.unread.append(path)
                continue
            if path in self._exported.parameters:
                owner.register_parameter(name, nn.Parameter(value, value.is_floating_point()))
            else:
                owner.register_buffer(name, value)
        for path, value in self._exported.constants.items():
            above, _, name = path.rpartition(".")
            is_added = path in used and not is_brief(value)
            self._module_at(above).register_buffer(name, value, persistent=is_added)
            if is_added:
                self.added.append(path)
        self._tie_weights()

    def _reads(self) -> Iterator[tuple[str, tuple[Call, ...]]]:
        """Yield the weights that operations take and where, and those that come out."""
        held = self._program.held
        for step in self._program.steps:
            yield from ((name, step.stack) for name in names_in(step) if name in held)
        yield from ((n.name, ()) for n in self._program.outputs.values() if n.name in held)

    def _path(self, name: str, modules: Sequence[str]) -> str:
        """Return the name of the weight that a value is: of several the one in the innermost of
        the modules that read it.
        """
        path = self._program.held[name]
        owners = {one.rpartition(".")[0]: one for one in self._exported.tied.get(path, (path,))}
        return next((owners[inner] for inner in reversed(modules) if inner in owners), path)

    def _tie_weights(self) -> None:
        """Have one parameter where the file has one under several names."""
        parameters = dict(self.module.named_parameters(remove_duplicate=False))
        groups = {id(names): names for names in self._exported.tied.values()}
        for names in groups.values():
            there = [name for name in names if name in parameters]
            for path in there[1:]:
                above, _, name = path.rpartition(".")
                setattr(self.module.get_submodule(above), name, parameters[there[0]])

    def _module_at(self, path: str) -> nn.Module:
        owner: nn.Module = self.module
        parts = path.split(".") if path else []
        for count, name in enumerate(parts, 1):
            inner = dict(owner.named_children()).get(name)
            if inner is None:
                inner = self._made(".".join(parts[:count]))
                owner.add_module(name, inner)
            owner = inner
        return owner

    def _made(self, path: str) -> nn.Module:
        if path in self._layers:
            return self._layers[path]
        kind = self._kinds.get(path)
        if kind is None:
            return nn.ModuleList()  # what is never called itself
        container = _CONTAINERS.get(kind)
        return container() if container is not None else _class_named(kind, nn.Module)()

    def _leaf(self, call: Call) -> tuple[Step, Name] | None:
        """Return the one operation of a call of a layer and what arrives at it, if it is one."""
        if call.key not in self._leaves:
            self._leaves[call.key] = self._as_layer(call)
        return self._leaves[call.key]

    def _as_layer(self, call: Call) -> tuple[Step, Name] | None:
        kind = layer_class(call.kind)
        step = None if kind is None else principal(self._groups[call.key], self._program.held)
        if kind is None or step is None:
            return None
        arriving = [v for v in step.named.values() if isinstance(v, Name)]
        arriving = [value for value in arriving if value.name not in self._program.held]
        prefix = f"{call.path}."
        state = {
            path.removeprefix(prefix): value
            for path, value in self._exported.weights.items()
            if path.startswith(prefix)
        }
        if len(arriving) != 1 or any("." in name for name in state):
            return None
        if call.path not in self._layers:
            layer = rebuilt(kind, step, state)
            if layer is None:
                return None
            self._layers[call.path] = layer
        return step, arriving[0]

    def _add_layer(self, step: Step, arriving: Name) -> None:
        call = next(call for call in step.stack if self._leaves.get(call.key))
        node = self._add(step.outputs[0], ("call_module", call.path, (arriving,), {}), step)
        stack = node.meta["nn_module_stack"]
        kept = list(stack)[: list(stack).index(call.key) + 1]
        node.meta["nn_module_stack"] = {key: stack[key] for key in kept}

    def _add_step(self, step: Step, args: list[Any], kwargs: dict[str, Any]) -> None:
        if not all(isinstance(self._results[0].get(name), Tensor) for name in step.outputs):
            return  # a number: it stands where it is used
        if not step.outputs:
            return
        node = self._add(step.outputs[0], _python(step, args, kwargs), step)
        node.meta["exact"] = (step.target, self._linked(args), self._linked(kwargs))
        if step.is_tuple:
            self._values[node] = Pair(
                *(tuple(part[name] for name in step.outputs) for part in self._results)
            )
            for position, name in enumerate(step.outputs):
                self._add(name, ("call_function", operator.getitem, (node, position), {}), step)
        first = args[0] if args else None
        if step.is_in_place() and isinstance(first, Name):
            if self._results[0][first.name]._is_view():  # noqa: SLF001 - it has no public name
                node.meta["writes"] = True  # into what it is a part of
            self._nodes[first.name] = self._nodes[step.outputs[0]]

    def _add(self, name: str, called: _Called, step: Step | None = None) -> fx.Node:
        op, target, args, kwargs = called
        calls = step.stack if step is not None else ()
        self._stack = {call.key: (call.path, call.kind) for call in calls}
        node = self._graph.create_node(op, target, self._linked(args), self._linked(kwargs))
        node.meta["nn_module_stack"] = self._stack
        self._nodes[name] = node
        self._values[node] = Pair(*(part[name] for part in self._results))
        return node

    def _linked(self, value: Any) -> Any:
        def linked(item: Any) -> Any:
            return self._source(item) if isinstance(item, Name) else item

        return tree_map(linked, value, is_leaf=lambda item: isinstance(item, Name | Pair | Modal))

    def _source(self, name: Name) -> fx.Node:
        source = self._nodes.get(name.name)
        if source is not None:
            return source
        path = self._path(name.name, [path for path, _ in self._stack.values()])
        if path not in self._weights:
            node = self._graph.create_node("get_attr", path)
            node.meta["nn_module_stack"] = {  # the weight may be handed to the one that reads it
                key: call for key, call in self._stack.items() if path.startswith(f"{call[0]}.")
            }
            self._values[node] = Pair(*(part[name.name] for part in self._results))
            self._weights[path] = node
        return self._weights[path]


def _rest(sizes: list[int], value: Tensor) -> float:
    """Return how large an axis of -1 becomes; 1 where there is none and all fits."""
    return value.numel() / max(1, prod(size for size in sizes if size >= 0))


def _axes_to_try(
    sizes: list[int], batch: int, first: Tensor, second: Tensor, word: str
) -> list[int]:
    if word == "expand":
        lead = len(sizes) - first.ndim
        grown = [
            axis
            for axis, size in enumerate(sizes)
            if axis >= lead and first.shape[axis - lead] != second.shape[axis - lead] and size > 0
        ]
        is_token = not grown and sizes and sizes[0] == batch and first.shape[:1] == (1,)
        return [0] if is_token else grown
    return [axis for axis, size in enumerate(sizes) if size > 0 and size % batch == 0]


def _merged(one: Any, other: Any) -> Any:
    """Return arguments with a pair where a size differs."""
    if isinstance(one, Name):
        return one
    if isinstance(one, dict):
        return {key: _merged(value, other[key]) for key, value in one.items()}
    if isinstance(one, list):
        return [_merged(a, b) for a, b in zip(one, other, strict=True)]
    return one if one == other else Pair(one, other)


def _python(step: Step, args: list[Any], kwargs: dict[str, Any]) -> _Called:
    """Return an operation as it is called in Python, where the catalogue has that."""
    word = step.word.rstrip("_") if step.is_in_place() else step.word
    if word == "slice" and len(args) > 1 and isinstance(args[1], int) and args[1] >= 0:
        last = args[3] if len(args) > 3 else None
        is_open = isinstance(last, int) and last >= 2**62
        index = [slice(None)] * args[1]
        part = slice(args[2] if len(args) > 2 else None, None if is_open else last, *args[4:5])
        return "call_function", operator.getitem, (args[0], (*index, part)), {}
    if word in _DROPOUTS:
        mode = Modal(evaluation=False, training=True)
        function = getattr(nn.functional, word)
        return "call_function", function, (args[0], args[1], mode), {}
    if is_known_operation(word):
        if "self" in step.named and hasattr(Tensor, word):
            return "call_method", word, tuple(args), kwargs
        for home in (torch, nn.functional):
            if hasattr(home, word):
                return "call_function", getattr(home, word), tuple(args), kwargs
    return "call_function", step.target, tuple(args), kwargs


def _class_named(kind: str, above: type[nn.Module]) -> Any:
    """Return a class that is called like one that is not here."""
    name = kind.rpartition(".")[2]
    return type(name if name.isidentifier() else "Module", (above,), {})
