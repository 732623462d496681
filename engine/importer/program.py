"""Operations of an exported program: which they are, and what each gives for some input.

Only operations of a list and arithmetic on sizes are ever called (``importer_call``). What is under
``torch.no_grad`` is a graph of its own within the program; it is laid open.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from engine.catalog.aten import is_in_place
from engine.importer.archive import DTYPES, MAXIMUM_NODES, Exported
from engine.importer.call import UnknownOperationError, require_arguments, target_of
from engine.importer.rehearsal import TooLongError

_WITH_GRADIENTS_OR_NOT = "torch.ops.higher_order.wrap_with_set_grad_enabled"
_AGAIN = re.compile(r"@\d+$")
_DEEPEST = 100
"""How many modules may be inside of one another, and parts under ``torch.no_grad``."""


class Name(NamedTuple):
    """A value of the program."""

    name: str


class Call(NamedTuple):
    """A module around an operation: which call of it, its path and its class."""

    key: str
    path: str
    kind: str


class Step(NamedTuple):
    """One operation. ``named`` are its arguments by name; ``outputs`` the values that it gives,
    a tuple of them where ``is_tuple``.
    """

    word: str
    target: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    named: dict[str, Any]
    stack: tuple[Call, ...]
    outputs: tuple[str, ...]
    is_tuple: bool

    def is_in_place(self) -> bool:
        """Return whether it writes into its first argument."""
        return is_in_place(self.word)


class Input(NamedTuple):
    """An input; a size that was left open when it was exported is negative."""

    name: str
    sizes: tuple[int, ...]
    dtype: torch.dtype


class Program(NamedTuple):
    """``held`` are the weights and constants by the name of the value that they are; ``outputs``
    the values that come out, by the key under which they do.
    """

    inputs: list[Input]
    held: dict[str, str]
    steps: list[Step]
    outputs: dict[str, Name]


def program_of(exported: Exported) -> Program:
    """Return the operations. Raises :class:`UnknownOperationError`, :class:`RefusedOperationError`
    and :class:`TooLongError`; ``KeyError``, ``TypeError``, ``ValueError`` or ``AttributeError`` for
    what is no program.
    """
    module = exported.program["graph_module"]
    graph, signature = module["graph"], module["signature"]
    held: dict[str, str] = {}
    inputs: list[Input] = []
    for spec in signature["input_specs"]:
        (kind, content) = next(iter(spec.items()))
        if kind == "user_input" and "as_tensor" in content["arg"]:
            name = content["arg"]["as_tensor"]["name"]
            inputs.append(_input(name, graph["tensor_values"][name]))
        elif kind in _HELD:
            held[content["arg"]["name"]] = content[_HELD[kind]]
    steps: list[Step] = []
    for step in _steps(graph["nodes"]):
        steps.append(step)
        if len(steps) > MAXIMUM_NODES:
            raise TooLongError
    results = [
        Name(spec["user_output"]["arg"]["as_tensor"]["name"])
        for spec in signature["output_specs"]
        if "user_output" in spec
    ]
    return Program(inputs, held, steps, dict(zip(_keys(module, results), results, strict=True)))


_HELD = {
    "parameter": "parameter_name",
    "buffer": "buffer_name",
    "tensor_constant": "tensor_constant_name",
}


def _input(name: str, meta: Mapping[str, Any]) -> Input:
    sizes = tuple(
        int(size["as_int"]) if "as_int" in size else -_hint(size["as_expr"])
        for size in meta["sizes"]
    )
    return Input(name, sizes, DTYPES[meta["dtype"]])


def _hint(expression: Mapping[str, Any]) -> int:
    """Return the size that stood in the place of one that was left open."""
    hint = expression.get("hint") or {}
    return max(1, int(hint.get("as_int", 2)))


def _keys(module: Mapping[str, Any], results: Sequence[Name]) -> list[str]:
    """Return what the results are called: as in the dictionary that forward gave, else by place."""
    plain = ["output"] if len(results) == 1 else [f"output{n + 1}" for n in range(len(results))]
    calls = [call for call in module.get("module_call_graph", []) if call["fqn"] == ""]
    signature = calls[0]["signature"] if calls else None
    match = re.search(
        r'"builtins\.dict", "context": "\[(.*?)\]"', signature["out_spec"] if signature else ""
    )
    names = re.findall(r'\\"(\w+)\\"', match[1]) if match else []
    return names if len(names) == len(results) else plain


def _steps(nodes: Sequence[Mapping[str, Any]], depth: int = 0) -> Iterator[Step]:
    if depth > _DEEPEST:
        raise ValueError(depth)
    for node in nodes:
        if node["target"] == _WITH_GRADIENTS_OR_NOT:
            yield from _without_gradients(node, depth)
        else:
            yield _step(node)


def _without_gradients(node: Mapping[str, Any], depth: int) -> Iterator[Step]:
    """Yield the operations of a part under ``torch.no_grad``; what it gives is detached."""
    mode, part, *given = (_value(argument["arg"]) for argument in node["inputs"])
    if mode is not False:
        raise UnknownOperationError(node["target"])
    renamed = {
        name.name: value
        for name, value in zip(map(_value, part["inputs"]), given, strict=True)
        if isinstance(name, Name)
    }

    def outside(value: Any) -> Any:
        if not isinstance(value, Name):
            return value
        return renamed.get(value.name, Name(f"{node['name']}/{value.name}"))

    for step in _steps(part["nodes"], depth + 1):
        yield step._replace(
            args=_mapped(step.args, outside),
            kwargs=_mapped(step.kwargs, outside),
            named=_mapped(step.named, outside),
            outputs=tuple(outside(Name(name)).name for name in step.outputs),
        )
    for name, value in zip(_outputs(node["outputs"])[0], part["outputs"], strict=True):
        yield _detached(outside(_value(value)), name, node)


def _detached(value: Any, name: str, node: Mapping[str, Any]) -> Step:
    return Step(
        word="detach",
        target=torch.ops.aten.detach.default,
        args=(value,),
        kwargs={},
        named={"self": value},
        stack=_stack(node),
        outputs=(name,),
        is_tuple=False,
    )


def _step(node: Mapping[str, Any]) -> Step:
    word, target = target_of(node["target"])
    given = [
        (argument["name"], _value(argument["arg"]), argument.get("kind", 1))
        for argument in node["inputs"]
    ]
    require_arguments(target, [name for name, _, kind in given if kind == 2])
    outputs, is_tuple = _outputs(node["outputs"])
    return Step(
        word=word,
        target=target,
        args=tuple(value for _, value, kind in given if kind != 2),
        kwargs={name: value for name, value, kind in given if kind == 2},
        named={name: value for name, value, _ in given},
        stack=_stack(node),
        outputs=outputs,
        is_tuple=is_tuple,
    )


def _stack(node: Mapping[str, Any]) -> tuple[Call, ...]:
    calls: list[Call] = []
    for part in node.get("metadata", {}).get("nn_module_stack", "").split(";"):
        key, _, rest = part.partition(",")
        path, _, kind = rest.rpartition(",")
        if _AGAIN.sub("", path) and kind and not key.startswith("_empty"):
            calls.append(Call(key, _AGAIN.sub("", path), kind))
    if len(calls) > _DEEPEST or any(call.path.count(".") > _DEEPEST for call in calls):
        raise ValueError(len(calls))
    return tuple(calls)


def _outputs(outputs: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], bool]:
    names: list[str] = []
    for output in outputs:
        for kind, value in output.items():
            if kind == "as_tensors":
                return tuple(item["name"] for item in value), True
            if kind == "as_tensor":
                names.append(str(value["name"]))
            elif kind in ("as_sym_int", "as_sym_bool", "as_sym_float"):
                names.append(str(value.get("as_name", "")))
    return tuple(names), len(names) > 1


def _value(content: Mapping[str, Any]) -> Any:
    kind, value = next(iter(content.items()))
    return _VALUES[kind](value)


def _each(value: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [_value(item) for item in value]


def _plain(kind: type) -> Callable[[Any], Any]:
    def plain(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError(value)
        return value

    return plain


def _decimal(value: Any) -> float:
    """Return a number; those that JSON has none for are written as words."""
    if isinstance(value, str) and value in ("Infinity", "-Infinity", "NaN"):
        return float(value.replace("Infinity", "inf"))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "int": _plain(int),
    "float": _decimal,
    "bool": _plain(bool),
    "string": _plain(str),
}


def _list_of(plain: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda values: [plain(value) for value in values]


_VALUES: dict[str, Callable[[Any], Any]] = {
    "as_none": lambda _: None,
    **{f"as_{kind}": plain for kind, plain in _PLAIN.items()},
    **{f"as_{kind}s": _list_of(plain) for kind, plain in _PLAIN.items()},
    "as_tensor": lambda value: Name(value["name"]),
    "as_name": Name,
    "as_tensors": lambda value: [Name(item["name"]) for item in value],
    **dict.fromkeys(("as_sym_int", "as_sym_bool", "as_sym_float", "as_optional_tensor"), _value),
    **dict.fromkeys(("as_sym_ints", "as_sym_floats", "as_optional_tensors"), _each),
    "as_scalar_type": DTYPES.__getitem__,
    "as_device": lambda _: torch.device("cpu"),
    "as_memory_format": lambda value: (
        torch.contiguous_format if value == 1 else torch.preserve_format
    ),
    "as_layout": lambda _: torch.strided,
    "as_graph": lambda value: value["graph"],
}
"""Arguments by their kind; what is missing is for other devices or holds code."""


def names_in(step: Step) -> list[str]:
    """Return the names of the values that an operation takes."""
    names: list[str] = []

    def note(value: Any) -> Any:
        if isinstance(value, Name):
            names.append(value.name)
        return value

    _mapped((step.args, step.kwargs), note)
    return names


def carry_out(
    program: Program,
    environment: dict[str, Any],
    adapt: Callable[[Step, list[Any], dict[str, Any]], list[Any]] | None = None,
) -> list[tuple[list[Any], dict[str, Any]]]:
    """Compute all steps: ``environment`` holds the inputs and what is held, and gets every value.

    ``adapt`` may give other arguments. Returns the arguments of each step, with sizes as numbers
    and values by name. Raises what PyTorch raises.
    """
    given: list[tuple[list[Any], dict[str, Any]]] = []
    device = next(
        (v.device for v in environment.values() if isinstance(v, Tensor)), torch.device("cpu")
    )
    for step in program.steps:
        args = _sized(list(step.args), environment, device)
        kwargs = _sized(step.kwargs, environment, device)
        if adapt is not None:
            args = adapt(step, args, environment)
        result = step.target(*filled(args, environment), **filled(kwargs, environment))
        given.append((args, kwargs))
        if step.is_tuple:
            environment.update(zip(step.outputs, result, strict=False))
        elif step.outputs:
            environment[step.outputs[0]] = result
    return given


def filled(value: Any, environment: Mapping[str, Any]) -> Any:
    """Return arguments with the values that names stand for."""
    return _mapped(value, lambda item: environment[item.name] if isinstance(item, Name) else item)


def _sized(value: Any, environment: Mapping[str, Any], device: torch.device) -> Any:
    """Return arguments in which only tensors are names, on a device."""

    def sized(item: Any) -> Any:
        if isinstance(item, torch.device):
            return device
        is_number = isinstance(item, Name) and not isinstance(environment[item.name], Tensor)
        return environment[item.name] if is_number else item

    return _mapped(value, sized)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    return tree_map(
        change,
        value,
        is_leaf=lambda item: isinstance(item, Name),
    )
