"""Fields that sources are made of: values with their descriptions."""

from typing import Literal

import torch
from torch import Tensor

from engine.data.source.source import SourceData, SourceField
from engine.spec.data import FieldInfo


def image_field(images: Tensor) -> SourceField:
    """Return the input field ``image``, float32, from values of shape (samples, C, H, W)."""
    return _float_field("image", "image", images)


def vector_field(name: str, values: Tensor, columns: tuple[str, ...]) -> SourceField:
    """Return an input field of named columns, float32, from values of shape (samples, columns)."""
    return _float_field(name, "vector", values, columns=columns)


def point_field(points: Tensor) -> SourceField:
    """Return the input field ``point``, float32, from values of shape (samples, 2)."""
    return _float_field("point", "point", points, columns=("x", "y"))


def scalar_field(name: str, values: Tensor) -> SourceField:
    """Return an input field of one number, float32, from values of shape (samples, 1)."""
    return _float_field(name, "scalar", values)


def sequence_field(name: str, words: Tensor) -> SourceField:
    """Return an input field of word numbers, int64, from values of shape (samples, length)."""
    return _word_field(name, "sequence", words)


def word_field(name: str, words: Tensor) -> SourceField:
    """Return an input field of one word number, int64, from values of shape (samples,)."""
    return _word_field(name, "scalar", words)


def label_field(labels: Tensor, classes: tuple[str, ...]) -> SourceField:
    """Return the target field ``label`` of class numbers, int64, from shape (samples,)."""
    info = FieldInfo(
        name="label", role="target", kind="class", shape=(), dtype="int64", classes=classes
    )
    return SourceField(info=info, values=labels.to(torch.int64))


def labelled(
    inputs: tuple[SourceField, ...], label: Tensor, classes: tuple[str, ...]
) -> SourceData:
    """Return inputs with the field ``label`` from class numbers of shape (samples,); with two
    classes also ``target`` for binary losses.
    """
    fields = (*inputs, label_field(label, classes))
    if len(classes) == 2:
        return SourceData(task="binary", fields=(*fields, truth_field(label)))
    return SourceData(task="classification", fields=fields)


def truth_field(labels: Tensor) -> SourceField:
    """Return the target field ``target`` for binary losses: 0.0 or 1.0, shape (samples, 1), from
    labels of shape (samples,).
    """
    return target_field(labels.reshape(-1, 1))


def target_field(values: Tensor) -> SourceField:
    """Return the target field ``target``, float32, from values of shape (samples, outputs)."""
    kind = "scalar" if values.shape[1] == 1 else "vector"
    return _float_field("target", kind, values, role="target")


def _word_field(name: str, kind: Literal["sequence", "scalar"], words: Tensor) -> SourceField:
    shape = tuple(words.shape[1:])
    info = FieldInfo(
        name=name,
        role="input",
        kind=kind,
        shape=shape,
        dtype="int64",
        lowest=int(words.min()) if words.numel() else None,
        highest=int(words.max()) if words.numel() else None,
    )
    return SourceField(info=info, values=words.to(torch.int64))


def _float_field(
    name: str,
    kind: Literal["image", "vector", "scalar", "point"],
    values: Tensor,
    *,
    role: Literal["input", "target"] = "input",
    columns: tuple[str, ...] = (),
) -> SourceField:
    info = FieldInfo(
        name=name,
        role=role,
        kind=kind,
        shape=tuple(values.shape[1:]),
        dtype="float32",
        columns=columns,
    )
    return SourceField(info=info, values=values.to(torch.float32))
