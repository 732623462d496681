"""What the window shows of the data: a description, and some samples."""

from collections.abc import Sequence

from torch import Tensor

from engine.data.load import LoadedData, dealt_source, describe_source
from engine.data.registry import load_source
from engine.data.source import Part, SourceData
from engine.diagnostics import DiagnosticError
from engine.spec.data import DataInfo, PreviewInfo, SampleView
from engine.spec.run import DataSpec


def describe(spec: DataSpec) -> DataInfo:
    """Return the description of a source and its parts. A wrong split leaves the parts out (the
    validation of the specification tells what is wrong with it); a source that cannot be loaded
    raises ``DiagnosticError``.
    """
    return describe_source(spec, *_dealt(spec))


def preview(data: LoadedData, part: Part, start: int, count: int) -> PreviewInfo:
    """Return ``count`` samples of a part from number ``start`` on, as they were before
    normalisation; fewer at the end of the part.
    """
    places = data.indices[part][max(start, 0) : max(start, 0) + max(count, 0)].tolist()
    return PreviewInfo(split=part, samples=_samples(data.source, places))


def look_up(spec: DataSpec, places: Sequence[int]) -> PreviewInfo:
    """Return the samples at these places of a source; places that it does not have are left out."""
    source, _ = _dealt(spec)
    known = [place for place in places if 0 <= place < source.samples]
    return PreviewInfo(split="", samples=_samples(source, known))


def _dealt(spec: DataSpec) -> tuple[SourceData, dict[Part, Tensor]]:
    """Return the samples and the parts, none for a split that is wrong."""
    source = load_source(spec.source)
    try:
        return dealt_source(spec)
    except DiagnosticError:
        return source, {}


def _samples(source: SourceData, places: Sequence[int]) -> tuple[SampleView, ...]:
    return tuple(
        SampleView(
            index=place,
            values={
                field.info.name: tuple(field.values[place].flatten().tolist())
                for field in source.fields
            },
            texts={field.info.name: field.texts[place] for field in source.fields if field.texts},
        )
        for place in places
    )
