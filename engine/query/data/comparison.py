"""Comparison of the data that runs were trained on."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.load.fit import DataFit, read_fit
from engine.data.load.load import load_split
from engine.data.load.version import data_version
from engine.data.source.registry import load_source
from engine.data.source.source import PARTS, Source
from engine.data.source.tensors import class_info
from engine.data.split.split import NOWHERE, part_numbers
from engine.diagnostics import DiagnosticError
from engine.query.data.request import CompareData
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.spec.choice import Code
from engine.spec.custom_code import data_code
from engine.spec.data_comparison import (
    DataComparison,
    DataDifference,
    DifferingSample,
    SampleDifference,
    SampleState,
)
from engine.spec.data_version import VERSION_PARTS, DataVersion, VersionPart, digest
from engine.spec.run import DataSpec


class _Samples(NamedTuple):
    """The samples of a run: ``base`` is the source before edits; the part of each (int64, -1 for
    none) and its class (int64, an index into ``classes``, -1 for none).
    """

    base: Source
    parts: Tensor
    labels: Tensor
    classes: tuple[str, ...]


def compare_data(request: CompareData) -> DataComparison:
    """Return how the data of runs differs from that of the first; in which samples only where the
    files of both are as they were.

    Raises :class:`DiagnosticError` for a run that cannot be read (R157, R158).
    """
    folders = [RunFolder.open(path) for path in request.run_folders]
    recorded = [read_state(folder).data for folder in folders]
    specs = [folder.document.spec.data for folder in folders]
    codes = [
        data_code(spec, folder.document.graph.code)
        for spec, folder in zip(specs, folders, strict=True)
    ]
    fits = [read_fit(folder.artefacts) for folder in folders]
    versions = tuple(map(_divided, recorded, fits))
    first = _readable(specs[0], recorded[0], codes[0], fits[0])
    others: list[DataDifference] = []
    told = zip(specs[1:], versions[1:], recorded[1:], codes[1:], fits[1:], strict=True)
    for spec, version, before, code, fit in told:
        if versions[0] is None or version is None:
            others.append(DataDifference(parts=None))
            continue
        is_same = code == codes[0] and fit.parts == fits[0].parts
        if version == versions[0] and is_same and _chosen(spec) == _chosen(specs[0]):
            other = first  # most runs of a project are on the same data
        elif spec.source.type == specs[0].source.type:
            other = _readable(spec, before, code, fit)
        else:
            other = None
        samples = None
        if first is not None and other is not None:
            samples = _difference(first, other, request.start, request.count)
        parts = _differences((versions[0], fits[0]), (version, fit))
        others.append(DataDifference(parts=parts, samples=samples))
    return DataComparison(versions=versions, others=tuple(others))


def _divided(version: DataVersion | None, fit: DataFit) -> DataVersion | None:
    """Return the version of the data of a run, to which its parts belong where samples came or went
    since it had begun: they are none that a new run would have.
    """
    kept = fit.parts
    if version is None or kept is None or not kept.has_changed:
        return version
    return replace(version, split=digest([version.split, kept.present.hex()]))


def _differences(
    first: tuple[DataVersion, DataFit], other: tuple[DataVersion, DataFit]
) -> tuple[VersionPart, ...]:
    """Return what differs in two versions, the split too where the same files are divided
    otherwise.
    """
    found = first[0].differences(other[0])
    before, after = first[1].parts, other[1].parts
    if {"source", "files", "split"} & set(found) or before is None or after is None:
        return found
    is_same = before.present == after.present
    return found if is_same else tuple(each for each in VERSION_PARTS if each in (*found, "split"))


def _chosen(spec: DataSpec) -> tuple[object, ...]:
    """Return what says which samples there are, and in which parts."""
    return spec.source, spec.split, spec.edits


def _readable(
    spec: DataSpec, version: DataVersion | None, code: Code, fit: DataFit
) -> _Samples | None:
    """Return the samples of a run; None where they cannot be read as they were, or where nobody has
    trusted the code that has them.
    """
    try:
        if version is None or data_version(spec, code) != version:
            return None
        source, indices = load_split(spec, code, fit)
    except DiagnosticError:
        return None
    info = class_info(source.infos)
    labels = None if info is None else source.column(info.name)
    none = torch.full((source.samples,), NOWHERE)
    return _Samples(
        base=load_source(spec.source, code),
        parts=part_numbers(source.samples, indices),
        labels=none if labels is None else labels,
        classes=() if info is None else info.classes,
    )


def _difference(first: _Samples, other: _Samples, start: int, count: int) -> SampleDifference:
    positions = _positions(first.base, other.base)
    is_shared = positions >= 0
    parts = torch.where(is_shared, other.parts[positions], NOWHERE)
    is_new = torch.ones(len(other.parts), dtype=torch.bool)
    is_new[positions[is_shared]] = False
    in_first, in_other = first.parts >= 0, parts >= 0
    in_both = in_first & in_other
    moved = in_both & (first.parts != parts)
    relabelled = in_both & (_numbers(first, other) != other.labels[positions])
    only_first, only_other = in_first & ~in_other, in_other & ~in_first
    added = (is_new & (other.parts >= 0)).nonzero().flatten()
    changed = (only_first | only_other | moved | relabelled).nonzero().flatten()
    start, end = max(start, 0), max(start, 0) + max(count, 0)
    rest = added[max(start - len(changed), 0) : max(end - len(changed), 0)]
    return SampleDifference(
        only_first=int(only_first.sum()),
        only_other=int(only_other.sum()) + len(added),
        moved=int(moved.sum()),
        relabelled=int(relabelled.sum()),
        differing=len(changed) + len(added),
        samples=(
            *_named(first, other, changed[start:end].tolist(), positions),
            *_named(first, other, rest.tolist(), None),
        ),
    )


def _named(
    first: _Samples, other: _Samples, indices: list[int], positions: Tensor | None
) -> Iterator[DifferingSample]:
    """Yield samples by their index in the first run, or, without ``positions`` in the other, by
    that in the other, where the first has not got them.
    """
    base = other.base if positions is None else first.base
    for index, name in zip(indices, base.sample_names(indices), strict=True):
        place = index if positions is None else int(positions[index])
        before = _state(first, NOWHERE if positions is None else index)
        after = _state(other, place)
        yield DifferingSample(
            name=name,
            first=before[0],
            other=after[0],
            first_class=before[1],
            other_class=after[1],
        )


def _state(samples: _Samples, index: int) -> tuple[SampleState, str]:
    """Return the part and the class of a sample of a run; -1 is none."""
    part = NOWHERE if index < 0 else int(samples.parts[index])
    if part < 0:
        return "absent", ""
    label = int(samples.labels[index])
    return PARTS[part], samples.classes[label] if 0 <= label < len(samples.classes) else ""


def _positions(first: Source, other: Source) -> Tensor:
    """Return the index in another source of each sample, -1 where it is not there."""
    if first is other:
        return torch.arange(first.samples)
    by_name = {name: at for at, name in enumerate(other.sample_names(range(other.samples)))}
    names = first.sample_names(range(first.samples))
    return torch.tensor([by_name.get(name, NOWHERE) for name in names], dtype=torch.int64)


def _numbers(first: _Samples, other: _Samples) -> Tensor:
    """Return the classes of the first samples as the other numbers them."""
    by_name = {name: number for number, name in enumerate(other.classes)}
    # The last stands for no class at all; one that the other has not is no class of it either.
    numbers = [by_name.get(name, len(by_name)) for name in first.classes]
    return torch.tensor([*numbers, NOWHERE])[first.labels]
