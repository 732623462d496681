"""Random data of any shape with patterns to learn, for models whose own data is not available.

The patterns are fixed: they depend on shapes and counts alone. The seed draws the samples, so two
seeds give two data sets of the same problem.
"""

import math
from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import interpolate, one_hot

from engine.catalog.spec import Value
from engine.data.source.field import (
    TensorField,
    image_field,
    sequence_field,
    target_field,
    vector_field,
    word_field,
)
from engine.data.source.parameter import check_size, int_param, sizes
from engine.data.source.tensors import TensorSource, labelled
from engine.diagnostics import DiagnosticError

_PATTERN_SEED = 20_240_229
_PATTERNS = 8  # that vectors and images are mixtures of
_GRAIN = 4  # pixels a side of the spots of an image: what a convolution with pooling sees
_CLASS_WORDS = 8  # that a class prefers
_CLASS_WORD_SHARE = 0.5  # of the words of a sequence are such words
_AXES = {"image": 3, "vector": 1, "sequence": 1}


def load_random(params: Mapping[str, Value]) -> TensorSource:
    """Return random ``image``, ``features``, or ``sequence`` and ``previous`` (one word, as
    decoders read it), with ``label`` or ``target``.

    Images and vectors are noise upon fixed patterns: one a class, or several in random amounts
    that the target numbers are a fixed function of. In a sequence of words about half of them
    are those that its class prefers; target numbers are the sum of fixed values of the words.
    Raises ``DiagnosticError``: D005 for too many numbers, D006 for a shape of the wrong length.
    """
    kind, shape = str(params["kind"]), sizes(params, "shape")
    if len(shape) != _AXES[kind]:
        raise DiagnosticError.of("D006", field="data.source.shape", kind=kind, axes=_AXES[kind])
    is_classified = params["target"] == "classes"
    width = int_param(params, "classes" if is_classified else "outputs")
    check_size(max(int_param(params, "samples"), width) * (math.prod(shape) + width))
    draw = torch.Generator().manual_seed(int_param(params, "seed"))
    fixed = torch.Generator().manual_seed(_PATTERN_SEED)
    label = torch.arange(int_param(params, "samples")) % width if is_classified else None
    if kind == "sequence":
        inputs, target = _sequences(params, shape[0], label, draw, fixed)
    else:
        inputs, target = _measurements(params, shape, label, draw, fixed)
    if label is not None:
        return labelled(inputs, label, tuple(str(index) for index in range(width)))
    return TensorSource(task="regression", fields=(*inputs, target_field(target)))


def _measurements(
    params: Mapping[str, Value],
    shape: tuple[int, ...],
    label: Tensor | None,
    draw: torch.Generator,
    fixed: torch.Generator,
) -> tuple[tuple[TensorField, ...], Tensor]:
    """Return the one input field and target numbers (samples, outputs)."""
    samples = int_param(params, "samples")
    if label is not None:
        amounts, target = one_hot(label).to(torch.float32), torch.empty(samples, 0)
    else:
        amounts = torch.randn(samples, _PATTERNS, generator=draw)
        inner = torch.randn(_PATTERNS, _PATTERNS, generator=fixed) / math.sqrt(_PATTERNS)
        outer = torch.randn(_PATTERNS, int_param(params, "outputs"), generator=fixed)
        target = torch.tanh(amounts @ inner) @ outer / math.sqrt(_PATTERNS)
    patterns = _patterns(amounts.shape[1], shape, fixed)
    noise = torch.randn(samples, *shape, generator=draw)
    values = (amounts @ patterns.flatten(1)).reshape(samples, *shape) + noise
    if len(shape) > 1:
        return (image_field(values),), target
    columns = tuple(f"x{index}" for index in range(1, values.shape[1] + 1))
    return (vector_field("features", values, columns),), target


def _patterns(count: int, shape: tuple[int, ...], fixed: torch.Generator) -> Tensor:
    """Return patterns of shape (count, *shape), deviation about 1; those of images have spots."""
    if len(shape) == 1:
        return torch.randn(count, *shape, generator=fixed)
    channels, height, width = shape
    coarse = (-(-height // _GRAIN), -(-width // _GRAIN))
    spots = torch.randn(count, channels, *coarse, generator=fixed)
    return interpolate(spots, size=(height, width), mode="nearest")


def _sequences(
    params: Mapping[str, Value],
    length: int,
    label: Tensor | None,
    draw: torch.Generator,
    fixed: torch.Generator,
) -> tuple[tuple[TensorField, ...], Tensor]:
    """Return the sequences, the word before, and target numbers (samples, outputs)."""
    samples, vocabulary = int_param(params, "samples"), int_param(params, "vocabulary")
    words = torch.randint(vocabulary, (samples, length + 1), generator=draw)
    target = torch.empty(samples, 0)
    if label is not None:
        class_words = torch.randint(
            vocabulary, (int(label.max()) + 1, _CLASS_WORDS), generator=fixed
        )
        choice = torch.randint(_CLASS_WORDS, words.shape, generator=draw)
        is_class_word = torch.rand(words.shape, generator=draw) < _CLASS_WORD_SHARE
        words = torch.where(is_class_word, class_words[label].gather(1, choice), words)
    else:
        value = torch.randn(vocabulary, int_param(params, "outputs"), generator=fixed)
        target = value[words[:, 1:]].sum(dim=1) / math.sqrt(length)
    return (sequence_field("sequence", words[:, 1:]), word_field("previous", words[:, 0])), target
