"""Edits of the user, applied to a source and to its split; without edits both stay as they are.

The split comes first, as the files say it: what is left out, relabelled or moved leaves all other
samples in their parts, so that runs before and after an edit can be compared.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from engine.data.source.registry import load_source
from engine.data.source.source import PARTS, Part, Source
from engine.data.source.tensors import class_info
from engine.data.split.split import NOWHERE, part_indices, part_numbers
from engine.diagnostics import Diagnostic, Severity
from engine.spec.choice import NO_CODE, Code
from engine.spec.data_edits import (
    DataEdits,
    SampleEdit,
    content_hash,
    edit_name,
    split_name,
)
from engine.spec.data_path import data_key
from engine.spec.run import DataSpec

_FIELD = "data.edits"
_SHOWN_CLASSES = 20
_BLOCK = 8_192  # samples at a time


class _Found(NamedTuple):
    """The positions in a source of the samples that edits name; the last that were sought."""

    source: Source
    edits: DataEdits
    positions: dict[str, int]


_last: list[_Found] = []


def apply_edits(
    spec: DataSpec, source: Source, indices: dict[Part, Tensor], code: Code = NO_CODE
) -> tuple[Source, dict[Part, Tensor]]:
    """Return the samples and the indices (int64, ascending) of each part as the user edited them.

    Names that are not there and classes that there are not are told by :func:`check_edits`.
    ``code`` is the user's own, for data of a class of theirs; the same below.
    """
    edits = edits_for(spec, code)
    if not edits.samples:
        return source, indices
    excluded = [at for at, edit in edited_samples(source, edits).items() if edit.excluded]
    source, indices = relabelled(spec, source, code), arranged(spec, source, indices, code)
    return (source.excluding(excluded) if excluded else source), indices


def relabelled(spec: DataSpec, source: Source, code: Code = NO_CODE) -> Source:
    """Return the samples with the classes that the user gave them."""
    edits = edits_for(spec, code)
    return _relabelled(source, edited_samples(source, edits)) if edits.samples else source


def arranged(
    spec: DataSpec, source: Source, indices: dict[Part, Tensor], code: Code = NO_CODE
) -> dict[Part, Tensor]:
    """Return the indices (int64, ascending) of each part of a source that was not edited."""
    edits = edits_for(spec, code)
    if not edits.samples:
        return indices
    return _arranged(source.samples, indices, edited_samples(source, edits))


def edits_for(spec: DataSpec, code: Code = NO_CODE) -> DataEdits:
    """Return the edits of a specification that hold for its data."""
    return spec.edits.of(data_key(spec.source, code))


def edited_samples(source: Source, edits: DataEdits) -> dict[int, SampleEdit]:
    """Return the edits by the index of their sample, those that are there."""
    positions = _positions(source, edits)
    return {at: edits.samples[name] for name, at in positions.items()}


def edit_names(
    spec: DataSpec, source: Source, indices: Sequence[int], code: Code = NO_CODE
) -> list[str]:
    """Return the names by which edits of a specification know samples, or would: of one that was
    edited the name that it has there.
    """
    edits = edits_for(spec, code)
    known = {at: name for name, at in _positions(source, edits).items()} if len(edits) else {}
    names, contents = source.sample_names(indices), source.contents(indices)
    if contents is not None:
        pairs = zip(names, contents, strict=True)
        names = [edit_name(number, content) for number, content in pairs]
    return [known.get(at, name) for at, name in zip(indices, names, strict=True)]


def stored_classes(source: Source, indices: Sequence[int]) -> list[str]:
    """Return the class that a source itself says of samples; none where they have none."""
    info = class_info(source.infos)
    classes = None if info is None else source.column(info.name)
    if info is None or classes is None:
        return []
    return [info.classes[int(classes[at])] for at in indices]


def missing_samples(source: Source, edits: DataEdits) -> list[str]:
    """Return the names of edits, in order, that no sample has."""
    positions = _positions(source, edits)
    return sorted(name for name in edits.samples if name not in positions)


def check_edits(spec: DataSpec, code: Code = NO_CODE) -> Iterator[Diagnostic]:
    """Yield what is wrong with the edits: those of other data (D180), of samples that are not there
    (D181), with classes that there are not (D182, an error), or where there are none (D183).

    Raises ``DiagnosticError`` as the source does.
    """
    if not spec.edits.samples:
        return
    edits = edits_for(spec, code)
    if not edits.samples:
        name = spec.edits.source.partition(":")[2] or spec.edits.source
        yield _warning("D180", count=len(spec.edits), source=name)
        return
    source = load_source(spec.source, code)
    missing = missing_samples(source, edits)
    if missing:
        yield _warning("D181", count=len(missing), name=split_name(missing[0])[0][:100])
    named = _positions(source, edits)
    yield from _check_labels(source, {name: edits.samples[name].label for name in named})


def _check_labels(source: Source, labels: dict[str, str]) -> Iterator[Diagnostic]:
    labels = {name: label for name, label in sorted(labels.items()) if label}
    info = class_info(source.infos)
    if labels and (info is None or source.column(info.name) is None):
        yield _warning("D183", count=len(labels))
        return
    wrong = [(name, label) for name, label in labels.items() if info and label not in info.classes]
    if wrong and info:
        name, label = wrong[0]
        shown = [*info.classes[:_SHOWN_CLASSES], *(["…"] if info.classes[_SHOWN_CLASSES:] else [])]
        yield Diagnostic.of(
            "D182",
            field=_FIELD,
            name=split_name(name)[0][:100],
            label=label[:100],
            count=len(wrong),
            classes=", ".join(shown),
        )


def _positions(source: Source, edits: DataEdits) -> dict[str, int]:
    for found in _last:
        if found.source is source and found.edits == edits:
            return found.positions
    positions = source.find_samples(edits.samples.keys())
    positions |= _recognised(source, [name for name in edits.samples if split_name(name)[1]])
    _last[:] = [_Found(source, edits, positions)]
    return positions


def _recognised(source: Source, names: Sequence[str]) -> dict[str, int]:
    """Return the positions of samples that edits know by what they hold: where they were, else
    nearest to it among those that hold the same.
    """
    if not names or source.contents(()) is None:
        return {}
    split = {name: split_name(name) for name in names}
    places = source.find_samples({number for number, _ in split.values()})
    at_place = list(places.values())
    there = dict(zip(at_place, _hashes(source, at_place), strict=True))
    found = {
        name: places[number]
        for name, (number, content) in split.items()
        if number in places and there[places[number]] == content
    }
    moved = {name: each for name, each in split.items() if name not in found}
    if not moved:
        return found
    candidates = _holding(source, {content for _, content in moved.values()})
    taken = set(found.values())
    for name, (number, content) in sorted(moved.items(), key=lambda each: int(each[1][0])):
        free = [at for at in candidates.get(content, ()) if at not in taken]
        if free:
            numbers = map(int, source.sample_names(free))
            apart = {at: abs(own - int(number)) for at, own in zip(free, numbers, strict=True)}
            found[name] = min(free, key=apart.__getitem__)
            taken.add(found[name])
    return found


def _holding(source: Source, wanted: set[str]) -> dict[str, list[int]]:
    """Return the positions of the samples that hold something of which there is the hash."""
    found: dict[str, list[int]] = {}
    for start in range(0, source.samples, _BLOCK):
        block = range(start, min(start + _BLOCK, source.samples))
        for at, content in zip(block, _hashes(source, block), strict=True):
            if content in wanted:
                found.setdefault(content, []).append(at)
    return found


def _hashes(source: Source, indices: Sequence[int]) -> list[str]:
    return [content_hash(content) for content in source.contents(indices) or ()]


def _relabelled(source: Source, by_index: dict[int, SampleEdit]) -> Source:
    info = class_info(source.infos)
    before = None if info is None else source.column(info.name)
    if info is None or before is None:
        return source
    numbers = {name: number for number, name in enumerate(info.classes)}
    changed = {at: numbers[edit.label] for at, edit in by_index.items() if edit.label in numbers}
    if not changed:
        return source
    labels = before.clone()
    labels[torch.tensor([*changed])] = torch.tensor([*changed.values()])
    return source.relabelled(labels) or source


def _arranged(
    samples: int, indices: dict[Part, Tensor], by_index: dict[int, SampleEdit]
) -> dict[Part, Tensor]:
    """Return the indices with samples left out, and in the parts that the user put them into."""
    wanted = {
        at: NOWHERE if edit.excluded else PARTS.index(edit.part)
        for at, edit in by_index.items()
        if edit.excluded or edit.part
    }
    if not wanted:
        return indices
    parts = part_numbers(samples, indices)
    parts[torch.tensor([*wanted])] = torch.tensor([*wanted.values()])
    return part_indices(parts)


def _warning(code: str, count: int, **params: str) -> Diagnostic:
    return Diagnostic(
        code=code, severity=Severity.WARNING, field=_FIELD, params={"count": count, **params}
    )
