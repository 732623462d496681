"""Samples of the user's code as named tensors, and the fields that they are."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from engine.data.source.custom.boxed import box_tensors, is_boxed, without_target
from engine.spec.data import FieldInfo

TARGETS = frozenset(("target", "targets", "label", "labels", "y"))
"""What fields are called that are compared with; without any, the last of several is."""

_CHANNELS = (1, 3, 4)
_MOST_FIELDS = 100

Named = dict[str, Tensor]
Role = Literal["input", "target"]


class UnusableSampleError(TypeError):
    """A sample holds what cannot become a tensor; the text says what."""


def named_tensors(sample: object) -> Named:
    """Return a sample as tensors by name: a dictionary by its keys, a tuple as ``input`` and
    ``target`` (``input2`` and so on between them), anything else as ``input``. A target with boxes
    is ``boxes`` and ``labels``. Texts and None are left out.

    Raises :class:`UnusableSampleError` for other things, and for a sample without a number; for
    boxes what :func:`~engine.data.source.custom.boxed.box_tensors` does.
    """
    values = without_target(_named(sample))
    if len(values) > _MOST_FIELDS:
        raise UnusableSampleError(f"{len(values)} values")
    tensors = {name: _tensor(value) for name, value in values.items() if _is_value(value)}
    if not tensors:
        raise UnusableSampleError(type(sample).__name__)
    return box_tensors(tensors, values) if is_boxed(values) else tensors


def _named(sample: object) -> dict[str, object]:
    if isinstance(sample, Mapping):
        pairs = cast("Mapping[object, object]", sample)
        return {str(key): value for key, value in pairs.items()}
    if isinstance(sample, tuple) and hasattr(sample, "_fields"):
        names: Sequence[str] = cast("Any", sample)._fields
        return dict(zip(names, cast("tuple[object, ...]", sample), strict=True))
    if isinstance(sample, tuple | list):
        values = list(cast("Sequence[object]", sample))
        between = [f"input{number}" for number in range(2, len(values))]
        names = ["input", *between, "target"] if len(values) > 1 else ["input"]
        return dict(zip(names, values, strict=False))
    return {"input": sample}


def texts_of(sample: object) -> tuple[str, ...]:
    """Return the names of the texts of a sample, which no tensor is made of."""
    named = _named(sample).items()
    return tuple(name for name, value in named if isinstance(value, str | bytes))


def _is_value(value: object) -> bool:
    return value is not None and not isinstance(value, str | bytes)


def _tensor(value: object) -> Tensor:
    """Return a value as a tensor on the CPU: float32, uint8 or int64."""
    match value:
        case Tensor():
            tensor = value.detach().as_subclass(Tensor).cpu()
        case Image.Image():
            pixels = np.array(value if value.mode in ("L", "RGB") else value.convert("RGB"))
            return torch.from_numpy(pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1))
        case bool() | int():
            return torch.tensor(int(value))
        case float():
            return torch.tensor(value, dtype=torch.float32)
        case np.ndarray() | np.generic() | list() | tuple():
            array = np.array(cast("Any", value))  # a copy: it may be the user's own, or read-only
            if array.dtype.kind not in "biuf":
                raise UnusableSampleError(
                    f"{type(cast('object', value)).__name__} of {array.dtype}"
                )
            if array.dtype.byteorder not in "=|":
                array = array.astype(array.dtype.newbyteorder("="))
            tensor = torch.from_numpy(array.astype(np.int64) if _is_wide(array) else array)
        case _:
            raise UnusableSampleError(type(value).__name__)
    if tensor.is_complex() or tensor.layout is not torch.strided:
        raise UnusableSampleError(f"tensor of {tensor.dtype}")
    if tensor.is_floating_point():
        return tensor.to(torch.float32)
    return tensor if tensor.dtype is torch.uint8 and tensor.ndim > 1 else tensor.to(torch.int64)


def _is_wide(array: np.ndarray) -> bool:
    return array.dtype.kind == "u" and array.dtype.itemsize > 1


def roles_of(names: Sequence[str]) -> dict[str, Role]:
    """Return which fields are compared with: those that are called so, else the last of several."""
    targets = {name for name in names if name.lower() in TARGETS}
    if not targets and len(names) > 1:
        targets = {names[-1]}
    if len(targets) == len(names):
        targets = set(names[1:])
    return {name: "target" if name in targets else "input" for name in names}


def inputs_of(names: Sequence[str]) -> dict[str, Role]:
    """Return the roles of fields that nothing is compared with."""
    return dict.fromkeys(names, "input")


def describe_field(
    name: str, role: Role, values: Sequence[Tensor], classes: Sequence[str]
) -> FieldInfo:
    """Return the field that some values are, of shape (...) each; ``classes`` are the names that
    the user's class has for its targets. Axes of images that differ are -1.
    """
    first = values[0]
    if role == "target":
        return _target(name, values, classes)
    if is_image(first):
        return _image(name, role, values)
    if first.dtype == torch.float32:
        kind = "scalar" if first.ndim == 0 else "sequence" if first.ndim == 2 else "vector"
        shape = tuple(first.shape) or (1,)
        return FieldInfo(name=name, role=role, kind=kind, shape=shape, dtype="float32")
    lowest, highest = _ends(values)
    return FieldInfo(
        name=name,
        role=role,
        kind="sequence" if first.ndim else "scalar",
        shape=tuple(first.shape),
        dtype="int64",
        lowest=lowest,
        highest=highest,
    )


def fitting(value: Tensor, info: FieldInfo) -> Tensor:
    """Return a value as its field has it: a single number as a tensor of one where that is so, a
    picture without an axis of channels with one.
    """
    if info.kind == "image":
        value = value[None] if value.ndim == 2 else value
        return value if value.dtype in (torch.uint8, torch.float32) else value.to(torch.float32)
    if info.shape == (1,) and value.ndim == 0:
        value = value.reshape(1)
    return value.to(getattr(torch, info.dtype))


def is_image(value: Tensor) -> bool:
    """Return whether a value looks like a picture: three axes with one to four channels first, or
    a plane of bytes.
    """
    if value.ndim == 3:
        return value.shape[0] in _CHANNELS and value.dtype in (torch.uint8, torch.float32)
    return value.ndim == 2 and value.dtype is torch.uint8


def _image(name: str, role: Role, values: Sequence[Tensor]) -> FieldInfo:
    shapes = [tuple(value.shape) if value.ndim == 3 else (1, *value.shape) for value in values]
    shape = tuple(sizes[0] if len(set(sizes)) == 1 else -1 for sizes in zip(*shapes, strict=True))
    dtype = "uint8" if values[0].dtype is torch.uint8 else "float32"
    return FieldInfo(name=name, role=role, kind="image", shape=shape, dtype=dtype)


def _target(name: str, values: Sequence[Tensor], classes: Sequence[str]) -> FieldInfo:
    first = values[0]
    if first.dtype == torch.float32:
        if is_image(first):
            return _image(name, "target", values)
        kind = "scalar" if first.numel() == 1 and first.ndim < 2 else "vector"
        shape = tuple(first.shape) or (1,)
        return FieldInfo(name=name, role="target", kind=kind, shape=shape, dtype="float32")
    _, highest = _ends(values)
    names = tuple(classes) or tuple(map(str, range(max(highest + 1, 2))))
    kind = "class" if first.ndim == 0 else "sequence" if first.ndim == 1 else "mask"
    return FieldInfo(
        name=name, role="target", kind=kind, shape=tuple(first.shape), dtype="int64", classes=names
    )


def _ends(values: Sequence[Tensor]) -> tuple[int, int]:
    filled = [value for value in values if value.numel()]
    return (
        min((int(value.min()) for value in filled), default=0),
        max((int(value.max()) for value in filled), default=0),
    )
