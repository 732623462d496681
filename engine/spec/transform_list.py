"""Lists of transforms: their initial settings, the changes that a list goes through, and a change
of it as settings by name.
"""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup, Need, Value
from engine.spec.choice import NO_CODE, Code, entry_of_key, initial_choice
from engine.spec.transform import (
    BatchTransformSpec,
    TransformSpec,
    has_transform_need,
    is_custom,
)
from engine.spec.transform_field import custom_parts

_Step = TypeVar("_Step")

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Mean and standard deviation of the red, green and blue values of ImageNet, between 0 and 1."""

USUAL_SIDE = 224  # of the images of most models that were trained on ImageNet
_BORDER = 8  # the part of an image by which a crop of all of it moves
_LARGER = 256 / 224  # how much larger an image is before its center is cropped
_NORMALIZE = "Normalize"
_SPECTROGRAM_AXES = 3
_FLOAT = TransformSpec(type="ToDtype", params={"dtype": "float32", "scale": True})


def new_transform(
    key: str, size: tuple[int, int] | None = None, code: Code = NO_CODE
) -> TransformSpec:
    """Return a transform of a sample with the parameters that it starts with: a crop or a size are
    those of the images (height, width) where they are known. ``code`` is the user's own.
    """
    params = initial_choice(EntryGroup.TRANSFORM, key, code=code).params
    if is_custom(key):
        return TransformSpec(type=key, params=params, parts=custom_parts(key, code))
    if size is not None and "size" in params:
        params = {**params, "size": size}
        if key == "RandomCrop":  # the whole of it would always be the same
            params["padding"] = max(max(size) // _BORDER, 1)
    return TransformSpec(type=key, params=params)


def new_batch_transform(key: str) -> BatchTransformSpec:
    """Return a transform of a batch with the parameters that it starts with."""
    return BatchTransformSpec(
        type=key, params=initial_choice(EntryGroup.BATCH_TRANSFORM, key).params
    )


def inserted(steps: Sequence[_Step], index: int, step: _Step) -> tuple[_Step, ...]:
    """Return a list with one more step before the one at ``index``."""
    return (*steps[:index], step, *steps[index:])


def moved(steps: Sequence[_Step], start: int, end: int) -> tuple[_Step, ...]:
    """Return a list whose step ``start`` has the number ``end``; as it is where there is none."""
    if not (0 <= start < len(steps) and 0 <= end < len(steps)):
        return tuple(steps)
    rest = [*steps[:start], *steps[start + 1 :]]
    return inserted(rest, end, steps[start])


def removed(steps: Sequence[_Step], index: int) -> tuple[_Step, ...]:
    """Return a list without one step."""
    return (*steps[:index], *steps[index + 1 :])


def last_on_images(steps: Sequence[TransformSpec]) -> int:
    """Return the number before which a change of sizes goes: the first step that wants or makes
    decimal numbers, else the end.
    """
    wanted = (
        number
        for number, step in enumerate(steps)
        if step.enabled
        and step.level <= 0
        and (step.type == "ToDtype" or has_transform_need(step, Need.FLOAT_IMAGE))
    )
    return next(wanted, len(steps))


def before_normalize(steps: Sequence[TransformSpec]) -> int:
    """Return the number of the Normalize steps that a list ends with, before which what changes
    colors goes: behind them it would clamp to 0 … 1; the end where there are none.
    """
    end = len(steps)
    while end and is_normalize(steps[end - 1]):
        end -= 1
    return end


def photograph_transforms(
    size: tuple[int, int], channels: int, *, keeps_all: bool = False
) -> tuple[TransformSpec, ...]:
    """Return what is common for photographs: crops of random parts and flips in training, the
    center of the smaller picture in evaluation, ``size`` (height, width), normalised with the
    values of ImageNet. ``keeps_all``: evaluation gets the whole picture in that size, so that
    nothing that is to be found is cut away. Of any picture 7/8 of each side are in its center: one
    that is not square is made as wide as it has to be, which crops in training do as well.
    """
    height, width = (round(_LARGER * side) for side in size)
    larger = height if height == width else (height, width)
    center = (
        TransformSpec(type="Resize", params={"size": larger}),
        TransformSpec(type="CenterCrop", params={"size": size}),
    )
    whole = (TransformSpec(type="Resize", params={"size": size}),)
    return (
        TransformSpec(type="RandomResizedCrop", params={"size": size}),
        TransformSpec(type="RandomHorizontalFlip"),
        *(replace(step, parts="evaluation") for step in (whole if keeps_all else center)),
        _FLOAT,
        imagenet_normalize(channels),
    )


def imagenet_values(channels: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return mean and deviation of ImageNet; for gray images, the means of them."""
    if channels == len(IMAGENET_MEAN):
        return IMAGENET_MEAN, IMAGENET_STD
    mean, std = ((round(sum(each) / len(each), 3),) for each in (IMAGENET_MEAN, IMAGENET_STD))
    return mean, std


def sound_transforms(shape: tuple[int, ...]) -> tuple[TransformSpec, ...]:
    """Return what is common for sounds of a shape: they are moved in time and made louder or
    quieter, parts of a spectrogram are masked, noise is added to a waveform.
    """
    own = ("FrequencyMasking", "TimeMasking") if len(shape) == _SPECTROGRAM_AXES else ("AddNoise",)
    return tuple(TransformSpec(type=key) for key in ("TimeShift", "RandomGain", *own))


def imagenet_normalize(channels: int) -> TransformSpec:
    """Return Normalize with the values of ImageNet; for gray images, with their means."""
    mean, std = imagenet_values(channels)
    return TransformSpec(type=_NORMALIZE, params={"mean": mean, "std": std})


def is_normalize(step: TransformSpec) -> bool:
    """Return whether a transform is a Normalize outside of containers."""
    return step.type == _NORMALIZE and step.level <= 0


def with_normalize(
    steps: Sequence[TransformSpec], mean: tuple[float, ...], std: tuple[float, ...], field: str = ""
) -> tuple[TransformSpec, ...]:
    """Return a list whose last Normalize of a field (empty: of all images) has other values; it is
    added at the end, behind a conversion to decimal numbers, where there is none.
    """
    step = TransformSpec(type=_NORMALIZE, params={"mean": mean, "std": std}, field=field)
    known = [
        number
        for number, each in enumerate(steps)
        if is_normalize(each) and each.enabled and each.field in ("", field)
    ]
    if known:
        at = known[-1]
        return (*steps[:at], step, *steps[at + 1 :])
    has_float = any(each.type == "ToDtype" and each.enabled and each.level <= 0 for each in steps)
    return (*steps, *(() if has_float else (_FLOAT,)), step)


def transform_settings(
    before: Sequence[TransformSpec], after: Sequence[TransformSpec], code: Code = NO_CODE
) -> dict[str, Value]:
    """Return the settings by name (``data.transforms.0.size``) that make one list the other, to be
    set in this order. ``code`` is the user's own, of which some of them may be.
    """
    settings: dict[str, Value] = {}
    for number, step in enumerate(after):
        prefix = f"data.transforms.{number}"
        current = before[number] if number < len(before) else None
        if step == current:
            continue
        settings[prefix] = step.type
        entry = entry_of_key(EntryGroup.TRANSFORM, step.type, code)
        if entry is not None:
            settings |= {
                f"{prefix}.{param.name}": entry.value(step.params, param.name)
                for param in entry.params
            }
        for name in ("field", "enabled", "parts", "level"):
            settings[f"{prefix}.{name}"] = getattr(step, name)
    for number in reversed(range(len(after), len(before))):
        settings[f"data.transforms.{number}"] = None
    return settings
