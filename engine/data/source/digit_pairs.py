"""Pairs of handwritten digits, of the same class or of two: for networks with two branches that
share their weights, and for losses that take the distance of two embeddings.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from msgspec.structs import replace
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.source.bundled import load_digits
from engine.data.source.field import TensorField, image_field, label_field, truth_field
from engine.data.source.parameter import check_size, int_param
from engine.data.source.tensors import TensorSource

_SIDE = 8  # pixels
_GROUPS = 40  # of scans: both of a pair are of one group
_CLASSES = ("different", "same")


@dataclass(frozen=True, kw_only=True)
class PairSource(TensorSource):
    """Pairs of images; ``group`` (int64) is that of both scans of a pair, a column to split by, so
    that no part of the data has a scan of another.
    """

    group: Tensor

    @override
    def column(self, name: str) -> Tensor | None:
        return self.group if name == "group" else super().column(name)

    @property
    @override
    def column_names(self) -> tuple[str, ...]:
        return (*super().column_names, "group")


def load_digit_pairs(params: Mapping[str, Value]) -> PairSource:
    """Return pairs of digits, every second one of the same class: ``first`` and ``second`` (1 x 8 x
    8, float32 from 0 to 1), ``label`` (different or same), ``target`` (0 or 1, of shape (1,)) and
    ``sign`` (-1 or 1, of shape (1,)), which is what losses of embeddings take.

    Raises ``DiagnosticError`` (D005) for more numbers than fit in memory with ease.
    """
    samples = int_param(params, "samples")
    check_size(samples * 2 * _SIDE * _SIDE)
    scans = load_digits({"kind": "image", "size": _SIDE})
    images, digits = (scans.column(name) for name in ("image", "label"))
    assert images is not None
    assert digits is not None
    generator = torch.Generator().manual_seed(int_param(params, "seed"))
    group = torch.arange(samples) // 2 % _GROUPS
    same = torch.arange(samples) % 2
    first, second = _drawn(digits, group, same, generator)
    return PairSource(
        task="binary",
        fields=(
            _named("first", image_field(images[first])),
            _named("second", image_field(images[second])),
            label_field(same, _CLASSES),
            truth_field(same),
            _named("sign", truth_field(2 * same - 1), lowest=-1, highest=1),
        ),
        group=group,
    )


def _drawn(
    digits: Tensor, group: Tensor, same: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Return the numbers of both scans of each pair."""
    member = torch.randperm(len(digits), generator=generator) % _GROUPS
    first, second = torch.zeros(2, len(group), dtype=torch.int64)
    for number in range(_GROUPS):
        scans = (member == number).nonzero().flatten()
        is_equal = digits[scans, None] == digits[scans]
        others = is_equal & ~torch.eye(len(scans), dtype=torch.bool)
        for is_same, partners in enumerate((~is_equal, others)):
            rows = ((group == number) & (same == is_same)).nonzero().flatten()
            left, right = partners.nonzero(as_tuple=True)
            drawn = torch.randint(len(left), (len(rows),), generator=generator)
            first[rows], second[rows] = scans[left[drawn]], scans[right[drawn]]
    return first, second


def _named(
    name: str, field: TensorField, lowest: int | None = None, highest: int | None = None
) -> TensorField:
    info = replace(field.info, name=name, lowest=lowest, highest=highest)
    return TensorField(info=info, values=field.values)
