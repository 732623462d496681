"""Preview of data for the window: a description, and some samples."""

from collections.abc import Sequence

from msgspec.structs import replace
from torch import Tensor

from engine.data.load.load import LoadedData, describe_source, load_split
from engine.data.load.part import Batch, prepared
from engine.data.load.sampler import build_sampler
from engine.data.source.registry import load_source
from engine.data.source.source import Part, Source
from engine.data.transform.collate import build_collation
from engine.data.transform.plan import plan_transforms
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import DataInfo, PreviewInfo, SampleView
from engine.spec.run import DataSpec


def describe(spec: DataSpec, code: Code = NO_CODE) -> DataInfo:
    """Return the description of a source and its parts, without parts where the split is invalid:
    its problems say why, or the validation of the specification does. Raises ``DiagnosticError``
    for a source that cannot be loaded.
    """
    source, indices, problems = split_or_whole(spec, code)
    info = describe_source(spec, source, indices, code)
    if indices:
        try:
            build_sampler(spec, source, indices["train"])
        except DiagnosticError as error:
            problems = _of_data(error)
    return replace(info, problems=(*problems, *info.problems))


def preview(data: LoadedData, part: Part, start: int, count: int) -> PreviewInfo:
    """Return ``count`` samples of a part from number ``start`` on, as they are evaluated, before
    normalisation; fewer at the end of the part.
    """
    indices = data.indices[part][max(start, 0) : max(start, 0) + max(count, 0)].tolist()
    values = data.raw(indices)
    return PreviewInfo(split=part, samples=_samples(data.source, values, indices))


def preview_at(spec: DataSpec, indices: Sequence[int], code: Code = NO_CODE) -> PreviewInfo:
    """Return the samples at some indices of a source, as they are evaluated, before normalisation;
    indices out of range are ignored.
    """
    source, parts, _ = split_or_whole(spec, code)
    collation = build_collation(spec, code)
    preparation = plan_transforms(spec.transforms, source, parts, collation).evaluation.chain
    valid = [index for index in indices if 0 <= index < source.samples]
    values = prepared(source, valid, preparation, 0, 0, collation=collation)
    return PreviewInfo(split="", samples=_samples(source, values, valid))


def split_or_whole(
    spec: DataSpec, code: Code = NO_CODE
) -> tuple[Source, dict[Part, Tensor], tuple[Diagnostic, ...]]:
    """Return the samples and the parts; where the split is invalid no parts, and what is wrong with
    it beside the data.
    """
    source = load_source(spec.source, code)
    try:
        return *load_split(spec, code), ()
    except DiagnosticError as error:
        if not all((problem.field or "").startswith("data.split.") for problem in error.problems):
            raise
        return source, {}, _of_data(error)


def label_of(source: Source, index: int) -> str:
    """Return the name of the class of a sample; empty where it has none."""
    for info in source.infos:
        labels = source.column(info.name) if info.kind == "class" and not info.shape else None
        if labels is not None and 0 <= int(labels[index]) < len(info.classes):
            return info.classes[int(labels[index])]
    return ""


def _of_data(error: DiagnosticError) -> tuple[Diagnostic, ...]:
    """Return what does not go with the data; the specification alone is validated elsewhere."""
    return tuple(problem for problem in error.problems if problem.code.startswith("D09"))


def _samples(source: Source, values: Batch, indices: Sequence[int]) -> tuple[SampleView, ...]:
    for info in source.infos:
        if info.kind == "box_masks":  # too many numbers; pictures of samples have them
            values.pop(info.name, None)
    return tuple(
        SampleView(
            index=index,
            values={name: tuple(each[at].flatten().tolist()) for name, each in values.items()},
            texts=source.texts(index),
        )
        for at, index in enumerate(indices)
    )
