"""Layers that exist already, described by the catalogue: their parameters are read from the
attributes and proved by building the layer again.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from torch import Tensor, nn

from engine.catalog.check import check_value
from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamKind, ParamSpec, Value
from engine.importer.trace import library_class
from engine.shape.execute import Signal, build_module, resolve
from engine.syntax.call import complete_params

_WITNESSES = {"affine": "weight", "elementwise_affine": "weight", "add_bias_kv": "bias_k"}
"""Parameters that are kept as the tensor that they lead to."""


class Described(NamedTuple):
    """The type of a node and its parameters."""

    entry: Entry
    params: dict[str, Value]


@cache
def _entries() -> dict[type, Entry]:
    entries: dict[type, Entry] = {}
    for entry in catalog().group(EntryGroup.LAYER):
        kind = getattr(nn, entry.target.removeprefix("nn."), None)
        if isinstance(kind, type):
            entries.setdefault(kind, entry)
    return entries


def is_known_layer(kind: type) -> bool:
    """Return whether the catalogue has a layer of PyTorch."""
    return kind in _entries()


def layer_entry(module: nn.Module) -> Entry | None:
    """Return the entry of the class of a layer, if the catalogue has it."""
    kind = library_class(type(module))
    return None if kind is None else _entries().get(kind)


def describe_layer(module: nn.Module, signals: Mapping[str, Signal]) -> Described | None:
    """Return a layer as a node, or nothing where the catalogue cannot describe all of it.

    ``signals`` is what arrives at its ports: sizes that follow from it are left on "auto".
    """
    entry = layer_entry(module)
    if entry is None:
        return None
    for is_short in (True, False):
        params = _params(entry, module, is_short=is_short)
        if params is not None and _is_same(entry, params, module):
            return Described(entry, _inferred(entry, params, signals))
    return None


def describe_tensor(module: nn.Module, path: str) -> Described | None:
    """Return a parameter or a buffer whose numbers are weights as a node; nothing for any other
    tensor, as its numbers would be lost.
    """
    above, _, name = path.rpartition(".")
    owner = module.get_submodule(above)
    value = getattr(owner, name)
    is_parameter = isinstance(value, nn.Parameter)
    entry = catalog().node("Parameter" if is_parameter else "Buffer")
    if entry is None or name not in owner.state_dict():
        return None
    params: dict[str, Value] = {"shape": tuple(value.shape)}
    given = {"requires_grad": value.requires_grad, "dtype": str(value.dtype).partition(".")[2]}
    for spec in entry.params:
        if spec.name in given and given[spec.name] != spec.default:
            params[spec.name] = given[spec.name]
    is_good = is_parameter is False or given["dtype"] == "float32"
    specs = [spec for spec in entry.params if spec.name in params]
    if not is_good or any(check_value(spec, params[spec.name]) is not None for spec in specs):
        return None
    return Described(entry, params)


def _params(entry: Entry, module: nn.Module, *, is_short: bool) -> dict[str, Value] | None:
    settings: dict[str, Value] = {}
    for spec in entry.params:
        if spec.call:
            continue
        name = _WITNESSES.get(spec.name, spec.name)
        if not hasattr(module, name) and not hasattr(module, spec.name):
            continue  # it keeps the default; building the layer again tells whether that is right
        value = getattr(module, spec.name) if hasattr(module, spec.name) else getattr(module, name)
        value = plain_value(spec, value, is_short=is_short)
        if _is_stride_of_window(spec, value, settings) or _is_default(spec, value):
            continue
        if check_value(spec, value) is not None:
            return None
        settings[spec.name] = value
    return settings


def plain_value(spec: ParamSpec, value: Any, *, is_short: bool = True) -> Value:
    """Return a value as a document holds it; ``is_short``: one number where all are the same."""
    if spec.kind is ParamKind.BOOL and not isinstance(value, bool):
        return value is not None if isinstance(value, Tensor) or value is None else value
    if spec.kind is ParamKind.DTYPE and value is not None:
        return str(value).removeprefix("torch.")
    if isinstance(value, list | tuple):
        items = tuple(value)
        is_several = spec.kind in (ParamKind.INTS, ParamKind.FLOATS) and spec.single and spec.length
        if is_short and is_several and len(set(items)) == 1:
            return items[0]
        return items
    if spec.kind is ParamKind.SHAPE and isinstance(value, int):
        return (value,)
    return value


def _is_default(spec: ParamSpec, value: Value) -> bool:
    return not spec.required and type(value) is type(spec.default) and value == spec.default


def _is_stride_of_window(spec: ParamSpec, value: Value, settings: Mapping[str, Value]) -> bool:
    """Return whether it is the stride of a pooling that nobody gave: that of its window."""
    return spec.name == "stride" and spec.default is None and value == settings.get("kernel_size")


def _is_same(entry: Entry, params: Mapping[str, Value], module: nn.Module) -> bool:
    try:
        built = build_module(entry, complete_params(entry, params, {}))
    except Exception:  # noqa: BLE001  # PyTorch raises many kinds; then it is not the same
        return False
    built.train(module.training)
    return (
        _words(built) == _words(module)
        and _tensors(built) == _tensors(module)
        and _settings(built) == _settings(module)
    )


def _words(module: nn.Module) -> str:
    """Return what a layer says about itself; lists and tuples of sizes are the same."""
    return module.extra_repr().replace("[", "(").replace("]", ")")


def _tensors(module: nn.Module) -> dict[str, tuple[object, ...]]:
    return {
        name: (tuple(tensor.shape), tensor.dtype)
        for name, tensor in (*module.named_parameters(), *module.named_buffers())
    }


def _settings(module: nn.Module) -> dict[str, object]:
    return {
        name: _one(value)
        for name, value in vars(module).items()
        if not name.startswith("_")
        and isinstance(value, bool | int | float | str | tuple | list | None)
    }


def _one(value: object) -> object:
    """Return a value so that one number stands for the same number several times."""
    value = tuple(value) if isinstance(value, list) else value
    is_same = isinstance(value, tuple) and len(set(value)) == 1
    return value[0] if isinstance(value, tuple) and is_same else value


def _inferred(
    entry: Entry, params: Mapping[str, Value], signals: Mapping[str, Signal]
) -> dict[str, Value]:
    """Return the parameters with "auto" for the numbers that are those that would be inferred."""
    wanted = {spec.name: AUTO for spec in entry.params if spec.auto and spec.required}
    sizes = resolve(entry, {**params, **wanted}, signals)
    return {
        name: AUTO if name in wanted and sizes.get(name) == value else value
        for name, value in params.items()
    }
