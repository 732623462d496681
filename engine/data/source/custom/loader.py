"""Loader of the user's class as a source: its fields are found from its first samples."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from engine.catalog.spec import AUTO, Entry, Value
from engine.data.source.custom.boxed import described_boxes, is_boxed
from engine.data.source.custom.opened import Opened, open_samples
from engine.data.source.custom.sample import Named, describe_field, inputs_of, roles_of, texts_of
from engine.data.source.custom.source import CustomSource, batch_text
from engine.graph.code import SAMPLER_PARAM
from engine.spec.data import FieldInfo

_LOOKED_AT = 32  # samples, to tell which sizes and classes there are


def load_custom(entry: Entry, params: Mapping[str, Value], code: Mapping[str, str]) -> CustomSource:
    """Return the samples of a class of the user's code, which is trusted.

    Raises :class:`DiagnosticError`: D257 to D269 and D589 with file and line for what the code does
    wrong.
    """
    opened = open_samples(entry, params, code)
    rows, samples = _first(opened)
    fields = _fields(opened, samples)
    has_classes = any(field.classes for field in fields if field.role == "target")
    sampler = str(params.get(SAMPLER_PARAM) or AUTO)
    return CustomSource(
        task="classification" if has_classes else "regression",
        fields=fields,
        sized_fields=tuple(_sized(field, samples) for field in fields),
        entry=entry,
        params=params,
        code=code,
        opened=opened,
        count=opened.count,
        parts=opened.parts,
        text_entries=texts_of(rows[0]) if opened.collate is None else (),
        sampler="" if sampler == AUTO else sampler,
    )


def _sized(field: FieldInfo, samples: Sequence[Named]) -> FieldInfo:
    """Return a field with -1 for the axes of which samples have different sizes."""
    shapes = {tuple(sample[field.name].shape) for sample in samples if field.name in sample}
    if len(shapes) == 1 or {len(shape) for shape in shapes} != {len(field.shape)}:
        return field
    shape = tuple(axis[0] if len(set(axis)) == 1 else -1 for axis in zip(*shapes, strict=True))
    return replace(field, shape=shape)


def _fields(opened: Opened, samples: Sequence[Named]) -> tuple[FieldInfo, ...]:
    boxes = described_boxes(samples, opened.classes) if is_boxed(samples[0]) else ()
    known = {info.name for info in boxes}
    names = [name for name in samples[0] if name not in known]
    roles = inputs_of(names) if boxes else roles_of(names)
    fields: list[FieldInfo] = []
    for name, role in roles.items():
        values = [sample[name] for sample in samples if name in sample]
        alike = [value for value in values if value.ndim == values[0].ndim]
        field = describe_field(name, role, alike, opened.classes)
        if field.kind == "class" and opened.labels is not None and not opened.classes:
            highest = int(opened.labels.max())
            classes = tuple(map(str, range(max(highest + 1, len(field.classes)))))
            field = replace(field, classes=classes)
        fields.append(field)
    return (*fields, *boxes)


def _first(opened: Opened) -> tuple[list[Any], list[Named]]:
    """Return the first samples as the class gives them, and by name; of batches that the user's
    code makes, their rows.
    """
    indices = range(min(opened.count, _LOOKED_AT))
    rows = [opened.row(index, 0, 0) for index in indices]
    if opened.collate is None:
        return rows, [opened.named(row, index) for row, index in zip(rows, indices, strict=True)]
    named = opened.batch(rows, 0, 0, 0)
    if isinstance(named, list):
        return rows, named
    for name, value in named.items():
        if value.ndim == 0 or len(value) != len(rows):
            raise opened.batch_call.refusal("D521", found=batch_text(name, value, len(rows)))
    samples = [{name: value[at] for name, value in named.items()} for at in range(len(rows))]
    return rows, samples
