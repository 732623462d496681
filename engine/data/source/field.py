"""Fields that sources are made of: values with their descriptions."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from engine.data.source.array_form import RowsForm
from engine.spec.data import FieldInfo
from engine.spec.sample_weight import WEIGHT_FIELD


@dataclass(frozen=True, kw_only=True)
class TensorField:
    """One field of all samples: ``values`` has the shape (samples, ...) and the dtype
    of ``info``; ``texts`` are the sentences that its numbers stand for, one a sample; ``form`` is
    how they were made of the rows of an array.
    """

    info: FieldInfo
    values: Tensor
    texts: tuple[str, ...] = ()
    form: RowsForm | None = None

    def key(self, index: int) -> bytes:
        """Return a key of the value of a sample: of a sentence its text, since unknown words share
        a number, with its length before it, which is the same for the values of all samples but
        not for texts.
        """
        if self.texts:
            text = self.texts[index].encode()
            return len(text).to_bytes(8, "little") + text
        return self.values[index].numpy().tobytes()


def image_field(images: Tensor) -> TensorField:
    """Return the input field ``image``, float32, from values of shape (samples, C, H, W)."""
    return _float_field("image", "image", images)


def vector_field(name: str, values: Tensor, columns: tuple[str, ...]) -> TensorField:
    """Return an input field of named columns, float32, from values of shape (samples, columns)."""
    return _float_field(name, "vector", values, columns=columns)


def point_field(points: Tensor) -> TensorField:
    """Return the input field ``point``, float32, from values of shape (samples, 2)."""
    return _float_field("point", "point", points, columns=("x", "y"))


def scalar_field(name: str, values: Tensor) -> TensorField:
    """Return an input field of one number, float32, from values of shape (samples, 1)."""
    return _float_field(name, "scalar", values)


def sequence_field(name: str, words: Tensor) -> TensorField:
    """Return an input field of word numbers, int64, from values of shape (samples, length)."""
    return _word_field(name, "sequence", words)


def word_field(name: str, words: Tensor) -> TensorField:
    """Return an input field of one word number, int64, from values of shape (samples,)."""
    return _word_field(name, "scalar", words)


def label_field(labels: Tensor, classes: tuple[str, ...]) -> TensorField:
    """Return the target field ``label`` of class numbers, int64, from shape (samples,)."""
    return TensorField(info=label_info(classes), values=labels.to(torch.int64))


def label_info(classes: tuple[str, ...], name: str = "label") -> FieldInfo:
    """Return the description of a target field of class numbers."""
    return FieldInfo(
        name=name, role="target", kind="class", shape=(), dtype="int64", classes=classes
    )


def mask_field(masks: Tensor, classes: tuple[str, ...]) -> TensorField:
    """Return the target field ``mask`` of class numbers, int64, from shape (samples, H, W)."""
    info = mask_info(tuple(masks.shape[1:]), classes)
    return TensorField(info=info, values=masks.to(torch.int64))


def mask_info(shape: tuple[int, ...], classes: tuple[str, ...], name: str = "mask") -> FieldInfo:
    """Return the description of a target field of masks; its ``shape`` is height and width."""
    return FieldInfo(
        name=name, role="target", kind="mask", shape=shape, dtype="int64", classes=classes
    )


def plane_info(shape: tuple[int, ...], classes: tuple[str, ...], name: str) -> FieldInfo:
    """Return the description of an input field of masks with a plane of 0 and 1 for each class;
    ``shape`` is height and width.
    """
    planes = (len(classes), *shape)
    return FieldInfo(
        name=name, role="input", kind="mask", shape=planes, dtype="float32", classes=classes
    )


def box_infos(classes: tuple[str, ...]) -> tuple[FieldInfo, FieldInfo]:
    """Return the descriptions of the target fields ``boxes`` and ``labels``, of which a sample has
    any number.
    """
    boxes = FieldInfo(name="boxes", role="target", kind="boxes", shape=(-1, 4), dtype="float32")
    labels = FieldInfo(
        name="labels",
        role="target",
        kind="box_classes",
        shape=(-1,),
        dtype="int64",
        classes=classes,
    )
    return boxes, labels


def box_mask_info(shape: tuple[int, ...]) -> FieldInfo:
    """Return the description of the target field ``masks``: which pixels are of each box; its
    ``shape`` is height and width.
    """
    return FieldInfo(
        name="masks", role="target", kind="box_masks", shape=(-1, *shape), dtype="bool"
    )


def truth_field(labels: Tensor) -> TensorField:
    """Return the target field ``target`` for binary losses: 0.0 or 1.0, shape (samples, 1), from
    labels of shape (samples,).
    """
    return target_field(labels.reshape(-1, 1))


def target_field(values: Tensor) -> TensorField:
    """Return the target field ``target``, float32, from values of shape (samples, outputs)."""
    kind = "scalar" if values.shape[1] == 1 else "vector"
    return _float_field("target", kind, values, role="target")


def weight_field(weights: Tensor) -> TensorField:
    """Return the field ``sample_weight`` of what the loss of each sample counts, float32, from
    shape (samples,).
    """
    info = FieldInfo(name=WEIGHT_FIELD, role="weight", kind="scalar", shape=(), dtype="float32")
    return TensorField(info=info, values=weights.to(torch.float32))


def _word_field(name: str, kind: Literal["sequence", "scalar"], words: Tensor) -> TensorField:
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
    return TensorField(info=info, values=words.to(torch.int64))


def _float_field(
    name: str,
    kind: Literal["image", "vector", "scalar", "point"],
    values: Tensor,
    *,
    role: Literal["input", "target"] = "input",
    columns: tuple[str, ...] = (),
) -> TensorField:
    info = FieldInfo(
        name=name,
        role=role,
        kind=kind,
        shape=tuple(values.shape[1:]),
        dtype="float32",
        columns=columns,
    )
    return TensorField(info=info, values=values.to(torch.float32))
