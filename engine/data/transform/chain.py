"""Chain of transforms: what is done to one sample after another, in training or in evaluation."""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from engine.data.seed import mixed_seed, seeded
from engine.data.transform.step import Sample, Step
from engine.spec.data import FieldInfo

PICTURES = ("image", "mask", "boxes")
"""The kinds of fields that transforms change; all others pass through."""

_LARGEST = {torch.uint8: 255.0, torch.uint16: 65_535.0}


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Transforms of one sample: ``kinds`` are its images, masks and boxes by name.

    Its random numbers follow from seed, epoch and index of the sample in the source; the random
    states of the process are left as they were. A chain goes to other processes by pickling.
    """

    steps: tuple[Step, ...]
    kinds: Mapping[str, str]

    @cached_property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return any(step.is_random for step in self.steps)

    def apply(self, sample: Sample, seed: int, epoch: int, index: int) -> Sample:
        """Return the fields of a sample, transformed.

        Raises :class:`DiagnosticError` D100 or D102 where a transform does not fit.
        """
        pictures = self._wrapped(sample)
        with seeded(mixed_seed(seed, epoch, index)) if self.is_random else nullcontext():
            for step in self.steps:
                pictures = step.apply(pictures, index)
        return {**sample, **_plain(pictures)}

    def record(
        self,
        sample: Sample,
        seed: int,
        epoch: int,
        index: int,
        stages: list[tuple[Step, Sample]],
    ) -> None:
        """Append each step with the sample as it is after it, up to the one that fails. Raises as
        :meth:`apply` does.
        """
        pictures = self._wrapped(sample)
        with seeded(mixed_seed(seed, epoch, index)):
            for step in self.steps:
                pictures = step.apply(pictures, index)
                stages.append((step, {**sample, **_plain(pictures)}))

    def _wrapped(self, sample: Sample) -> Sample:
        from torchvision import tv_tensors

        pictures: Sample = {}
        canvas = (0, 0)
        for name, kind in self.kinds.items():
            if kind == "image":
                pictures[name] = tv_tensors.Image(sample[name])
                canvas = (int(sample[name].shape[-2]), int(sample[name].shape[-1]))
            elif kind == "mask":
                pictures[name] = tv_tensors.Mask(sample[name])
        for name, kind in self.kinds.items():
            if kind == "boxes":
                pictures[name] = tv_tensors.BoundingBoxes(  # pyright: ignore[reportCallIssue] - made by __new__
                    sample[name],
                    format=tv_tensors.BoundingBoxFormat.XYXY,
                    canvas_size=canvas,
                )
        return pictures


def picture_kinds(infos: Iterable[FieldInfo]) -> dict[str, str]:
    """Return the images, masks and boxes among fields: their kinds by name."""
    return {info.name: info.kind for info in infos if info.kind in PICTURES}


def image_numbers(values: Tensor) -> Tensor:
    """Return images as a model takes them: whole numbers become float32 from 0 to 1, decimal
    numbers stay as they are.
    """
    largest = _LARGEST.get(values.dtype)
    return values if largest is None else values.to(torch.float32).div_(largest)


def _plain(pictures: Sample) -> Sample:
    return {name: value.as_subclass(Tensor) for name, value in pictures.items()}
