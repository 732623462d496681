"""Rules for the transforms of the data, as far as no sample has to be read for them; what a sample
shows is found where the data is loaded (``engine.data.transform``).
"""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup, Need, PortContent
from engine.diagnostics import Diagnostic, Severity
from engine.spec.choice import chosen_entry
from engine.spec.data import PIXEL_KINDS, DataInfo
from engine.spec.run import RunSpec
from engine.spec.transform import (
    TransformSpec,
    has_transform_need,
    holds_steps,
    is_custom,
    is_in_evaluation,
    is_in_training,
    is_random,
)
from engine.spec.transform_outline import CHOICE, inside, levels, parents, weights_of

_BY_BOXES = "RandomIoUCrop"


def check_transforms(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about transforms of samples and of batches."""
    of = parents(spec.data.transforms)
    for number, transform in enumerate(spec.data.transforms):
        if transform.enabled:
            yield from _check_step(spec, number, transform, is_inside=of[number] is not None)
            yield from _check_kinds(number, transform, info)
    yield from _check_outline(spec.data.transforms)
    for number, transform in enumerate(spec.data.batch_transforms):
        if transform.enabled:
            yield from _check_batch_step(spec, number, transform.type, info)


def _check_step(
    spec: RunSpec, number: int, transform: TransformSpec, *, is_inside: bool
) -> Iterator[Diagnostic]:
    """Yield what is to be said of a transform; one inside of a container is where that is."""
    place, name = f"data.transforms.{number}", transform.type
    if is_random(transform) and transform.parts in ("all", "evaluation") and not is_inside:
        yield _warning("D101", f"{place}.parts", name=name)
    # Own code is seen to draw where the data is loaded; other chains are meant where evaluation has
    # transforms of its own.
    is_fixed = not is_random(transform) and not is_custom(transform.type)
    has_others = any(each.enabled and not is_in_training(each) for each in spec.data.transforms)
    if is_fixed and not is_in_evaluation(transform) and not has_others and not is_inside:
        yield _warning("D106", f"{place}.parts", name=name)
    is_normal = has_transform_need(transform, Need.FLOAT_IMAGE)
    if is_normal and spec.data.normalization != "none":
        yield Diagnostic.of("D107", field="data.normalization", kind=spec.data.normalization)


def _check_kinds(
    number: int, transform: TransformSpec, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield a transform of boxes, or of videos, where there are none."""
    kinds = {field.kind for field in info.fields} if info is not None else {"boxes", "video"}
    place, name = f"data.transforms.{number}", transform.type
    if name == _BY_BOXES and "boxes" not in kinds:
        yield Diagnostic.of("D380", field=place, name=name)
    if has_transform_need(transform, Need.VIDEO) and "video" not in kinds:
        yield Diagnostic.of("D563", field=place, name=name)


def _check_outline(steps: tuple[TransformSpec, ...]) -> Iterator[Diagnostic]:
    """Yield transforms at levels where nothing holds them, and containers that hold nothing, or
    have weights for others than they hold.
    """
    outline = zip(steps, levels(steps), inside(steps), strict=True)
    for number, (step, level, held) in enumerate(outline):
        place = f"data.transforms.{number}"
        if step.level != level:
            yield Diagnostic.of(
                "D560",
                field=f"{place}.level",
                number=number + 1,
                name=step.type[:60],
                level=step.level,
                fits=level,
            )
        if not step.enabled or not holds_steps(step.type):
            continue
        if not any(steps[each].enabled for each in held):
            yield _warning("D561", place, number=number + 1, name=step.type)
        elif step.params.get("p") is not None and step.type == CHOICE:
            weights = weights_of(step, len(held)) or ()
            on = [w for each, w in zip(held, weights, strict=False) if steps[each].enabled]
            if not any(isinstance(weight, int | float) and weight > 0 for weight in on):
                yield Diagnostic.of(
                    "D562", field=f"{place}.p", number=number + 1, name=step.type, count=len(held)
                )


def _check_batch_step(
    spec: RunSpec, number: int, name: str, info: DataInfo | None
) -> Iterator[Diagnostic]:
    place = f"data.batch_transforms.{number}"
    if spec.data.batch_size == 1:
        yield _warning("D113", "data.batch_size", name=name)
    if info is None:
        return
    if not any(field.kind in PIXEL_KINDS and field.role == "input" for field in info.fields):
        yield Diagnostic.of("D110", field=place, name=name)
    if any(field.kind == "boxes" for field in info.fields):
        yield Diagnostic.of("D286", field=place, name=name)
    classes = {f"data.{field.name}" for field in info.fields if field.kind == "class"}
    for index, term in enumerate(spec.losses):
        entry = chosen_entry(EntryGroup.LOSS, term.loss)
        for port in () if entry is None else entry.inputs:
            is_number = port.content is PortContent.CLASS_INDEX
            if is_number and term.inputs.get(port.name) in classes:
                yield Diagnostic.of(
                    "D112", field=f"losses.{index}.loss", name=name, loss=term.loss.type
                )


def _warning(code: str, field: str, **params: str | float) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.WARNING, field=field, params=params)
