"""Chain of transforms: what is done to one sample after another, in training or in evaluation."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor

from engine.data.seed import all_seeded, mixed_seed, random_states, seeded
from engine.data.transform.container_step import ContainerStep, branches_of, leaves, walked
from engine.data.transform.custom_step import CustomStep
from engine.data.transform.step import Sample, Step
from engine.spec.data import FieldInfo

CHANGED = ("image", "mask", "boxes", "box_masks", "sound", "video")
"""The kinds of fields that transforms change; all others pass through."""

POINTS = "points"
"""What fields of points in the picture are among those that transforms change."""

CORNERS = "its corners"
"""The name under which corners of the picture go along with points."""

_TRIES = 2  # after the first, that all show whether own code draws random numbers
_LARGEST = {torch.uint8: 255.0, torch.uint16: 65_535.0}


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Transforms of one sample: ``kinds`` are its images, masks, boxes, points, sounds and videos
    by name, ``mirrors`` the order of the points in a mirrored picture.
    Boxes that are not in the image any more go, with their classes, the fields ``labels``, and
    their masks. Other fields are changed by the user's own transforms alone.

    Its random numbers follow from seed, epoch and index of the sample in the source; the random
    states of the process are left as they were. A chain goes to other processes by pickling.
    """

    steps: tuple[Step, ...]
    kinds: Mapping[str, str]
    labels: tuple[str, ...] = ()
    mirrors: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])

    @cached_property
    def is_random(self) -> bool:
        """Whether it draws random numbers."""
        return any(step.is_random for step in self.steps)

    @cached_property
    def leaves(self) -> tuple[Step, ...]:
        """The steps without containers, but with what is in them."""
        return tuple(leaves(self.steps))

    @cached_property
    def custom_steps(self) -> tuple[CustomStep, ...]:
        """The transforms of the user's own code."""
        return tuple(step for step in self.leaves if isinstance(step, CustomStep))

    @property
    def branches(self) -> tuple["Chain", ...]:
        """Chains whose containers leave nothing to chance, for what they can make of a sample:
        none where there are no containers.
        """
        if not any(isinstance(step, ContainerStep) for step in self.steps):
            return ()
        each = [branches_of(step) for step in self.steps]
        return tuple(
            replace(self, steps=tuple(some[min(number, len(some) - 1)] for some in each))
            for number in range(max(map(len, each)))
        )

    def may_change(self, name: str) -> bool:
        """Return whether own code may change a field in a way that nothing is known of."""
        return any(step.changes(name, "") for step in self.custom_steps)

    def apply(self, sample: Sample, seed: int, epoch: int, index: int) -> Sample:
        """Return the fields of a sample, transformed.

        Raises :class:`DiagnosticError` D100 or D102 where a transform does not fit, and what those
        of the user's code do.
        """
        pictures, others = self._wrapped(sample), self._others(sample)
        with self._seeded(seed, epoch, index):
            for step in walked(self.steps):
                pictures, others = self._after(step, pictures, others, index)
        return {**sample, **others, **self._plain(pictures)}

    def record(
        self,
        sample: Sample,
        seed: int,
        epoch: int,
        index: int,
        stages: list[tuple[Step, Sample]],
    ) -> None:
        """Append each step with the sample as it is after it, up to the one that fails: of a
        container what it draws, itself where it draws nothing. Raises as :meth:`apply` does.
        """
        pictures, others = self._wrapped(sample), self._others(sample)
        with self._seeded(seed, epoch, index):
            for step in walked(self.steps):
                pictures, others = self._after(step, pictures, others, index)
                stages.append((step, {**sample, **others, **self._plain(pictures)}))

    def drawing(self, sample: Sample, index: int) -> tuple[CustomStep, ...]:
        """Return the transforms of own code, outside of containers, that draw random numbers for a
        sample each time: other threads, or an import at the first call, may have drawn some
        meanwhile. Raises as :meth:`apply` does.
        """
        found: list[CustomStep] = []
        pictures, others = self._wrapped(sample), self._others(sample)
        with self._seeded(0, 0, index):
            for step in walked(self.steps):
                before = (pictures, others)
                pictures, others, draws = self._tried(step, *before, index)
                if not draws or step not in self.steps or not isinstance(step, CustomStep):
                    continue
                if all(self._tried(step, *before, index)[2] for _ in range(_TRIES)):
                    found.append(step)
        return tuple(found)

    def _tried(
        self, step: Step, pictures: Sample, others: Sample, index: int
    ) -> tuple[Sample, Sample, bool]:
        """Return a sample after a step, and whether that drew random numbers."""
        states = random_states()
        return *self._after(step, pictures, others, index), random_states() != states

    def _seeded(self, seed: int, epoch: int, index: int) -> AbstractContextManager[None]:
        if not self.is_random:
            return nullcontext()
        number = mixed_seed(seed, epoch, index)
        return all_seeded(number) if self.custom_steps else seeded(number)

    def _others(self, sample: Sample) -> Sample:
        """Return the fields beside images, masks and boxes that may be changed."""
        if self.custom_steps:
            return {name: value for name, value in sample.items() if name not in self.kinds}
        return {name: sample[name] for name in self.labels}

    def _after(
        self, step: Step, before: Sample, others: Sample, index: int
    ) -> tuple[Sample, Sample]:
        """Return images, masks and boxes after a step, and the other fields: without boxes of which
        less than a pixel is left, nor the classes of these.
        """
        from torchvision.transforms.v2 import functional

        if isinstance(step, CustomStep):
            hidden = {name: before[name] for name in before if name == CORNERS}
            shown = {name: before[name] for name in before if name not in hidden}
            after = step.apply({**others, **shown}, index)
            pictures = {name: after[name] for name in shown} | hidden
            others = {name: after[name] for name in others}
        else:
            pictures = step.apply(before, index)
        for name, kind in self.kinds.items():
            if kind == "boxes" and pictures[name] is not before[name]:
                # One that is rounded to beyond the edge would count as outside of the image.
                inside = functional.clamp_bounding_boxes(pictures[name])
                pictures[name], is_left = functional.sanitize_bounding_boxes(inside)
                others = others | {label: others[label][is_left] for label in self.labels}
                masks = (mask for mask, of in self.kinds.items() if of == "box_masks")
                pictures |= {mask: _kept(pictures[mask], is_left) for mask in masks}
        return pictures, others

    def _wrapped(self, sample: Sample) -> Sample:
        from torchvision import tv_tensors

        from engine.data.transform.object_mask import ObjectMask

        pictures: Sample = {}
        canvas = (0, 0)
        for name, kind in self.kinds.items():
            if kind == "image":
                pictures[name] = tv_tensors.Image(sample[name])
                canvas = (int(sample[name].shape[-2]), int(sample[name].shape[-1]))
            elif kind == "mask":
                pictures[name] = tv_tensors.Mask(sample[name])
            elif kind == "box_masks":
                pictures[name] = ObjectMask(sample[name])
            elif kind == "sound":
                pictures[name] = sample[name]
            elif kind == "video":  # torchvision has the frames before the channels
                pictures[name] = tv_tensors.Video(sample[name].transpose(0, 1))
                canvas = (int(sample[name].shape[-2]), int(sample[name].shape[-1]))
        for name, kind in self.kinds.items():
            if kind == "boxes":
                pictures[name] = tv_tensors.BoundingBoxes(  # pyright: ignore[reportCallIssue] - made by __new__
                    sample[name],
                    format=tv_tensors.BoundingBoxFormat.XYXY,
                    canvas_size=canvas,
                )
            elif kind == POINTS:
                from engine.data.transform.points import corner_points, key_points

                pictures[name] = key_points(sample[name], canvas)
                pictures[CORNERS] = corner_points(canvas)
        return pictures

    def _plain(self, pictures: Sample) -> Sample:
        """Return what :meth:`_wrapped` wrapped as tensors."""
        values = {name: pictures[name].as_subclass(Tensor) for name in self.kinds}
        for name, kind in self.kinds.items():
            if kind == "video":
                values[name] = values[name].transpose(0, 1).contiguous()
            elif kind == "mask" and values[name].is_floating_point():
                values[name] = values[name].clamp(min=0)  # new pixels are in no plane of a class
            elif kind == POINTS:
                from engine.data.transform.points import point_shares

                order = self.mirrors[name]
                values[name] = point_shares(pictures[name], pictures[CORNERS], order)
        return values


def _kept(masks: Tensor, is_left: Tensor) -> Tensor:
    """Return some of the masks of objects, for further transforms."""
    from engine.data.transform.object_mask import ObjectMask

    return ObjectMask(masks.as_subclass(Tensor)[is_left])


def changed_kinds(infos: Iterable[FieldInfo]) -> dict[str, str]:
    """Return the images, masks, boxes, points, sounds and videos among fields: their kinds by
    name.
    """
    return {
        info.name: POINTS if info.mirror else info.kind
        for info in infos
        if info.mirror or info.kind in CHANGED
    }


def build_chain(steps: Iterable[Step], infos: Iterable[FieldInfo]) -> Chain:
    """Return the chain of some steps for samples with some fields."""
    fields = tuple(infos)
    labels = tuple(info.name for info in fields if info.kind == "box_classes")
    mirrors = {info.name: info.mirror for info in fields if info.mirror}
    kinds = changed_kinds(fields)
    return Chain(steps=tuple(steps), kinds=kinds, labels=labels, mirrors=mirrors)


def image_numbers(values: Tensor) -> Tensor:
    """Return images as a model takes them: whole numbers become float32 from 0 to 1, decimal
    numbers stay as they are.
    """
    largest = _LARGEST.get(values.dtype)
    return values if largest is None else values.to(torch.float32).div_(largest)
