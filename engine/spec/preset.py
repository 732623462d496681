"""Presets of transforms for pictures and sounds: random changes of the training, and normalisation
by fixed values.
"""

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup
from engine.spec.choice import NO_CODE, Code, chosen_entry, with_param
from engine.spec.data import ROW_KINDS, DataInfo, FieldInfo
from engine.spec.proposal import Augmentation
from engine.spec.run import DataSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import (
    USUAL_SIDE,
    imagenet_values,
    new_transform,
    photograph_transforms,
    sound_transforms,
    with_normalize,
)

_FLIP = TransformSpec(type="RandomHorizontalFlip")
_RANGE = (0.7, 1.3)  # of what it is now
_JITTER = TransformSpec(
    type="ColorJitter", params=dict.fromkeys(("brightness", "contrast", "saturation"), _RANGE)
)
_MOVED = ("TimeShift", "RandomGain")  # which leave all of a sound to be heard
_LEAST_PART = (0.5, 1.0)  # of the area of a picture


def augmented(name: Augmentation, image: FieldInfo) -> tuple[TransformSpec, ...]:
    """Return the transforms of a preset for the pictures of a field, in its size where all have
    one.
    """
    size = field_size(image)
    is_any_size = size != tuple(image.shape[-2:])
    crop = new_transform("RandomResizedCrop", size)
    match name:
        case "none":
            return ()
        case "light":
            return (crop if is_any_size else new_transform("RandomCrop", size), _FLIP)
        case "strong":
            part = TransformSpec(type=crop.type, params={**crop.params, "scale": _LEAST_PART})
            return (part, _FLIP, _JITTER)
        case "photographs":
            return photograph_transforms(size, image.shape[0])


def finds_regions(info: DataInfo | None) -> bool:
    """Return whether something is to be found in the pictures, boxes or masks, so that a crop in
    evaluation would take some of it away.
    """
    kinds = ("mask", *ROW_KINDS)
    return info is not None and any(
        field.role == "target" and (field.kind in kinds or bool(field.mirror))
        for field in info.fields
    )


def field_size(image: FieldInfo) -> tuple[int, int]:
    """Return height and width of the pictures of a field, the usual ones where they differ."""
    height, width = image.shape[-2:] if min(image.shape[-2:]) > 0 else (USUAL_SIDE, USUAL_SIDE)
    return height, width


def with_photographs(
    data: DataSpec,
    size: tuple[int, int],
    channels: int,
    code: Code = NO_CODE,
    *,
    keeps_all: bool = False,
) -> DataSpec:
    """Return data with what is common for photographs, of a ``size`` (height, width). Pictures are
    read as large as they are, so that what is cropped in training are parts of the original.
    ``keeps_all``: evaluation gets the whole of each.
    """
    entry = chosen_entry(EntryGroup.DATA, data.source, code)
    source = data.source
    if entry is not None and entry.param("fit") and entry.value(source.params, "size"):
        source = with_param(entry, source, "size", None)
    steps = photograph_transforms(size, channels, keeps_all=keeps_all)
    return replace(data, source=source, transforms=steps, normalization="none")


def augmented_sound(name: Augmentation, sound: FieldInfo) -> tuple[TransformSpec, ...]:
    """Return the transforms of a preset for the sounds of a field; one for pictures has none."""
    steps = sound_transforms(sound.shape)
    match name:
        case "light":
            return tuple(step for step in steps if step.type in _MOVED)
        case "strong":
            return steps
        case "none" | "photographs":
            return ()


def with_imagenet(steps: tuple[TransformSpec, ...], image: FieldInfo) -> tuple[TransformSpec, ...]:
    """Return transforms that end with the normalisation by the values of ImageNet."""
    return with_normalize(steps, *imagenet_values(image.shape[0]))
