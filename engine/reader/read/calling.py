"""Calls in a text: of layers, blocks, operators, and of functions that are read, too."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import libcst as cst

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup
from engine.graph.node_state.recomputation import CALL, HELPER
from engine.reader.interpreter.arithmetic import BUILTINS, builtin
from engine.reader.interpreter.value import (
    Built,
    Custom,
    Function,
    Level,
    Library,
    Made,
    Member,
    Method,
    Modules,
    Opaque,
    Ref,
    Shape,
    Size,
    UnreadError,
    Use,
    has_tensor,
)
from engine.reader.read.layer import layer_entries, layer_of, results, wire_layer
from engine.reader.read.opaque import opaque_call, opaque_layer
from engine.reader.read.operation import bound, called, size_of
from engine.reader.read.tensor_initialization import method_of_built, tensor_of
from engine.reader.read.unlisted import module_class, takes_keywords, unlisted_layer

_CONTAINERS = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict")
_OPERATORS = ("torch.", "torch.nn.functional.", "torch.linalg.", "torch.special.", "operator.")
_ORDER = "torch.randperm"  # of the size of a tensor: an operator of the catalogue has it inside
_PARTS = ("torch.nn.", "torch.nn.init.")
_CHECKPOINT = f"torch.utils.checkpoint.{CALL}"
_CHECKPOINT_SETTINGS = ("context_fn", "debug", "determinism_check", "preserve_rng_state")


class Reader(Protocol):
    """What a class is read with, as far as calls need it."""

    def add(self, made: Made) -> None:
        """Take in a node."""
        ...

    def width_of(self, syntax: cst.CSTNode) -> int:
        """Return into how many names a statement takes apart what a call gives."""
        ...

    def inline(
        self,
        function: Function,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        syntax: cst.Call,
    ) -> Any:
        """Return what a function of the text gives, read with these arguments."""
        ...


def call(  # noqa: PLR0911 - one case a kind of callee
    reader: Reader, callee: Any, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call
) -> Any:
    """Return what a call gives. Raises :class:`UnreadError`."""
    match callee:
        case Library() | Function() if is_checkpoint(callee):
            return _call_recomputed(reader, callee, arguments, keywords, syntax)
        case Member():
            return _call_member(reader, callee, arguments, keywords, syntax)
        case Library():
            return _call_library(reader, callee.path, arguments, keywords, syntax)
        case Custom():
            return _call_own(reader, callee.entry, arguments, keywords, syntax)
        case Function():
            return reader.inline(callee, arguments, keywords, syntax)
        case Method(owner=Built()):
            return method_of_built(callee, arguments, syntax)
        case Method():
            return _call_method(reader, callee, arguments, keywords, syntax)
        case _:
            raise UnreadError(syntax, "T010")


def _call_library(
    reader: Reader, path: str, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call
) -> Any:
    values = [*arguments, *keywords.values()]
    name = path.rpartition(".")[2]
    if path in _CONTAINERS:
        return _container(path, arguments, keywords, syntax)
    if path == "collections.OrderedDict":
        return {**dict(*arguments), **keywords} if arguments else keywords
    if path.startswith("super()"):
        return None
    if path in BUILTINS or path.startswith("math."):
        return _plainly(path, arguments, keywords, syntax)
    is_operator = any(path == f"{home}{name}" for home in _OPERATORS)
    if is_operator and any(isinstance(value, Ref) for value in _flat(values)):
        return operate(reader, called(name, arguments, keywords, syntax))
    if path.startswith(_PARTS) or path.startswith("torch."):
        if has_tensor(values) and path != _ORDER:
            raise UnreadError(syntax, "T012")
        return Built(path, arguments, keywords, syntax)
    raise UnreadError(syntax, "T017", name=name)


def _call_own(
    reader: Reader, entry: Entry, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call
) -> Any:
    if entry.group is EntryGroup.LAYER:
        return Built(entry.key, arguments, keywords, syntax, entry)
    made = bound(entry, arguments, keywords, syntax)
    reader.add(made)
    return results(made, entry)


def _flat(values: Sequence[Any]) -> list[Any]:
    items: list[Any] = []
    for value in values:
        items += _flat(value) if isinstance(value, list | tuple) else [value]
    return items


def _plainly(path: str, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call) -> Any:
    if path == "len" and len(arguments) == 1:
        if isinstance(arguments[0], Ref):
            return Size(arguments[0], 0)
        if isinstance(arguments[0], Modules):
            return len(arguments[0].items)
    if has_tensor(arguments):
        raise UnreadError(syntax, "T012")
    arguments = [list(a.items.values()) if isinstance(a, Modules) else a for a in arguments]
    return builtin(path, arguments, keywords, syntax)


def operate(reader: Reader, made: Made) -> Any:
    """Take an operator in and return what it gives."""
    entry = catalog().node(made.type)
    assert entry is not None
    reader.add(made)
    return results(made, entry)


def _call_method(
    reader: Reader, method: Method, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call
) -> Any:
    owner = method.owner
    if isinstance(owner, Ref):
        if method.name == "size":
            return size_of(owner, arguments, syntax)
        if method.name in ("dim", "numel", "item", "tolist"):
            raise UnreadError(syntax, "T012")
        return operate(reader, called(method.name, [owner, *arguments], keywords, syntax))
    if isinstance(owner, Shape):
        raise UnreadError(syntax, "T012")
    if isinstance(owner, Modules):
        if method.name in ("append", "extend", "insert"):
            return _grow(owner, method.name, arguments, syntax)
        owner = dict(owner.items)
    if isinstance(owner, list) and method.name in ("append", "extend") and len(arguments) == 1:
        owner += [arguments[0]] if method.name == "append" else list(arguments[0])
        return None
    if isinstance(owner, dict) and method.name in ("items", "values", "keys") and not arguments:
        return [*getattr(owner, method.name)()]
    if isinstance(owner, Member | Use) and method.name in ("append", "add_module", "extend"):
        content = owner.content if isinstance(owner, Member) else owner
        if isinstance(content, Use) and not content.level.source:
            return _lengthen(content.level, method.name, arguments, syntax)
    raise UnreadError(syntax, "T017", name=method.name)


def _lengthen(level: Level, name: str, arguments: list[Any], syntax: cst.Call) -> None:
    """Put layers at the end of an ``nn.Sequential``."""
    match name, arguments:
        case "add_module", [str() as key, content]:
            items = {key: content}
        case "append", [content]:
            items = {str(len(level.nodes)): content}
        case "extend", [list() | tuple() as contents]:
            items = {str(len(level.nodes) + n): one for n, one in enumerate(contents)}
        case _:
            raise UnreadError(syntax, "T017", name=name)
    _chain(level, items, level.outputs.pop(), syntax)


def _grow(owner: Modules, name: str, arguments: list[Any], syntax: cst.Call) -> None:
    if len(arguments) != 1 or name == "insert":
        raise UnreadError(syntax, "T017", name=name)
    for item in [arguments[0]] if name == "append" else list(arguments[0]):
        key = str(len(owner.items))
        owner.items[key] = (
            owned(item, f"{owner.attribute}.{key}", syntax) if owner.attribute else item
        )


def owned(content: Any, attribute: str, syntax: cst.CSTNode) -> Any:
    """Return what stands under an attribute of a class for a value that is given to it."""
    if isinstance(content, Modules):
        items = {
            key: owned(item, f"{attribute}.{key}", syntax) for key, item in content.items.items()
        }
        return Modules(items, attribute)
    is_held = isinstance(content, Built | Use | Opaque)
    return Member(attribute, content, syntax) if is_held else content


def _container(path: str, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call) -> Any:
    only = arguments[0] if len(arguments) == 1 else None
    if path == "torch.nn.Sequential" and not isinstance(only, dict):
        return Use(_sequential({str(i): item for i, item in enumerate(arguments)}, syntax))
    if keywords or len(arguments) > 1:
        raise UnreadError(syntax, "T018", name=path.rpartition(".")[2])
    if isinstance(only, dict):
        items = {str(key): value for key, value in only.items()}
    elif isinstance(only, Modules):
        items = dict(only.items)
    else:
        items = {str(index): item for index, item in enumerate(only or ())}
    return Use(_sequential(items, syntax)) if path == "torch.nn.Sequential" else Modules(items)


def _sequential(items: Mapping[str, Any], syntax: cst.CSTNode) -> Level:
    entry = Made(type="BlockInput", params={}, attribute="x")
    level = Level(source="", inputs=[entry])
    _chain(level, items, Ref(entry, "output"), syntax)
    return level


def _chain(level: Level, items: Mapping[str, Any], source: Ref, syntax: cst.CSTNode) -> None:
    """Lead a tensor through layers, behind those that a level has already."""
    for name, content in items.items():
        module = content.content if isinstance(content, Member) else content
        made, described = module_of(module, name, syntax)
        port = described.inputs[0].name if described else made.inside[0].inputs[0].attribute
        made.wires[port] = source
        level.nodes.append(made)
        result = results(made, described) if described else Ref(made, "0")
        if not isinstance(result, Ref):
            raise UnreadError(syntax, "T024", name=name)
        source = result
    level.outputs.append(source)


def module_of(content: Any, attribute: str, syntax: cst.CSTNode) -> tuple[Made, Entry | None]:
    """Return the node of a module, and its description where it is a layer."""
    if isinstance(content, Use):
        return Made(
            type="", params={}, attribute=attribute, inside=(content.level,), syntax=syntax
        ), None
    if isinstance(content, Opaque):
        return opaque_layer(content, attribute)
    if not isinstance(content, Built):
        raise UnreadError(syntax, "T010")
    is_listed = content.entry is not None or content.path in layer_entries()
    unlisted = None if is_listed else unlisted_layer(content, attribute)
    if unlisted is not None:
        return unlisted
    try:
        entry, params = layer_of(content)
    except UnreadError as error:  # a setting that the catalogue leaves out: ``device=...``
        is_rare = error.code == "T016" and takes_keywords(content)
        unlisted = unlisted_layer(content, attribute) if is_rare else None
        if unlisted is None:
            raise
        return unlisted
    return Made(type=entry.key, params=params, attribute=attribute, syntax=content.syntax), entry


def is_tensor(content: Any) -> bool:
    """Return whether a value is a tensor that the model holds, not a module."""
    if not isinstance(content, Built):
        return False
    is_layer = content.entry is not None or content.path in layer_entries()
    return not is_layer and module_class(content.path) is None


def held_tensor(reader: Reader, member: Member, syntax: cst.CSTNode) -> Ref:
    """Return the tensor under an attribute; it is one node, however often it is read."""
    if member.first is None:
        key, params = tensor_of(member.content, syntax)
        member.first = Made(
            type=key, params=params, attribute=member.attribute, syntax=member.syntax
        )
        reader.add(member.first)
    return Ref(member.first, "output")


def is_checkpoint(callee: Any) -> bool:
    """Return whether what is called calls a module so that its activations are recomputed."""
    if isinstance(callee, Function):
        return callee.definition.name.value == HELPER and callee.owner is None
    return callee == Library(_CHECKPOINT)


def _call_recomputed(
    reader: Reader, callee: Any, arguments: list[Any], keywords: dict[str, Any], syntax: cst.Call
) -> Any:
    """Call a module by way of ``checkpoint``. Raises :class:`UnreadError` for the reentrant kind,
    further settings, and functions instead of modules.
    """
    member, *others = arguments or [None]
    if isinstance(callee, Library) and keywords.pop("use_reentrant", None) is not False:
        raise UnreadError(syntax, "T017", name=CALL)
    if not isinstance(member, Member) or not keywords.keys().isdisjoint(_CHECKPOINT_SETTINGS):
        raise UnreadError(syntax, "T017", name=CALL)
    return _call_member(reader, member, others, keywords, syntax, recompute=True)


def _call_member(
    reader: Reader,
    member: Member,
    arguments: list[Any],
    keywords: dict[str, Any],
    syntax: cst.Call,
    *,
    recompute: bool = False,
) -> Any:
    if isinstance(member.content, Opaque):
        made, value = opaque_call(member, arguments, keywords, reader.width_of(syntax), syntax)
        made.recompute = recompute
        member.first = member.first or made
        reader.add(made)
        return value
    if member.attribute.count(".") > 1:  # a name on the canvas has one dot at most
        raise UnreadError(syntax, "T033", name=member.attribute)
    made, entry = module_of(member.content, member.attribute, member.syntax)
    made.shares, made.recompute = member.first, recompute
    if entry is not None:
        wire_layer(made, entry, arguments, keywords, syntax)
        value = results(made, entry)
    else:
        value = _wire_block(made, arguments, keywords, syntax)
    member.first = member.first or made
    reader.add(made)
    return value


def _wire_block(
    made: Made, arguments: Sequence[Any], keywords: Mapping[str, Any], syntax: cst.Call
) -> Any:
    level = made.inside[0]
    names = [one.attribute for one in level.inputs]
    given = {**dict(zip(names, arguments, strict=False)), **keywords}
    if not all(isinstance(value, Ref) for value in [*arguments, *keywords.values()]):
        raise UnreadError(syntax, "T010")
    if len(arguments) > len(names) or not set(given) <= set(names):
        raise UnreadError(syntax, "T018", name=level.source or "nn.Sequential")
    made.wires |= given
    refs = tuple(Ref(made, str(index)) for index in range(len(level.outputs)))
    return refs[0] if len(refs) == 1 else refs


def bound_arguments(
    definition: cst.FunctionDef,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    syntax: cst.CSTNode,
) -> dict[str, Any]:
    """Return arguments by name, as far as they are given (``self`` is left out)."""
    parameters: list[inspect.Parameter] = []
    both, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    params = definition.params
    if isinstance(params.star_arg, cst.Param) or params.star_kwarg is not None:
        raise UnreadError(syntax, "T010")
    for kind, group in (
        (both, (*params.posonly_params, *params.params)),
        (only, params.kwonly_params),
    ):
        for param in group:
            default = inspect.Parameter.empty if param.default is None else param.default
            parameters.append(inspect.Parameter(param.name.value, kind, default=default))
    if parameters and parameters[0].name == "self":
        parameters.pop(0)
    try:
        return dict(inspect.Signature(parameters).bind(*arguments, **keywords).arguments)
    except (TypeError, ValueError) as error:
        raise UnreadError(syntax, "T018", name=definition.name.value) from error
