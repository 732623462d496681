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
    is_custom,
    is_in_evaluation,
    is_in_training,
    is_random,
)

_BY_BOXES = "RandomIoUCrop"


def check_transforms(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about transforms of samples and of batches."""
    for number, transform in enumerate(spec.data.transforms):
        if transform.enabled:
            yield from _check_step(spec, number, transform)
            yield from _check_boxes(number, transform.type, info)
    for number, transform in enumerate(spec.data.batch_transforms):
        if transform.enabled:
            yield from _check_batch_step(spec, number, transform.type, info)


def _check_step(spec: RunSpec, number: int, transform: TransformSpec) -> Iterator[Diagnostic]:
    place, name = f"data.transforms.{number}", transform.type
    if is_random(transform) and transform.parts in ("all", "evaluation"):
        yield _warning("D101", f"{place}.parts", name=name)
    # Own code is seen to draw where the data is loaded; other chains are meant where evaluation has
    # transforms of its own.
    is_fixed = not is_random(transform) and not is_custom(transform.type)
    has_others = any(each.enabled and not is_in_training(each) for each in spec.data.transforms)
    if is_fixed and not is_in_evaluation(transform) and not has_others:
        yield _warning("D106", f"{place}.parts", name=name)
    is_normal = has_transform_need(transform, Need.FLOAT_IMAGE)
    if is_normal and spec.data.normalization != "none":
        yield Diagnostic.of("D107", field="data.normalization", kind=spec.data.normalization)


def _check_boxes(number: int, name: str, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield a transform that keeps enough of a box where there are none."""
    if name != _BY_BOXES or info is None or any(field.kind == "boxes" for field in info.fields):
        return
    yield Diagnostic.of("D380", field=f"data.transforms.{number}", name=name)


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
