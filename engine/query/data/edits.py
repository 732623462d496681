"""Description of the edits of data."""

from engine.data.load.edited import edit_names, edits_for, missing_samples, stored_classes
from engine.data.load.version import data_version
from engine.data.source.registry import load_source
from engine.data.source.tensors import class_info
from engine.query.data.request import DescribeEdits, NameEdits
from engine.spec.browse import SampleNames
from engine.spec.edits_info import EditsInfo

_SHOWN = 20


def describe_edits(request: DescribeEdits) -> EditsInfo:
    """Return what the edits of data do. Raises ``DiagnosticError`` as the source does."""
    source = load_source(request.data.source, request.code)
    edits = edits_for(request.data, request.code)
    samples = edits.samples.values()
    label = class_info(source.infos)
    return EditsInfo(
        version=data_version(request.data, request.code),
        samples=len(edits),
        excluded=sum(edit.excluded for edit in samples),
        relabelled=sum(bool(edit.label) for edit in samples),
        moved=sum(bool(edit.part) for edit in samples),
        tagged=sum(bool(edit.tags) for edit in samples),
        others=len(request.data.edits) - len(edits),
        missing=tuple(missing_samples(source, edits)[:_SHOWN]),
        classes=() if label is None else label.classes,
        example="".join(source.sample_names(range(source.samples)[:1])),
    )


def name_edits(request: NameEdits) -> SampleNames:
    """Return the names by which edits know samples. Raises ``DiagnosticError`` as the source
    does.
    """
    source = load_source(request.data.source, request.code)
    places = source.find_samples(request.names)
    known = edit_names(request.data, source, list(places.values()), request.code)
    by_name = dict(zip(places, known, strict=True))
    own = dict(zip(places, stored_classes(source, list(places.values())), strict=False))
    return SampleNames(
        names=tuple(by_name.get(name, name) for name in request.names),
        labels=tuple(own.get(name, "") for name in request.names),
    )
