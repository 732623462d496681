"""Tensors that a model holds beside its layers: how they are made, and when they cannot be."""

from collections.abc import Callable, Mapping
from math import prod

from engine.catalog.spec import Entry, ParamKind, ParamSpec, Value
from engine.diagnostics import Diagnostic
from engine.syntax.call import Argument, Arguments, Built, Constant, Listed

_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_RANDOM = frozenset({"uniform", "normal"})
_OF_MATRICES = frozenset(
    {"xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal"}
)


def is_learned(entry: Entry) -> bool:
    """Return whether a tensor is an ``nn.Parameter``, not a buffer."""
    return entry.target == "nn.Parameter"


def learned(entry: Entry, values: Mapping[str, Value]) -> Built:
    """Return how an ``nn.Parameter`` is made."""
    keywords = () if values["requires_grad"] is True else (("requires_grad", _plain(value=False)),)
    return Built(entry.target, Arguments((content(values),), keywords))


def content(values: Mapping[str, Value], *, is_seeded: bool = True) -> Built:
    """Return how the tensor itself is made.

    Without ``is_seeded`` random numbers come from the generator of the program: on the meta device
    there is no other.
    """
    seed = values.get("seed") if is_seeded else None
    generator = () if seed is None else (("generator", _generator(seed)),)
    fill, axes = str(values["fill"]), _axes(values)
    is_unit = (values["low"], values["high"]) == (0.0, 1.0)
    is_standard = (values["mean"], values["std"]) == (0.0, 1.0)
    if fill in _LISTED:
        return _LISTED[fill](values)
    if fill in ("zeros", "ones"):
        return Built(f"torch.{fill}", _with_dtype(values, "float32", *axes))
    if (fill == "uniform" and is_unit) or (fill == "normal" and is_standard):
        function = "torch.rand" if fill == "uniform" else "torch.randn"
        return Built(function, _with_dtype(values, "float32", *axes, also=generator))
    empty = Built("torch.empty", _with_dtype(values, "float32", *axes))
    keywords = (*_of_filling(fill, values), *generator)
    return Built(f"nn.init.{fill}_", Arguments((empty,), keywords))


def tensor_fault(values: Mapping[str, Value]) -> Diagnostic | None:
    """Return why a tensor cannot be made: numbers that do not go together."""
    fill, sizes = str(values["fill"]), _sizes(values)
    rank, dtype = len(sizes), str(values.get("dtype", "float32"))
    shape = " × ".join(str(size) for size in sizes) or "1"
    if fill in _OF_MATRICES and rank < 2:
        return Diagnostic(code="S032", field="fill", params={"fill": fill, "rank": rank})
    if fill == "eye" and (rank != 2 or sizes[0] != sizes[1]):
        return Diagnostic(code="S033", field="shape", params={"shape": shape})
    if fill == "values":
        count, needed = len(_listed(values).numbers), prod(sizes)
        if count != needed:
            params: dict[str, str | int | float] = {
                "count": count,
                "needed": needed,
                "shape": shape,
            }
            return Diagnostic(code="S034", field="values", params=params)
    if (fill in _RANDOM and dtype not in _FLOATS) or (fill == "arange" and dtype == "bool"):
        return Diagnostic(code="S035", field="dtype", params={"fill": fill, "dtype": dtype})
    if fill == "uniform" and _number(values, "low") > _number(values, "high"):
        bounds = {name: _number(values, name) for name in ("low", "high")}
        return Diagnostic(code="S036", field="high", params={**bounds})
    return None


def _of_filling(name: str, values: Mapping[str, Value]) -> tuple[tuple[str, Argument], ...]:
    """Return what a function of ``nn.init`` is told, as far as its defaults do not say it."""
    names: dict[str, tuple[str, Value]]
    if name in ("normal", "trunc_normal"):
        names = {"mean": ("mean", 0.0), "std": ("std", 1.0)}
    elif name == "uniform":
        names = {"low": ("a", 0.0), "high": ("b", 1.0)}
    elif name.startswith("kaiming"):
        names = {"mode": ("mode", "fan_in"), "nonlinearity": ("nonlinearity", "leaky_relu")}
    else:
        names = {}
    return tuple(
        (called, _plain(values[own]))
        for own, (called, default) in names.items()
        if values[own] != default
    )


def _constant(values: Mapping[str, Value]) -> Built:
    value = _plain(_typed(_number(values, "value"), values))
    if not _sizes(values):
        return Built("torch.tensor", _with_dtype(values, "", value))
    return Built("torch.full", _with_dtype(values, "", _plain(_sizes(values)), value))


def _values(values: Mapping[str, Value]) -> Built:
    return _shaped(Built("torch.tensor", _with_dtype(values, "", _listed(values))), values)


def _arange(values: Mapping[str, Value]) -> Built:
    count = _plain(prod(_sizes(values)))
    return _shaped(Built("torch.arange", _with_dtype(values, "int64", count)), values)


def _eye(values: Mapping[str, Value]) -> Built:
    side = _sizes(values)[:1]  # a shape of no axes is told of, but still written
    return Built("torch.eye", _with_dtype(values, "float32", *map(_plain, side)))


_LISTED: dict[str, Callable[[Mapping[str, Value]], Built]] = {
    "constant": _constant,
    "values": _values,
    "arange": _arange,
    "eye": _eye,
}
"""What holds given numbers, by the name of the filling."""


def _shaped(made: Built, values: Mapping[str, Value]) -> Built:
    if len(_sizes(values)) == 1:
        return made
    return Built("method:view", Arguments((made, *_axes(values))))


def _axes(values: Mapping[str, Value]) -> tuple[Constant, ...]:
    sizes = _sizes(values)
    return tuple(_plain(size) for size in sizes) if sizes else (_plain(()),)


def _with_dtype(
    values: Mapping[str, Value],
    default: str,
    *positional: Argument,
    also: tuple[tuple[str, Argument], ...] = (),
) -> Arguments:
    """Return arguments with the dtype, where the function would not choose it by itself; an empty
    ``default`` tells that it goes by the numbers.
    """
    dtype = str(values.get("dtype", "float32"))
    by_itself = ("float32", "int64", "bool") if not default else (default,)
    if dtype in by_itself:
        return Arguments(positional, also)
    spec = ParamSpec(name="dtype", kind=ParamKind.DTYPE)
    return Arguments(positional, (*also, ("dtype", Constant(dtype, spec))))


def _generator(seed: Value) -> Built:
    return Built(
        "method:manual_seed", Arguments((Built("torch.Generator", Arguments()), _plain(seed)))
    )


def _listed(values: Mapping[str, Value]) -> Listed:
    found = values["values"]
    numbers = found if isinstance(found, tuple) else (found,)
    return Listed(tuple(_typed(n, values) for n in numbers if isinstance(n, int | float)))


def _typed(number: float, values: Mapping[str, Value]) -> bool | int | float:
    """Return a number in the type of the elements, so that torch chooses it by itself."""
    dtype = values.get("dtype", "float32")
    if dtype == "bool":
        return bool(number)
    return int(number) if str(dtype).startswith(("int", "uint")) else float(number)


def _sizes(values: Mapping[str, Value]) -> tuple[int, ...]:
    shape = values["shape"]
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return tuple(size for size in sizes if isinstance(size, int))


def _number(values: Mapping[str, Value], name: str) -> float:
    value = values[name]
    return value if isinstance(value, int | float) else 0.0


def _plain(value: Value) -> Constant:
    return Constant(value, ParamSpec(name="", kind=ParamKind.STR))
