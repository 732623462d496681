"""Loader of a data specification: tensors that are ready to train on."""

from dataclasses import dataclass

from torch import Tensor

from engine.data.check import check_source
from engine.data.load.normalization import Scaling, fit_scaling
from engine.data.source.registry import load_source
from engine.data.source.source import Part, SourceData
from engine.data.source.text import with_training_words
from engine.data.split import split_source
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.run import DataSpec


@dataclass(frozen=True, kw_only=True)
class LoadedData:
    """A source, split and normalised; never changed.

    ``parts`` holds the fields of each part as tensors of shape (samples of the part, ...),
    normalised; ``indices`` the positions of their samples in the source (int64); ``source`` the
    values before normalisation; ``scalings`` how they were normalised, by field.
    """

    info: DataInfo
    source: SourceData
    indices: dict[Part, Tensor]
    parts: dict[Part, dict[str, Tensor]]
    scalings: dict[str, Scaling]

    def samples(self, part: Part) -> int:
        """Return the number of samples of a part."""
        return len(self.indices[part])


def load_data(spec: DataSpec) -> LoadedData:
    """Return the data of a specification: loaded, checked, split and normalised.

    Equal specifications give equal tensors, bit for bit. Raises ``DiagnosticError`` with what is
    wrong with the source, its parameters, its values or the split (codes D001 to D019).
    """
    source, indices = load_split(spec)
    problems = check_source(source, indices)
    errors = [problem for problem in problems if problem.severity == Severity.ERROR]
    if errors:
        raise DiagnosticError(*errors)
    parts: dict[Part, dict[str, Tensor]] = {part: {} for part in indices}
    scalings: dict[str, Scaling] = {}
    for field in source.fields:
        scaling = fit_scaling(spec.normalization, field.info, field.values[indices["train"]])
        if scaling is not None:
            scalings[field.info.name] = scaling
        for part, index in indices.items():
            values = field.values.index_select(0, index)
            parts[part][field.info.name] = scaling.apply(values) if scaling else values
    return LoadedData(
        info=describe_source(spec, source, indices),
        source=source,
        indices=indices,
        parts=parts,
        scalings=scalings,
    )


def load_split(spec: DataSpec) -> tuple[SourceData, dict[Part, Tensor]]:
    """Return the samples, with sentences in words of the training part, and the indices of each
    part.

    Raises ``DiagnosticError`` as the source or the split does (codes D001 to D006).
    """
    source = load_source(spec.source)
    indices = split_source(source, spec.split)
    return with_training_words(source, indices["train"]), indices


def describe_source(spec: DataSpec, source: SourceData, indices: dict[Part, Tensor]) -> DataInfo:
    """Return the description of a source and of its parts (none for a split that is wrong)."""
    label = next((field for field in source.fields if field.info.kind == "class"), None)
    splits = tuple(
        SplitInfo(
            name=part,
            samples=len(index),
            class_counts=() if label is None else _counts(label.info, label.values[index]),
        )
        for part, index in indices.items()
    )
    return DataInfo(
        source=spec.source.type,
        samples=source.samples,
        task=source.task,
        fields=tuple(field.info for field in source.fields),
        splits=splits,
        problems=check_source(source, indices),
    )


def _counts(info: FieldInfo, labels: Tensor) -> tuple[int, ...]:
    valid = labels[(labels >= 0) & (labels < len(info.classes))]
    return tuple(valid.bincount(minlength=len(info.classes)).tolist())
