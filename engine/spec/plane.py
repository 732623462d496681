"""Plane that a decision surface is drawn over: those that suit a model, and the chosen one."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from engine.graph.model import Graph
from engine.spec.data import DataInfo, FieldInfo

PlaneKind = Literal["columns", "samples"]
MOST_NUMBERS = 32
"""The most numbers that an answer has of which a surface is drawn: more are a picture."""
_PAIR = 2


class PlaneAxis(msgspec.Struct, frozen=True, kw_only=True):
    """A number that an input field has: its field, and its column there."""

    field: str
    column: int = 0


class Plane(msgspec.Struct, frozen=True, kw_only=True):
    """A plane in the space of the inputs. Of the kind ``columns`` it has two numbers of the inputs
    as ``axes``, all others are those of one sample; of the kind ``samples`` it is the one through
    three. Empty means: the first kind that suits, the first two numbers, a typical sample, or three
    of different classes, of which ``draw`` makes others. ``samples`` are numbers in the source.
    ``output`` is the one whose answers are drawn, of several that are compared with the data;
    empty: the first.
    """

    kind: Literal["", "columns", "samples"] = ""
    axes: tuple[PlaneAxis, ...] = ()
    samples: tuple[int, ...] = ()
    draw: int = 0
    output: str = ""


def model_fields(info: DataInfo, graph: Graph) -> tuple[FieldInfo, ...]:
    """Return the fields of the data that a model reads, in the order of its inputs; all inputs of
    the data where it names none of them.
    """
    names = [node.params.get("field") for node in graph.nodes.values() if node.type == "Input"]
    found = [info.field(name) for name in names if isinstance(name, str)]
    known = tuple(field for field in found if field is not None)
    return known or tuple(field for field in info.fields if field.role == "input")


def suits(plane: Plane, drawn: Plane) -> bool:
    """Return whether the plane that was ``drawn`` is the chosen one, or what stands for it."""
    is_older = not drawn.kind
    return is_older or (
        plane.kind in ("", drawn.kind)
        and plane.axes in ((), drawn.axes)
        and plane.samples in ((), drawn.samples)
        and plane.draw == drawn.draw
        and plane.output == drawn.output
    )


def plane_axes(fields: Sequence[FieldInfo]) -> tuple[PlaneAxis, ...]:
    """Return the numbers among the inputs of a model that can be an axis."""
    return tuple(
        PlaneAxis(field=field.name, column=column)
        for field in fields
        if field.kind in ("vector", "scalar", "point") and is_decimal(field)
        for column in range(_numbers(field))
    )


def plane_kinds(fields: Sequence[FieldInfo]) -> tuple[PlaneKind, ...]:
    """Return which planes can be laid through the inputs of a model, the usual one first. Three
    samples of two numbers span the plane that these numbers are anyway.
    """
    count = len(plane_axes(fields))
    is_pair = len(fields) == 1 and count == _PAIR
    spans = any(is_decimal(field) or is_text(field) for field in fields)
    kinds: list[PlaneKind] = ["columns"] if count >= _PAIR else []
    return (*kinds, "samples") if spans and not is_pair else tuple(kinds)


def is_decimal(field: FieldInfo) -> bool:
    """Return whether a field has decimal numbers, between which there are others."""
    return field.dtype.startswith(("float", "bfloat"))


def is_text(field: FieldInfo) -> bool:
    """Return whether a field has the numbers of tokens, which a layer looks up vectors for."""
    return field.kind == "sequence" and not is_decimal(field)


def axis_name(fields: Sequence[FieldInfo], axis: PlaneAxis) -> str:
    """Return what the data calls an axis: its column, or the name of its field."""
    field = next((each for each in fields if each.name == axis.field), None)
    if field is None:
        return axis.field
    if field.kind == "point" and not field.columns and _numbers(field) == _PAIR:
        return "xy"[axis.column]
    names = field.entry_names
    return names[axis.column] if axis.column < len(names) else axis.field


def _numbers(field: FieldInfo) -> int:
    """Return how many numbers a field of one axis at most has in every sample."""
    if len(field.shape) > 1 or any(size < 0 for size in field.shape):
        return 0
    return field.shape[0] if field.shape else 1
