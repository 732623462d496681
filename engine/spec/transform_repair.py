"""Repairs of the transforms: changes of their list after which a finding about them is gone."""

from collections.abc import Iterator, Sequence

from engine.diagnostics import Diagnostic
from engine.graph.repair.case import RepairProposal, words
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import PIXEL_KINDS, DataInfo, FieldInfo
from engine.spec.run import RunSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import (
    USUAL_SIDE,
    last_on_images,
    new_transform,
    transform_settings,
)
from engine.spec.transform_outline import levels, outermost, put_in

_FAILING = ("D100", "D110", "D111", "D114", "D115", "D116", "D374", "D375", "D376", "D561", "D563",
            "D258", "D259", "D541", "D542", "D543", "D544")  # fmt: skip
_PIXEL_AXES = 3  # channels, height and width
_CROP = "RandomCrop"  # fails on an image that is smaller
Steps = tuple[TransformSpec, ...]


def transform_repairs(
    problem: Diagnostic, spec: RunSpec, info: DataInfo | None = None, code: Code = NO_CODE
) -> Iterator[RepairProposal]:
    """Yield what repairs a finding about the transforms (D100 to D116, D541 to D544, D560 to D563)
    or about samples of different sizes (D080, D267), best first; nothing for any other finding.
    ``code`` is the user's own.
    """
    steps = spec.data.transforms
    number = step_number(problem, len(steps))
    match problem.code:
        case "D102" if number is not None:
            step = new_transform("ToDtype")
            said = words("F091", name=steps[number].type)
            at = outermost(steps, number)
            yield _proposal(said, steps, put_in(steps, at, step), code)
        case "D104" if number is not None:
            yield RepairProposal(
                words=words("F092"), settings={f"data.transforms.{number}.scale": True}
            )
        case "D105":
            yield _resized(steps, last_on_images(steps), image_size(info) or _usual(), code)
            yield _padded()
        case "D080" | "D267":
            yield _padded()
        case "D109":
            size = image_size(info)
            if size is not None:
                yield _resized(steps, last_on_images(steps), size, code)
        case "D101" | "D106" if number is not None:
            parts = "train" if problem.code == "D101" else "all"
            repair = "F093" if problem.code == "D101" else "F094"
            said = words(repair, name=steps[number].type.rpartition(".")[2])
            yield RepairProposal(words=said, settings={f"data.transforms.{number}.parts": parts})
        case "D560" if number is not None:
            level = levels(steps)[number]
            said = words("F560", number=number + 1, name=steps[number].type, level=level)
            yield RepairProposal(words=said, settings={f"data.transforms.{number}.level": level})
        case "D562" if number is not None:
            said = words("F561", name=steps[number].type)
            yield RepairProposal(words=said, settings={f"data.transforms.{number}.p": None})
        case "D107":
            yield RepairProposal(words=words("F095"), settings={"data.normalization": "none"})
        case _:
            yield from _for_failing(problem, steps, number, code)


def image_size(info: DataInfo | None) -> tuple[int, int] | None:
    """Return height and width of the images that are put in, where all have the same."""
    field = image_field(info)
    if field is None or len(field.shape) < _PIXEL_AXES or min(field.shape[-2:]) < 1:
        return None
    return field.shape[-2], field.shape[-1]


def image_field(info: DataInfo | None) -> FieldInfo | None:
    """Return the first image, or video, that is put in."""
    fields = () if info is None else info.fields
    return next(
        (each for each in fields if each.kind in PIXEL_KINDS and each.role == "input"), None
    )


def sound_field(info: DataInfo | None) -> FieldInfo | None:
    """Return the first sound that is put in."""
    fields = () if info is None else info.fields
    return next((each for each in fields if each.kind == "sound" and each.role == "input"), None)


def _for_failing(
    problem: Diagnostic, steps: Steps, number: int | None, code: Code
) -> Iterator[RepairProposal]:
    if problem.code not in _FAILING or number is None:
        return
    step = steps[number]
    if problem.code == "D100" and step.type == _CROP:
        yield _resized(steps, outermost(steps, number), _size_of(step), code)
    said = words("F096", number=number + 1, name=step.type.rpartition(".")[2])
    yield RepairProposal(words=said, settings={f"data.transforms.{number}.enabled": False})


def _size_of(step: TransformSpec) -> tuple[int, int]:
    """Return the size of a crop."""
    size = step.params.get("size")
    numbers = size if isinstance(size, tuple) else (size,)
    whole = [number for number in numbers if isinstance(number, int)]
    return (whole[0], whole[-1]) if whole else _usual()


def _padded() -> RepairProposal:
    return RepairProposal(words=words("F450"), settings={"data.collate": "pad"})


def _usual() -> tuple[int, int]:
    return USUAL_SIDE, USUAL_SIDE


def _resized(steps: Steps, number: int, size: tuple[int, int], code: Code) -> RepairProposal:
    said = words("F090", height=size[0], width=size[1])
    return _proposal(said, steps, put_in(steps, number, new_transform("Resize", size)), code)


def _proposal(
    said: Diagnostic, before: Sequence[TransformSpec], after: Steps, code: Code
) -> RepairProposal:
    return RepairProposal(words=said, settings=transform_settings(before, after, code))


def step_number(problem: Diagnostic, count: int) -> int | None:
    """Return the number of the transform that a finding is about."""
    section, _, rest = (problem.field or "").partition("data.transforms.")
    number = rest.partition(".")[0]
    is_one = not section and number.isdecimal() and int(number) < count
    return int(number) if is_one else None
