"""Catalogue entry of one class or function of custom code."""

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from engine.catalog.code.annotation import (
    Argument,
    arguments_of,
    meaning,
    param_spec,
    parameter_helps,
)
from engine.catalog.code.target import TARGET
from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, ParamSpec, PortSpec, WeightMatch, WeightSpec

CATEGORY = "Custom code"
COLLATE = "collate"
"""In the name of a function that makes a batch of samples."""
WORKER_INIT = "worker_init"
"""In the name of a function that a process calls at its start which reads samples."""

_MODULES = frozenset({"nn.Module", "torch.nn.Module", "Module"})
_FUNCTIONS = frozenset(
    {"torch.autograd.Function", "autograd.Function", "Function", "torch.autograd.function.Function"}
)
_TARGETS = frozenset({"target", "targets", "labels", "y_true"})
_FILLED = frozenset({"zeros", "ones", "empty", "rand", "randn", "full"})
_PARAMETERS = frozenset({"nn.Parameter", "torch.nn.Parameter", "Parameter"})
_INPUT = PortSpec(name="input")
_OUTPUT = PortSpec(name="output")

Definition = ast.ClassDef | ast.FunctionDef


class Offer(NamedTuple):
    """What a definition can be used as."""

    node: Entry | None = None
    loss: Entry | None = None
    initialiser: Entry | None = None


def offer_of(stem: str, definition: Definition, classes: Mapping[str, ast.ClassDef]) -> Offer:
    """Return what a definition at the top of ``code/STEM.py`` offers; ``classes`` are all there."""
    if definition.name.startswith("_"):
        return Offer()
    entry: Entry | None = None
    if isinstance(definition, ast.ClassDef):
        kind = _base(definition, classes)
        if kind == "function":
            entry = _function_class(stem, definition, classes)
        elif kind:
            entry = _layer(stem, definition, classes)
    elif definition.name.endswith("_") and _first_name(definition) == "tensor":
        return Offer(initialiser=_initialiser(stem, definition))
    elif COLLATE in definition.name or WORKER_INIT in definition.name:
        return Offer()  # for the loader of the data, see dataset.py
    else:
        entry = _operator(stem, definition, classes)
    return Offer(entry, None if entry is None else _loss(entry))


def class_of_layer(classes: Mapping[str, ast.ClassDef], name: str) -> bool:
    """Return whether a class of the file is a layer."""
    found = classes.get(name)
    return found is not None and _base(found, classes) not in ("", "function")


def _base(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> str:
    """Return what a class is in the end: ``module``, ``function``, the name of a class of
    ``torch.nn``, or nothing.
    """
    for parent in ancestry(definition, classes):
        for base in parent.bases:
            name = ast.unparse(base)
            if name in _FUNCTIONS:
                return "function"
            if name in _MODULES:
                return "module"
            if name.startswith(("nn.", "torch.nn.")):
                return name.rpartition(".")[2]
    return ""


def ancestry(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> list[ast.ClassDef]:
    """Return a class and those of its file that it inherits from, nearest first."""
    found = [definition]
    for parent in found:
        names = [base.id for base in parent.bases if isinstance(base, ast.Name)]
        more = [classes[name] for name in names if name in classes]
        found += [other for other in more if other not in found]
    return found


def method_of(
    definition: ast.ClassDef, name: str, classes: Mapping[str, ast.ClassDef]
) -> ast.FunctionDef | None:
    """Return a method of a class, or of one in its file that it inherits from."""
    for parent in ancestry(definition, classes):
        for part in parent.body:
            if isinstance(part, ast.FunctionDef) and part.name == name:
                return part
    return None


def _layer(stem: str, definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Entry:
    known = catalog().entry(EntryGroup.LAYER, _base(definition, classes))
    init = method_of(definition, "__init__", classes)
    forward = method_of(definition, "forward", classes)
    doc = doc_of(definition)
    helps = parameter_helps(doc) | parameter_helps(doc_of(init))
    entry = blank_entry(stem, definition.name, EntryGroup.LAYER, doc)
    if known is not None:
        ports = {"inputs": known.inputs, "outputs": known.outputs}
        entry = replace(
            entry,
            params=known.params,
            positional=known.positional,
            weights=known.weights,
            **ports,
        )
    else:
        entry = replace(entry, inputs=(_INPUT,), outputs=(_OUTPUT,))
    if init is not None:
        plain = [a for a in arguments_of(init, 1) if not a.is_several]
        params = tuple(param_spec(a, helps, is_layer=True) for a in plain)
        entry = replace(entry, params=params, positional=(), weights=weights_of_init(init))
    if forward is None:
        return entry
    inputs, called = _inputs(arguments_of(forward, 1), parameter_helps(doc_of(forward)))
    more = tuple(replace(spec, call=True) for spec in called if entry.param(spec.name) is None)
    params = (*entry.params, *more)
    return replace(entry, params=params, inputs=inputs, outputs=_outputs(forward))


def _function_class(
    stem: str, definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> Entry | None:
    """Return a class of ``torch.autograd.Function``; it is called with ``X.apply(...)``, which
    takes no names: everything goes by place.
    """
    forward = method_of(definition, "forward", classes)
    if forward is None:
        return None
    has_context = method_of(definition, "setup_context", classes) is None
    given = [a for a in arguments_of(forward, 1 if has_context else 0) if not a.is_several]
    doc = doc_of(definition)
    inputs, params = _inputs(given, parameter_helps(doc) | parameter_helps(doc_of(forward)))
    entry = blank_entry(stem, definition.name, EntryGroup.OPERATOR, doc)
    return replace(
        entry,
        target=f"{entry.target}.apply",
        params=params,
        inputs=tuple(replace(port, keyword=False) for port in inputs),
        outputs=_outputs(forward),
        positional=tuple(argument.name for argument in given),
    )


def _operator(
    stem: str, definition: ast.FunctionDef, classes: Mapping[str, ast.ClassDef]
) -> Entry | None:
    doc = doc_of(definition)
    helps = parameter_helps(doc)
    given = [a for a in arguments_of(definition, 0) if not a.is_several]
    made = _made_by(definition, classes)
    if made is not None:
        entry = blank_entry(stem, definition.name, EntryGroup.LAYER, doc)
        params = tuple(param_spec(argument, helps, is_layer=True) for argument in given)
        inner = classes.get(made)
        if inner is None:
            return replace(entry, params=params, inputs=(_INPUT,), outputs=(_OUTPUT,))
        layer = _layer(stem, inner, classes)
        return replace(entry, params=params, inputs=layer.inputs, outputs=layer.outputs)
    inputs, params = _inputs(given, helps)
    if not inputs:
        return None  # it takes no tensor: other code calls it
    entry = blank_entry(stem, definition.name, EntryGroup.OPERATOR, doc)
    return replace(entry, params=params, inputs=inputs, outputs=_outputs(definition))


def _made_by(definition: ast.FunctionDef, classes: Mapping[str, ast.ClassDef]) -> str | None:
    """Return what a factory says it makes: the name of a layer of the file, ``Module`` or another
    class of ``torch.nn``; None for a function that is no factory.
    """
    if definition.returns is None:
        return None
    text = ast.unparse(definition.returns).strip("'\"")
    if text in _MODULES or class_of_layer(classes, text):
        return text.rpartition(".")[2]
    return text.rpartition(".")[2] if text.startswith(("nn.", "torch.nn.")) else None


def _initialiser(stem: str, definition: ast.FunctionDef) -> Entry:
    doc = doc_of(definition)
    helps = parameter_helps(doc)
    given = [a for a in arguments_of(definition, 1) if not a.is_several]
    params = tuple(param_spec(argument, helps) for argument in given)
    entry = blank_entry(stem, definition.name, EntryGroup.INITIALISER, doc)
    return replace(entry, params=params, inputs=(PortSpec(name="tensor"),))


def _loss(entry: Entry) -> Entry | None:
    """Return a definition as a loss, where it compares something with a target."""
    tensors = [port.name for port in entry.inputs]
    if len(tensors) < 2 or tensors[1] not in _TARGETS or len(entry.outputs) != 1:
        return None
    return replace(entry, group=EntryGroup.LOSS, outputs=())


def _inputs(
    given: Sequence[Argument], helps: Mapping[str, str]
) -> tuple[tuple[PortSpec, ...], tuple[ParamSpec, ...]]:
    """Return the ports and the parameters of what is called in ``forward``."""
    ports: list[PortSpec] = []
    params: list[ParamSpec] = []
    is_behind = False
    for argument in given:
        if argument.is_several:
            continue
        if not argument.is_tensor():
            params.append(param_spec(argument, helps))
            is_behind = True  # a port behind it cannot go by its place
            continue
        is_list = argument.annotation is not None and meaning(argument.annotation).is_list
        ports.append(
            PortSpec(
                name=argument.name,
                required=argument.is_required,
                variadic=is_list,
                keyword=argument.is_keyword or is_behind,
                help=helps.get(argument.name, ""),
            )
        )
    return tuple(ports), tuple(params)


def _outputs(function: ast.FunctionDef) -> tuple[PortSpec, ...]:
    """Return the ports of what a function gives: as many as its annotation or each of its
    ``return`` statements says.
    """
    names = _returned(function)
    match function.returns:
        case ast.Subscript(value=ast.Name(id="tuple" | "Tuple"), slice=ast.Tuple(elts=items)):
            is_open = any(isinstance(i, ast.Constant) and i.value is ... for i in items)
            count = 0 if is_open else len(items)
        case ast.Name() | ast.Attribute():
            count = 1
        case _:
            count = len(names)
    if count < 2:
        return (_OUTPUT,)
    labels = names if len(names) == count else [""] * count
    return tuple(
        PortSpec(name=f"output.{index}", label=label, path=(index,))
        for index, label in enumerate(labels)
    )


def _returned(function: ast.FunctionDef) -> list[str]:
    """Return the names in ``return a, b``; nothing where the statements differ in their number."""
    tuples: list[list[ast.expr]] = []
    waiting: list[ast.stmt] = list(function.body)
    for part in waiting:
        if isinstance(part, ast.Return):
            tuples.append(list(part.value.elts) if isinstance(part.value, ast.Tuple) else [])
        elif not isinstance(part, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            waiting += [inner for inner in ast.walk(part) if isinstance(inner, ast.Return)]
    if not tuples or len({len(items) for items in tuples}) > 1:
        return []
    return [item.id if isinstance(item, ast.Name) else "" for item in tuples[-1]]


def blank_entry(stem: str, name: str, group: EntryGroup, doc: str) -> Entry:
    """Return an entry that has no parameters and ports yet."""
    return Entry(
        key=f"code.{stem}.{name}",
        group=group,
        category=CATEGORY,
        label=name,
        target=f"{TARGET}{stem}.{name}",
        summary=doc.partition("\n")[0],
        doc=doc,
        aliases=(stem,),
    )


def doc_of(node: Definition | None) -> str:
    """Return the docstring of a definition, empty for none."""
    return "" if node is None else ast.get_docstring(node) or ""


def _first_name(definition: ast.FunctionDef) -> str:
    found = [*definition.args.posonlyargs, *definition.args.args]
    return found[0].arg if found else ""


def weights_of_init(init: ast.FunctionDef) -> tuple[WeightSpec, ...]:
    """Return the parameters that ``__init__`` makes in any case: ``self.weight = nn.Parameter(…)``
    of a tensor whose sizes are listed, and those of the layers of ``torch.nn`` that it makes.
    """
    found: list[WeightSpec] = []
    for part in init.body:
        match part:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Call() as made,
            ):
                found += _made(name, made)
            case _:
                continue
    return tuple(found)


def _made(name: str, made: ast.Call) -> list[WeightSpec]:
    called = ast.unparse(made.func)
    if called in _PARAMETERS and made.args:
        rank = _rank(made.args[0])
        return [] if rank is None else [WeightSpec(name=name, rank=rank)]
    if not called.startswith(("nn.", "torch.nn.")):
        return []
    entry = catalog().entry(EntryGroup.LAYER, called.rpartition(".")[2])
    return [
        WeightSpec(name=f"{name}.{weight.name}", rank=weight.rank)
        for weight in (() if entry is None else entry.weights)
        if weight.match is WeightMatch.ONE and not weight.when
    ]


def _rank(tensor: ast.expr) -> int | None:
    """Return how many axes a tensor has; None where the source does not show it."""
    if isinstance(tensor, ast.BinOp):  # torch.randn(a, b) * a**-0.5
        return _rank(tensor.left) if isinstance(tensor.left, ast.Call) else _rank(tensor.right)
    if not isinstance(tensor, ast.Call):
        return None
    function = ast.unparse(tensor.func)
    if not function.startswith("torch.") or function.removeprefix("torch.") not in _FILLED:
        return None
    if len(tensor.args) and isinstance(tensor.args[0], ast.Tuple | ast.List):
        return len(tensor.args[0].elts)
    has_star = any(isinstance(item, ast.Starred) for item in tensor.args)
    is_full = function == "torch.full"
    return None if has_star or is_full or not tensor.args else len(tensor.args)
