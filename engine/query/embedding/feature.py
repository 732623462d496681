"""Features of samples: the rows of numbers that a map projects, of bounded length.

Rows of more than ``MOST_FEATURES`` numbers are brought down to so many by feature hashing: each
number is added to, or taken from, one of the results, drawn at random once and for all. Distances
stay about as they are (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning",
2009), and memory does not depend on the size of a sample.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d

from engine.data.read.fit import fit_image
from engine.data.source.source import Values
from engine.data.transform.chain import image_numbers
from engine.spec.data import FieldInfo
from engine.spec.sample_map import MOST_FEATURES

_MOST_TOKENS = 1 << 20  # different ones
_IMAGE_AXES = 4  # of a batch


@dataclass(frozen=True, kw_only=True)
class FeatureBlock:
    """Features (samples, k) of one field. Those of ``is_standardized`` are measured each in their
    own unit; ``weight`` is the number of columns that they stand for, 0 for a picture or a text.
    ``width`` is how many numbers they were made of.
    """

    values: Tensor
    width: int
    weight: int = 0
    is_standardized: bool = False


def input_features(
    infos: Sequence[FieldInfo], values: Mapping[str, Values]
) -> tuple[FeatureBlock, ...]:
    """Return the features of the inputs of some samples, a block for each field; of fields that are
    no numbers, such as boxes, none.
    """
    inputs = [info for info in infos if info.role == "input" and info.kind != "boxes"]
    return tuple(_block(info, values[info.name]) for info in inputs if info.name in values)


def output_features(output: Tensor) -> FeatureBlock:
    """Return the features of what a layer made of some samples, (samples, ...): pictures of feature
    maps are made coarse before.
    """
    values = output.detach().to("cpu", torch.float32)
    width = math.prod(values.shape[1:])
    if values.ndim == _IMAGE_AXES and width > MOST_FEATURES:
        side = max(1, math.isqrt(MOST_FEATURES // values.shape[1]))
        rows, columns = (min(side, size) for size in values.shape[2:])
        values = adaptive_avg_pool2d(values, (rows, columns))
    return FeatureBlock(values=_hashed(values.flatten(1)), width=width)


def equalize(matrix: Tensor, blocks: Sequence[FeatureBlock]) -> None:
    """Make the features (samples, all) of several fields comparable, in place: columns of tables
    get the deviation 1, and a field as much variance as it has columns. What is not finite becomes
    the mean of its column. ``blocks`` are those of any samples.
    """
    is_finite = matrix.isfinite()
    if not bool(is_finite.all()):
        matrix.masked_fill_(~is_finite, math.nan)
        means = matrix.nanmean(dim=0).nan_to_num_(0.0)
        torch.where(is_finite, matrix, means, out=matrix)
    matrix -= matrix.mean(dim=0)
    weights = sum(block.weight for block in blocks)
    start = 0
    for block in blocks:
        part = matrix[:, start : start + block.values.shape[1]]
        start += part.shape[1]
        if block.is_standardized:
            part /= _or_one(part.square().mean(dim=0).sqrt())
        if len(blocks) > 1:
            variance = part.square().sum(dim=1).mean() / (block.weight or weights or 1)
            part /= _or_one(variance.sqrt())


def _or_one(deviations: Tensor) -> Tensor:
    """Return deviations to divide by: of what is constant 1."""
    return torch.where(deviations > 0, deviations, torch.ones_like(deviations))


def _block(info: FieldInfo, values: Values) -> FeatureBlock:
    if info.kind == "image":
        return _of_pictures(values)
    if info.kind == "video":  # what its frames have in common
        return _of_pictures(torch.stack([each.mean(dim=1) for each in values]))
    if not isinstance(values, Tensor):  # of different lengths
        longest = max(each.numel() for each in values)
        values = torch.stack([_lengthened(each.flatten(), longest) for each in values])
    rows = values.reshape(len(values), -1)
    if info.kind == "categories":
        sizes = [len(names) for names in info.vocabularies]
        offsets = torch.tensor([0, *sizes[:-1]]).cumsum(0)
        counts = _counts(rows + offsets, sum(sizes))
        return FeatureBlock(values=counts, width=sum(sizes), weight=rows.shape[1])
    tokens = len(info.words) or (info.highest or 0) + 1
    if not rows.is_floating_point() and info.kind != "mask" and 1 < tokens <= _MOST_TOKENS:
        is_token = rows != info.padding if info.words else torch.ones_like(rows, dtype=torch.bool)
        counts = _counts(rows.clamp(0, tokens - 1), tokens, is_token)
        return FeatureBlock(
            values=counts / is_token.sum(dim=1, keepdim=True).clamp_min(1), width=tokens
        )
    is_table = info.kind in ("vector", "scalar", "point")
    return FeatureBlock(
        values=_hashed(rows.float()),
        width=rows.shape[1],
        weight=rows.shape[1] if is_table else 0,
        is_standardized=is_table,
    )


def _of_pictures(values: Values) -> FeatureBlock:
    """Return the pixels of pictures that were made so small that they are few enough."""
    shape = values[0].shape
    width = math.prod(shape)
    side = max(1, math.isqrt(MOST_FEATURES // shape[0]))
    is_small = isinstance(values, Tensor) and width <= MOST_FEATURES
    rows, columns = (min(side, size) for size in shape[1:]) if len(shape) == 3 else (1, 1)
    if isinstance(values, Tensor):
        pictures = image_numbers(values).float()
        if not is_small:
            pictures = adaptive_avg_pool2d(pictures, (rows, columns))
    else:
        pictures = torch.stack(
            [image_numbers(fit_image(each, side, side, "stretch")).float() for each in values]
        )
    return FeatureBlock(values=_hashed(pictures.flatten(1)), width=width)


def _lengthened(values: Tensor, length: int) -> Tensor:
    return torch.nn.functional.pad(values, (0, length - len(values)))


def _counts(codes: Tensor, size: int, is_counted: Tensor | None = None) -> Tensor:
    """Return how often each code below ``size`` comes up in each row, hashed where it is large."""
    signs = torch.ones(codes.shape) if is_counted is None else is_counted.float()
    if size > MOST_FEATURES:
        targets, flips = _hash(size)
        codes, signs = targets[codes], signs * flips[codes]
    counts = torch.zeros(len(codes), min(size, MOST_FEATURES))
    return counts.scatter_add_(1, codes, signs)


def _hashed(values: Tensor) -> Tensor:
    """Return rows of at most ``MOST_FEATURES`` numbers."""
    if values.shape[1] <= MOST_FEATURES:
        return values
    targets, flips = _hash(values.shape[1])
    return torch.zeros(len(values), MOST_FEATURES).index_add_(1, targets, values * flips)


@lru_cache(maxsize=4)
def _hash(size: int) -> tuple[Tensor, Tensor]:
    """Return where each of ``size`` numbers goes (int64), and its sign (float32)."""
    generator = torch.Generator().manual_seed(size)
    targets = torch.randint(MOST_FEATURES, (size,), generator=generator)
    return targets, torch.randint(2, (size,), generator=generator).float() * 2 - 1
