"""Parameters of custom code: which editor each one gets, by its annotation and default."""

import ast
import re
from collections.abc import Mapping
from typing import NamedTuple

from engine.catalog.spec import ParamKind, ParamSpec, Value

_TENSORS = frozenset({"Tensor", "FloatTensor", "LongTensor"})
_SCALARS = {"bool": ParamKind.BOOL, "int": ParamKind.INT, "float": ParamKind.FLOAT}
_SEVERAL = {ParamKind.INT: ParamKind.INTS, ParamKind.FLOAT: ParamKind.FLOATS}
_SEQUENCES = frozenset({"tuple", "Tuple", "list", "List", "Sequence", "Iterable"})
_AXES = {
    "in_features": -1,
    "in_channels": 1,
    "num_features": 1,
    "embed_dim": -1,
    "d_model": -1,
}
"""Sizes that PyTorch calls like that, and where they stand in what arrives."""


class Meaning(NamedTuple):
    """What an annotation says about a value."""

    kind: ParamKind = ParamKind.LITERAL
    length: int = 0
    single: bool = False
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    is_tensor: bool = False
    is_list: bool = False  # of tensors


class Argument(NamedTuple):
    """One parameter of a function as it stands in the source."""

    name: str
    annotation: ast.expr | None
    default: ast.expr | None
    is_keyword: bool = False
    is_several: bool = False  # ``*tensors``

    @property
    def is_required(self) -> bool:
        """Whether it has no default."""
        return self.default is None

    def is_tensor(self) -> bool:
        """Return whether a wire goes here: annotated as a tensor, or neither annotated nor given a
        default other than None.
        """
        if self.annotation is not None:
            return meaning(self.annotation).is_tensor
        return self.default is None or (
            isinstance(self.default, ast.Constant) and self.default.value is None
        )


def arguments_of(function: ast.FunctionDef, skipped: int) -> list[Argument]:
    """Return the parameters of a function behind the first ``skipped`` (``self``, ``ctx``)."""
    spec = function.args
    plain = [*spec.posonlyargs, *spec.args]
    gap = len(plain) - len(spec.defaults)
    found = [
        Argument(arg.arg, arg.annotation, spec.defaults[index - gap] if index >= gap else None)
        for index, arg in enumerate(plain)
    ][skipped:]
    if spec.vararg is not None:
        found.append(Argument(spec.vararg.arg, spec.vararg.annotation, None, is_several=True))
    for arg, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        found.append(Argument(arg.arg, arg.annotation, default, is_keyword=True))
    return found


def param_spec(
    argument: Argument, helps: Mapping[str, str], *, is_layer: bool = False
) -> ParamSpec:
    """Return the parameter of a form. In a layer's ``__init__`` a required whole number with a
    name that PyTorch has for sizes of what arrives (``in_features``) is inferred.
    """
    default = literal_value(argument.default)
    if argument.annotation is not None:
        found = meaning(argument.annotation)
    else:
        found = _meaning_of(default)
    axis = _AXES.get(argument.name)
    is_size = is_layer and argument.is_required and axis is not None
    is_size = is_size and found.kind in (ParamKind.INT, ParamKind.LITERAL)
    kind = ParamKind.INT if is_size else found.kind
    has_default = argument.default is not None
    return ParamSpec(
        name=argument.name,
        kind=kind,
        default=default,
        required=not has_default,
        optional=found.is_optional or (has_default and default is None),
        auto=is_size,
        auto_axis=axis if is_size and axis is not None else -1,
        choices=found.choices,
        length=found.length,
        single=found.single,
        minimum=1 if is_size else None,
        help=helps.get(argument.name, ""),
    )


def meaning(annotation: ast.expr) -> Meaning:
    """Return what an annotation says; anything that is not known takes any plain value."""
    match annotation:
        case ast.Constant(value=str() as text):
            return _meaning_of_text(text)
        case ast.Name() | ast.Attribute():
            return _meaning_of_name(ast.unparse(annotation))
        case ast.BinOp(op=ast.BitOr()):
            return _union([annotation.left, annotation.right])
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return _meaning_of_subscript(name, _items(annotation.slice))
        case _:
            return Meaning()


def literal_value(node: ast.expr | None) -> Value:
    """Return the plain value that an expression writes down; None for any other."""
    if node is None:
        return None
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, list | tuple):
        items = tuple(value)
        return items if all(isinstance(item, bool | int | float | str) for item in items) else None
    return value if isinstance(value, bool | int | float | str) else None


def parameter_helps(doc: str) -> dict[str, str]:
    """Return what a docstring says about parameters, in the usual ways of writing it:
    ``name: text`` or ``name (int): text`` in a line, or ``:param name: text``.
    """
    found: dict[str, str] = {}
    for line in doc.splitlines():
        match = _HELP.match(line)
        if match is not None:
            found.setdefault(match["name"], match["text"])
    return found


_HELP = re.compile(
    r"\s*(?::param\s+|[-*]\s+)?`{0,2}(?P<name>[A-Za-z]\w*)`{0,2}\s*(?:\([^)]*\))?\s*:\s+(?P<text>\S.*)"
)


def _meaning_of_text(text: str) -> Meaning:
    try:
        return meaning(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return Meaning()


def _meaning_of_name(name: str) -> Meaning:
    last = name.rpartition(".")[2]
    if last in _TENSORS:
        return Meaning(is_tensor=True)
    if name in _SCALARS:
        return Meaning(_SCALARS[name])
    named = {
        "str": Meaning(ParamKind.STR),
        "torch.dtype": Meaning(ParamKind.DTYPE),
        "dtype": Meaning(ParamKind.DTYPE),
        "torch.Size": Meaning(ParamKind.SHAPE),
        "Size": Meaning(ParamKind.SHAPE),
    }
    return named.get(name, Meaning())


def _meaning_of_subscript(name: str, items: list[ast.expr]) -> Meaning:
    if name == "Literal":
        words = [item.value for item in items if isinstance(item, ast.Constant)]
        texts = tuple(word for word in words if isinstance(word, str))
        is_choice = bool(items) and len(texts) == len(items)
        return Meaning(ParamKind.CHOICE, choices=texts) if is_choice else Meaning()
    if name == "Optional" and len(items) == 1:
        return meaning(items[0])._replace(is_optional=True)
    if name == "Union":
        return _union(items)
    if name == "Annotated" and items:
        return meaning(items[0])
    return _sequence(items) if name in _SEQUENCES else Meaning()


def _sequence(items: list[ast.expr]) -> Meaning:
    is_open = len(items) == 1 or (
        len(items) == 2 and isinstance(items[1], ast.Constant) and items[1].value is ...
    )
    if not items:
        return Meaning()
    parts = {meaning(item) for item in (items[:1] if is_open else items)}
    first = next(iter(parts))
    if len(parts) > 1:
        return Meaning()
    if first.is_tensor:
        return Meaning(is_tensor=True, is_list=True)
    kind = _SEVERAL.get(first.kind)
    return Meaning() if kind is None else Meaning(kind, length=0 if is_open else len(items))


def _union(items: list[ast.expr]) -> Meaning:
    """Return what a union says: ``int | None``, ``Tensor | None``, ``int | tuple[int, int]``."""
    is_optional = any(_is_none(item) for item in items)
    found = [meaning(item) for item in items if not _is_none(item)]
    is_optional = is_optional or any(part.is_optional for part in found)
    several = next((part for part in found if part.kind in _SEVERAL.values()), None)
    if len(found) == 1:
        return found[0]._replace(is_optional=is_optional)
    if several is not None and all(_SEVERAL.get(p.kind, p.kind) == several.kind for p in found):
        return several._replace(single=True, is_optional=is_optional)
    if {part.kind for part in found} == {ParamKind.INT, ParamKind.FLOAT}:
        return Meaning(ParamKind.FLOAT, is_optional=is_optional)
    return Meaning(is_optional=is_optional)


def _meaning_of(default: Value) -> Meaning:  # noqa: PLR0911 - one line a kind of value
    match default:
        case bool():
            return Meaning(ParamKind.BOOL)
        case int():
            return Meaning(ParamKind.INT)
        case float():
            return Meaning(ParamKind.FLOAT)
        case str():
            return Meaning(ParamKind.STR)
        case tuple() if default and all(type(item) is int for item in default):
            return Meaning(ParamKind.INTS, length=len(default))
        case tuple() if default and all(type(item) is float for item in default):
            return Meaning(ParamKind.FLOATS, length=len(default))
        case _:
            return Meaning()


def _items(inner: ast.expr) -> list[ast.expr]:
    return list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
