"""What a model can read of the padding of a batch: how long each sample is, or where it is filled
up, each as a further input field.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from engine.data.source.source import Values
from engine.graph.naming import free_name
from engine.spec.data import PADDING_KINDS, ROW_KINDS, FieldInfo

PaddingInfo = Literal["none", "lengths", "mask"]


class PaddingField(NamedTuple):
    """A field that tells of the padding of another, whose ``axes`` (0 is the first of a sample)
    differ in size between samples.
    """

    info: FieldInfo
    axes: tuple[int, ...]


def padding_fields(infos: Sequence[FieldInfo], wanted: PaddingInfo) -> dict[str, PaddingField]:
    """Return what tells of the padding of each input that varies in size, by its name."""
    found: dict[str, PaddingField] = {}
    taken = {info.name for info in infos}
    for info in infos if wanted != "none" else ():
        axes = tuple(at for at, size in enumerate(info.shape) if size < 0)
        if not axes or info.role != "input" or info.kind in (*ROW_KINDS, *PADDING_KINDS):
            continue
        name = free_name(f"{info.name}_{_ENDINGS[wanted]}", taken)
        taken.add(name)
        shape = (-1,) * len(axes) if wanted == "mask" else (len(axes),) if len(axes) > 1 else ()
        field = FieldInfo(
            name=name,
            role="input",
            kind="padding_mask" if wanted == "mask" else "lengths",
            shape=shape,
            dtype="bool" if wanted == "mask" else "int64",
            longest=info.longest if wanted == "mask" else 0,
        )
        found[info.name] = PaddingField(field, axes)
    return found


def padding_values(
    fields: Mapping[str, PaddingField], samples: Mapping[str, Values], batch: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """Return the values of such fields for samples that were put together to a batch: lengths of
    shape (samples,) or (samples, axes), int64; masks of shape (samples, size of each axis in the
    batch), bool, true where a sample is filled up (``key_padding_mask`` of
    ``torch.nn.MultiheadAttention``).
    """
    values: dict[str, Tensor] = {}
    for name, field in fields.items():
        if name not in samples:
            continue
        sizes = [[each.shape[axis] for axis in field.axes] for each in samples[name]]
        lengths = torch.tensor(sizes, dtype=torch.int64).reshape(-1, len(field.axes))
        if field.info.kind == "lengths":
            values[field.info.name] = lengths if field.info.shape else lengths[:, 0]
        else:
            most = [batch[name].shape[1 + axis] for axis in field.axes]
            values[field.info.name] = _mask(lengths, most)
    return values


_ENDINGS = {"lengths": "lengths", "mask": "padding"}


def _mask(lengths: Tensor, most: Sequence[int]) -> Tensor:
    """Return which positions are beyond the lengths (samples, axes) along any axis."""
    mask = torch.zeros(len(lengths), *most, dtype=torch.bool)
    for axis, size in enumerate(most):
        is_beyond = torch.arange(size) >= lengths[:, axis, None]
        shape = [len(lengths), *(size if at == axis else 1 for at in range(len(most)))]
        mask |= is_beyond.reshape(shape)
    return mask
