"""Blending of the samples of a batch: what MixUp and CutMix of torchvision do, for any rows of it.

Row ``i`` is blended with row ``i - 1`` of the whole batch (the first with the last). How much is
drawn once a batch, from its number in the epoch, so that every process draws the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from engine.data.seed import mixed_seed, seeded
from engine.data.transform.step import FAILURES, build_batch_transform, reason_of
from engine.diagnostics import DiagnosticError
from engine.spec.data import PIXEL_KINDS, FieldInfo
from engine.spec.transform import BatchTransformSpec

STREAM = 1
"""What keeps the random numbers of a batch apart from those of sample 0, 1, 2."""


@dataclass(frozen=True, kw_only=True)
class Blend:
    """How the batch is blended: ``weight`` is the share that a sample keeps, ``box`` (left, top,
    right, bottom) the part of its images that comes from the other one; None: all of them blend.
    """

    weight: float
    box: tuple[int, int, int, int] | None = None

    def images(self, values: Tensor, other: Tensor) -> Tensor:
        """Return images (samples, ..., height, width), or the frames of videos, blended with as
        many others.
        """
        if self.box is None:
            return self.numbers(values, other)
        left, top, right, bottom = self.box
        blended = values.clone()
        blended[..., top:bottom, left:right] = other[..., top:bottom, left:right]
        return blended

    def numbers(self, values: Tensor, other: Tensor) -> Tensor:
        """Return floating-point values of any shape blended with others."""
        return other.mul(1.0 - self.weight).add_(values.mul(self.weight))


@dataclass(frozen=True, kw_only=True)
class BatchTransforms:
    """The transforms of a batch, one of which is drawn for each: ``images`` are the fields that it
    changes, ``classes`` the numbers of classes of the labels, ``numbers`` other targets
    and the weights of samples.
    """

    modules: tuple[tuple[int, Any], ...]
    images: tuple[str, ...]
    classes: Mapping[str, int]
    numbers: tuple[str, ...]

    def alone(self, number: int) -> "BatchTransforms":
        """Return these with only the one that has a number in the list of the specification, so
        that it is drawn for each batch; as they are where it is not among them.
        """
        modules = tuple(each for each in self.modules if each[0] == number)
        return replace(self, modules=modules or self.modules)

    def draw(self, shapes: Mapping[str, Sequence[int]], seed: int, epoch: int, batch: int) -> Blend:
        """Return how batch ``batch`` of an epoch is blended; ``shapes`` are those of a sample by
        field. Raises :class:`DiagnosticError` D114 for images of different sizes.
        """
        images = [torch.empty(0, *shapes[name]) for name in self.images]
        with seeded(mixed_seed(seed, epoch, batch, STREAM)):
            choice = 0
            if len(self.modules) > 1:
                choice = int(torch.randint(len(self.modules), ()))
            number, module = self.modules[choice]
            try:
                params = module.make_params(images)
            except FAILURES as error:
                raise DiagnosticError.of(
                    "D114",
                    field=f"data.batch_transforms.{number}",
                    detail=str(error),
                    number=number + 1,
                    name=type(module).__name__,
                    reason=reason_of(error),
                ) from error
        if "box" in params:
            return Blend(weight=params["lam_adjusted"], box=params["box"])
        return Blend(weight=params["lam"])

    def probabilities(self, name: str, labels: Tensor) -> Tensor:
        """Return labels (samples,) as probabilities (samples, classes), float32."""
        return one_hot(labels, self.classes[name]).to(torch.float32)


def build_batch_transforms(
    transforms: Sequence[BatchTransformSpec], infos: Sequence[FieldInfo]
) -> BatchTransforms | None:
    """Return the transforms of a batch whose samples have some fields; None where all are off.

    Raises :class:`DiagnosticError` D110 where there is no image or video, D286 where boxes belong
    to it, D114 or D115 for settings that torchvision refuses.
    """
    chosen = [(number, each) for number, each in enumerate(transforms) if each.enabled]
    if not chosen:
        return None
    images = tuple(info.name for info in infos if info.kind in PIXEL_KINDS and info.role == "input")
    is_boxed = any(info.kind == "boxes" for info in infos)
    if is_boxed or not images:
        number, first = chosen[0]
        raise DiagnosticError.of(
            "D286" if is_boxed else "D110",
            field=f"data.batch_transforms.{number}",
            name=first.type[:60],
        )
    compared = [info for info in infos if info.role != "input"]
    return BatchTransforms(
        modules=tuple((number, build_batch_transform(number, each)) for number, each in chosen),
        images=images,
        classes={info.name: len(info.classes) for info in compared if info.kind == "class"},
        numbers=tuple(
            info.name for info in compared if info.kind != "class" and info.dtype == "float32"
        ),
    )
