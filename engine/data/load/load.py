"""Loading of a data specification: parts that are ready to train on."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from engine.data.load.normalization import Scaling, fit_scaling
from engine.data.load.part import Batch, PartData, StreamedPart, TensorPart, prepared
from engine.data.load.sampler import EpochSampler, build_sampler
from engine.data.source.registry import load_source
from engine.data.source.source import Part, Source
from engine.data.source.tensors import TensorSource
from engine.data.split.split import split_source
from engine.diagnostics import DiagnosticError, Severity
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from engine.spec.run import DataSpec


@dataclass(frozen=True, kw_only=True)
class LoadedData:
    """A source, split and normalised; never changed.

    ``parts`` are the data sets of the parts, whose fields ``info`` describes; ``indices`` the
    positions of their samples in the source (int64); ``source`` has the values before
    normalisation, which ``scalings`` (by field) is. ``sampler`` draws the samples of an epoch.
    """

    info: DataInfo
    source: Source
    indices: dict[Part, Tensor]
    parts: dict[Part, PartData]
    scalings: dict[str, Scaling]
    sampler: EpochSampler

    def samples(self, part: Part) -> int:
        """Return the number of samples of a part."""
        return len(self.indices[part])

    def tensors(self, part: Part) -> Batch:
        """Return all values of a part, prepared, each of shape (samples of the part, ...)."""
        return self.parts[part].all()

    def raw(self, indices: Sequence[int]) -> Batch:
        """Return samples of the source by index, as they are before normalisation."""
        return prepared(self.source, indices, None, 0, 0)

    def examples(self, part: Part, count: int) -> Batch:
        """Return the first samples of a part, as they are before normalisation."""
        return self.raw(self.indices[part][:count].tolist())


def load_data(spec: DataSpec) -> LoadedData:
    """Return the data of a specification: loaded, checked, split and normalised.

    Equal specifications give equal values, bit for bit. Raises ``DiagnosticError`` with what is
    wrong with the source, its parameters, its values or the split (codes D001 to D099).
    """
    source, indices = load_split(spec)
    problems = source.check(indices)
    errors = [problem for problem in problems if problem.severity == Severity.ERROR]
    if errors:
        raise DiagnosticError(*errors)
    scalings: dict[str, Scaling] = {}
    for info in source.infos:
        scaling = _fitted_scaling(spec, source, info, indices["train"])
        if scaling is not None:
            scalings[info.name] = scaling
    return LoadedData(
        info=describe_source(spec, source, indices),
        source=source,
        indices=indices,
        parts={part: _part(source, index, scalings) for part, index in indices.items()},
        scalings=scalings,
        sampler=build_sampler(spec, source, indices["train"]),
    )


def load_split(spec: DataSpec) -> tuple[Source, dict[Part, Tensor]]:
    """Return the samples, fitted to the training part, and the indices of each part.

    Raises ``DiagnosticError`` as the source or the split does.
    """
    source = load_source(spec.source)
    indices = split_source(source, spec.split)
    return source.fitted(indices["train"]), indices


def describe_source(spec: DataSpec, source: Source, indices: dict[Part, Tensor]) -> DataInfo:
    """Return the description of a source and of its parts (none for a split that is wrong)."""
    label = next((info for info in source.infos if info.kind == "class"), None)
    labels = source.column(label.name) if label else None
    splits = tuple(
        SplitInfo(
            name=part,
            samples=len(index),
            class_counts=()
            if label is None or labels is None
            else _counts(label, labels.index_select(0, index)),
        )
        for part, index in indices.items()
    )
    return DataInfo(
        source=spec.source.type,
        samples=source.samples,
        task=source.task,
        fields=source.infos,
        splits=splits,
        problems=source.check(indices),
    )


def _part(source: Source, index: Tensor, scalings: dict[str, Scaling]) -> PartData:
    """Return a part: tensors in memory are prepared once, everything else batch by batch."""
    if not isinstance(source, TensorSource):
        return StreamedPart(source, index, source.infos, scalings=scalings)
    values: Batch = {}
    for field in source.fields:
        scaling = scalings.get(field.info.name)
        chosen = field.values.index_select(0, index)
        values[field.info.name] = scaling.apply(chosen) if scaling else chosen
    return TensorPart(values, len(index))


def _fitted_scaling(
    spec: DataSpec, source: Source, info: FieldInfo, training: Tensor
) -> Scaling | None:
    if spec.normalization == "none":
        return None
    values = source.column(info.name)
    if values is None:
        return None
    return fit_scaling(spec.normalization, info, values.index_select(0, training))


def _counts(info: FieldInfo, labels: Tensor) -> tuple[int, ...]:
    valid = labels[(labels >= 0) & (labels < len(info.classes))]
    return tuple(valid.bincount(minlength=len(info.classes)).tolist())
