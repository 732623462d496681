"""Fields of arrays: kind and role by shape and type, values converted a few rows at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from engine.data.source.array_form import RowsForm
from engine.data.source.array_rows import ArrayRows
from engine.data.source.field import label_info
from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo

ArrayKind = Literal["auto", "image", "vector", "sequence"]

_CHANNELS = (1, 3, 4)
_MOST_CLASSES = 10_000
_WHITE = 255.0


@dataclass(frozen=True, kw_only=True)
class ArrayField:
    """One field: its rows as they are stored, and how they become tensors of ``info``.

    ``scale`` divides decimal numbers, ``is_channels_last`` moves the last axis of an image to the
    front, ``values`` are the stored values of classes by their number.
    """

    info: FieldInfo
    rows: ArrayRows
    scale: float = 1.0
    is_channels_last: bool = False
    values: np.ndarray | None = None

    def read(self, indices: Sequence[int]) -> Tensor:
        """Return some rows as a tensor of shape (rows, *shape of the field)."""
        return self.convert(self.rows.read(indices))

    def all(self) -> Tensor:
        """Return all rows as a tensor of shape (samples, *shape of the field)."""
        result = torch.empty(
            self.rows.shape[0], *self.info.shape, dtype=getattr(torch, self.info.dtype)
        )
        start = 0
        for block in self.rows.blocks():
            result[start : start + len(block)] = self.convert(block)
            start += len(block)
        return result

    def convert(self, rows: np.ndarray) -> Tensor:
        """Return stored rows as a tensor."""
        if self.values is not None:
            numbers = np.searchsorted(self.values, rows.reshape(len(rows), -1)).astype(np.int64)
            return torch.from_numpy(numbers).reshape(len(rows), *self.info.shape)
        return self.form.values(rows)

    @property
    def form(self) -> RowsForm:
        """How what is stored becomes numbers that are no classes."""
        return RowsForm(self.info.shape, self.info.dtype, self.scale, self.is_channels_last)


def input_field(name: str, rows: ArrayRows, kind: ArrayKind = "auto") -> ArrayField:
    """Return the input that an array is: pictures of bytes from 0 to 1, decimal numbers as they
    are, whole numbers as indices. Raises ``DiagnosticError`` (D147) for texts or a shape that is
    not one of ``kind``.
    """
    shape, dtype = rows.shape, rows.dtype
    if dtype.kind in "US" or len(shape) > 5:
        raise _unusable(name, rows)
    axes = len(shape) - 1
    is_byte = dtype == np.uint8
    if kind == "image" or (kind == "auto" and (axes == 3 or (axes == 2 and is_byte))):
        return _image(name, rows, "input")
    if kind == "sequence" or (kind == "auto" and axes <= 1 and dtype.kind in "iu"):
        return _sequence(name, rows, "input")
    if kind == "auto" and axes == 2:  # steps with several numbers each
        return _numbers(name, rows, "input", "sequence")
    return _numbers(name, rows, "input", "vector" if axes else "scalar")


def target_field(name: str, rows: ArrayRows, steps: int = 0) -> ArrayField:
    """Return the target that an array is: classes where it has a whole number, a truth value or a
    text for each sample, or a row with a single one; labels where it has rows of 0 and 1, other
    than one for each of the ``steps`` of the input; numbers; class indices for each position; a
    picture. Raises ``DiagnosticError`` (D147) for what is none of these.
    """
    shape, dtype = rows.shape, rows.dtype
    axes = len(shape) - 1
    width = shape[1] if axes == 1 else 1
    if axes <= 1 and width == 1 and dtype.kind in "biuUS":
        return _classes(name, rows)
    if dtype.kind in "US" or len(shape) > 5:
        raise _unusable(name, rows)
    if axes == 1 and width > 1 and _is_one_hot(rows):
        numbers = np.concatenate([block.argmax(axis=1) for block in rows.blocks()])
        return _classes(name, ArrayRows((numbers,)), least=width)
    if axes == 1 and width > 1 and width != steps and _is_yes_or_no(rows):
        return _labels(name, rows)
    if dtype.kind in "iu" and axes in (1, 2):
        return _sequence(name, rows, "target")
    if axes == 3:
        return _image(name, rows, "target")
    return _numbers(name, rows, "target", "scalar" if width == 1 and axes <= 1 else "vector")


def _image(name: str, rows: ArrayRows, role: Literal["input", "target"]) -> ArrayField:
    shape = rows.shape[1:]
    if len(shape) not in (2, 3):
        raise _unusable(name, rows)
    is_last = len(shape) == 3 and _is_channels_last(shape)
    if len(shape) == 2:
        shape = (1, *shape)
    elif is_last:
        shape = (shape[2], shape[0], shape[1])
    info = FieldInfo(name=name, role=role, kind="image", shape=shape, dtype="float32")
    scale = _WHITE if rows.dtype == np.uint8 else 1.0
    return ArrayField(info=info, rows=rows, scale=scale, is_channels_last=is_last)


def _is_channels_last(shape: tuple[int, ...]) -> bool:
    first, height, width = shape
    is_first = first in _CHANNELS and height == width  # of tiny pictures both may be channels
    return width in _CHANNELS and not is_first


def _numbers(
    name: str,
    rows: ArrayRows,
    role: Literal["input", "target"],
    kind: Literal["vector", "scalar", "sequence"],
) -> ArrayField:
    shape = rows.shape[1:] or (1,)
    info = FieldInfo(name=name, role=role, kind=kind, shape=shape, dtype="float32")
    return ArrayField(info=info, rows=rows)


def _sequence(name: str, rows: ArrayRows, role: Literal["input", "target"]) -> ArrayField:
    if rows.dtype.kind not in "biu":
        raise _unusable(name, rows)
    shape = rows.shape[1:]
    lowest, highest = _extent(rows)
    classes: tuple[str, ...] = ()
    if role == "target":
        if lowest < 0 or highest >= _MOST_CLASSES:
            raise _unusable(name, rows)
        classes = tuple(map(str, range(highest + 1)))
    info = FieldInfo(
        name=name,
        role=role,
        kind="sequence" if shape else "scalar",
        shape=shape,
        dtype="int64",
        classes=classes,
        lowest=lowest,
        highest=highest,
    )
    return ArrayField(info=info, rows=rows)


def _classes(name: str, rows: ArrayRows, least: int = 2) -> ArrayField:
    """Return classes: whole numbers from 0 on are indices, other values go by their order."""
    seen = np.unique(np.concatenate([np.unique(block) for block in rows.blocks()]))
    if len(seen) > _MOST_CLASSES:
        if rows.dtype.kind in "US":
            raise _unusable(name, rows)
        return _numbers(name, rows, "target", "scalar")
    values: np.ndarray | None = seen
    names = tuple(_class_name(value) for value in seen)
    if rows.dtype.kind in "biu" and int(seen[0]) == 0 and int(seen[-1]) < 2 * len(seen):
        values, names = None, tuple(map(str, range(max(int(seen[-1]) + 1, least))))
    return ArrayField(info=label_info(names, name), rows=rows, values=values)


def _labels(name: str, rows: ArrayRows) -> ArrayField:
    """Return labels, of which a sample has any number; they are called by their numbers."""
    width = rows.shape[1]
    info = FieldInfo(
        name=name,
        role="target",
        kind="vector",
        shape=(width,),
        dtype="float32",
        columns=tuple(map(str, range(width))),
    )
    return ArrayField(info=info, rows=rows)


def _class_name(value: np.generic) -> str:
    plain = value.item()
    return plain.decode("utf-8", "replace") if isinstance(plain, bytes) else str(plain)


def _is_one_hot(rows: ArrayRows) -> bool:
    for block in rows.blocks():
        if not bool(((block == 0) | (block == 1)).all() and (block.sum(axis=1) == 1).all()):
            return False
    return True


def _is_yes_or_no(rows: ArrayRows) -> bool:
    return all(bool(((block == 0) | (block == 1)).all()) for block in rows.blocks())


def _extent(rows: ArrayRows) -> tuple[int, int]:
    ends = [(int(block.min()), int(block.max())) for block in rows.blocks() if block.size]
    return min((low for low, _ in ends), default=0), max((high for _, high in ends), default=0)


def _unusable(name: str, rows: ArrayRows) -> DiagnosticError:
    shape = " × ".join(map(str, rows.shape))
    return DiagnosticError.of("D147", name=name, shape=shape, dtype=str(rows.dtype))
