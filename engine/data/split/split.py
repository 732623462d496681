"""Split of the samples of a source into parts, from its specification, the same on every
machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from engine.data.source.column import (
    Column,
    category,
    class_column,
    label_matrix,
    listed_columns,
    read_column,
)
from engine.data.source.sample_digest import equal_numbers, sample_digests
from engine.data.source.source import PARTS, Part, Source
from engine.data.split.deal import (
    count_groups,
    deal_folds,
    deal_groups,
    deal_in_order,
    deal_in_time,
    deal_strata,
    merged_groups,
)
from engine.data.split.label_deal import deal_labels
from engine.diagnostics import DiagnosticError
from engine.spec.run import SplitSpec
from engine.spec.split_rule import ASSIGNED, check_split, part_of_word, split_fractions

TRAIN, VALIDATION, TEST = range(len(PARTS))
NOWHERE = -1
_COLUMN_FIELD = "data.split.column"


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What a split looks at besides chance, each a number (int64) for each sample: ``groups`` that
    stay together, ``strata`` whose shares are kept, or ``labels`` (bool, samples × labels), of
    which a sample has any number; the part that is ``given`` (-1 for none);
    ``order`` are all samples in the order in which they go to the parts, ``times`` what they are
    ordered by: equal ones stay together. Those of one ``subject`` stay together as far as the data
    does not say their parts.
    """

    groups: Tensor | None = None
    subject: Tensor | None = None
    strata: Tensor | None = None
    labels: Tensor | None = None
    order: Tensor | None = None
    times: Tensor | None = None
    given: Tensor | None = None

    @property
    def given_or_training(self) -> Tensor:
        """The part that the data says (int64): samples that it does not name are for training, and
        those that belong together are where most of them are, of equal parts in the later.
        """
        assert self.given is not None
        parts = torch.where(self.given < 0, TRAIN, self.given)
        return parts if self.groups is None else _by_majority(parts, self.groups)


def split_source(source: Source, spec: SplitSpec) -> dict[Part, Tensor]:
    """Return the indices (int64) of the samples of each part of a source.

    Raises :class:`DiagnosticError` for a specification that is wrong (D004, D656, R025 to R029) or
    does not go with the data (D090 to D097).
    """
    _require_valid(spec, source)
    return split_samples(source.samples, spec, _traits(source, spec))


def split_samples(
    samples: int, spec: SplitSpec, traits: Traits | None = None
) -> dict[Part, Tensor]:
    """Return the indices (int64, ascending) of the samples of each part; every sample is in exactly
    one. Raises as :func:`split_source` does.
    """
    _require_valid(spec)
    traits = traits or Traits()
    _require_enough(spec, traits)
    parts = _divided(samples, spec, traits)
    if spec.folds:
        _require_folds(parts, spec, traits)
        parts = _folded(parts, spec, traits)
    # Ascending, so that a part without shuffling has the order of the source.
    return part_indices(parts)


def split_new(source: Source, spec: SplitSpec, known: Tensor) -> Tensor:
    """Return the part (int64) of each sample of a source in which samples are new: those whose part
    is ``known`` (int64, -1 for the new ones; not all are) stay there.

    What the split keeps together stays together: new samples of a group go where it is. Where it
    goes by an order (time, sequential), each is in the part of the one before it, so that the
    bounds stay where they were. All others are divided by themselves, as a source of their own
    would be. Raises as :func:`split_source` does.
    """
    _require_valid(spec, source)
    traits, parts = _traits(source, spec), known.clone()
    groups = traits.groups
    if groups is None and traits.given is not None:
        groups = traits.subject
    if groups is not None:
        parts = _with_groups(parts, groups)
    is_new = parts == NOWHERE
    if traits.order is not None:
        parts = _with_those_before(parts, traits.order)
        return parts if groups is None else _with_latest(parts, groups, is_new)
    new = is_new.nonzero().flatten()
    own = _of_some(traits, new)
    if traits.given is None:
        parts[new] = _divided(len(new), spec, own)
    else:
        parts[new] = _drawn(
            spec, own, own.given_or_training, _shares(spec, traits.given_or_training)
        )
    if spec.folds:
        parts[new] = _folded(parts[new], spec, own)
    return parts


def part_numbers(samples: int, indices: Mapping[Part, Tensor]) -> Tensor:
    """Return the number of the part of each sample, an index (int64) into :data:`PARTS`, -1 for
    none. ``indices`` are the samples of each part.
    """
    numbers = torch.full((samples,), NOWHERE)
    for number, part in enumerate(PARTS):
        if part in indices:
            numbers[indices[part]] = number
    return numbers


def part_indices(numbers: Tensor) -> dict[Part, Tensor]:
    """Return the indices (int64, ascending) of the samples of each part, by the number of the part
    of each.
    """
    return {part: (numbers == number).nonzero().flatten() for number, part in enumerate(PARTS)}


def equal_groups(source: Source) -> Tensor:
    """Return a number (int64) for each sample, the same where samples are equal in all fields."""
    return torch.from_numpy(equal_numbers(sample_digests(source, range(source.samples))))


def _require_valid(spec: SplitSpec, source: Source | None = None) -> None:
    problems = list(check_split(spec))
    total = spec.train + spec.validation + spec.test
    if problems and problems[0].code in ("R020", "R021") and problems[0].field:
        if problems[0].code == "R021":
            return  # a part of no samples is a matter of the run
        raise DiagnosticError.of("D004", field=problems[0].field, sum=round(total, 6))
    names = "" if source is None else listed_columns(source)
    if problems and problems[0].code == "R025" and names:
        field = problems[0].field
        raise DiagnosticError.of("D656", field=field, kind=spec.kind, names=names)
    if problems:
        raise DiagnosticError(*problems)


def _traits(source: Source, spec: SplitSpec) -> Traits:
    groups = equal_groups(source) if spec.group_equal else None
    match spec.kind:
        case "random":
            traits = Traits()
        case "sequential":
            traits = Traits(order=torch.arange(source.samples))
        case "given":
            traits = Traits(given=_given_parts(source), subject=source.subjects())
        case "stratified":
            traits = _stratified(source, spec)
        case "group" | "column" | "time":
            traits = _column_traits(source, spec)
    if spec.kind in ASSIGNED and spec.stratified:
        traits = _with_classes(traits, source, spec)
    if groups is not None and traits.groups is not None:
        groups = merged_groups(traits.groups, groups)
    return replace(traits, groups=traits.groups if groups is None else groups)


def _given_parts(source: Source) -> Tensor:
    given = source.given_parts()
    if given is None:
        raise DiagnosticError.of("D095", field="data.split.kind")
    return given


def _stratified(source: Source, spec: SplitSpec) -> Traits:
    name = spec.column.strip()
    labels = None if name else label_matrix(source)
    if labels is not None:
        return Traits(labels=labels)
    if name:
        column = read_column(source, name, _COLUMN_FIELD)
    else:
        column = class_column(source, "data.split.kind", "stratified", _COLUMN_FIELD)
    return Traits(strata=_column_strata(source, column, spec.folds))


def _column_strata(source: Source, column: Column, folds: int) -> Tensor:
    strata = column.codes()
    _require_members(source, column, strata, folds)
    return strata


def _with_classes(traits: Traits, source: Source, spec: SplitSpec) -> Traits:
    """Return what a split looks at with the classes, where something is drawn by them: a part that
    the data does not name, or folds.
    """
    parts = traits.given_or_training
    if not spec.folds and not any(_shares(spec, parts)[1:]):
        return traits
    labels = label_matrix(source)
    if labels is not None:
        return replace(traits, labels=labels)
    column = class_column(source, "data.split.stratified", "true", _COLUMN_FIELD)
    return replace(traits, strata=_column_strata(source, column, spec.folds))


def _column_traits(source: Source, spec: SplitSpec) -> Traits:
    column = read_column(source, spec.column.strip(), _COLUMN_FIELD)
    if spec.kind == "group":
        return Traits(groups=column.codes())
    if spec.kind == "time":
        return Traits(order=column.values.argsort(stable=True), times=column.codes())
    return Traits(given=_worded_parts(source, column), subject=source.subjects())


def _require_members(source: Source, column: Column, strata: Tensor, folds: int) -> None:
    """Refuse a stratum that is not in every fold."""
    counts = strata.bincount()
    if not folds or not len(counts) or int(counts.min()) >= folds:
        return
    rare = int(counts.argmin())
    first = int((strata == rare).nonzero()[0])
    raise DiagnosticError.of(
        "D097",
        field="data.split.folds",
        name=category(source, column, first)[:100],
        count=int(counts[rare]),
        folds=folds,
    )


def _worded_parts(source: Source, column: Column) -> Tensor:
    """Return the part (int64) that the words of a column say."""
    codes = column.codes()
    parts = torch.empty_like(codes)
    for code in range(int(codes.max()) + 1 if len(codes) else 0):
        same = (codes == code).nonzero().flatten()
        word = category(source, column, int(same[0]))
        part = part_of_word(word)
        if part is None:
            raise DiagnosticError.of(
                "D092", field=_COLUMN_FIELD, column=column.name, value=word[:100]
            )
        parts[same] = part
    return parts


def _divided(samples: int, spec: SplitSpec, traits: Traits) -> Tensor:
    """Return the part (int64) of each sample, before folds."""
    if traits.given is None:
        return _dealt(samples, spec, traits)
    parts = traits.given_or_training
    return _drawn(spec, traits, parts, _shares(spec, parts))


def _dealt(samples: int, spec: SplitSpec, traits: Traits) -> Tensor:
    """Return the part (int64) of each sample, by the fractions."""
    fractions, groups = split_fractions(spec), traits.groups
    if traits.order is not None:
        return _dealt_in_order(traits.order, traits, fractions)
    order = torch.randperm(samples, generator=torch.Generator().manual_seed(spec.seed))
    if traits.labels is not None:
        return deal_labels(order, traits.labels, groups, fractions)
    if traits.strata is not None:
        return deal_strata(order, traits.strata, groups, fractions)
    if spec.kind != "group" or groups is None:
        return deal_in_order(order, groups, fractions)
    return deal_groups(order, groups, fractions)


def _dealt_in_order(order: Tensor, traits: Traits, fractions: tuple[float, ...]) -> Tensor:
    if traits.groups is not None:
        # A group is where its last sample is: no training sample is later than the others' test.
        return TEST - deal_in_order(order.flip(0), traits.groups, fractions[::-1])
    if traits.times is None:
        return deal_in_order(order, None, fractions)
    return deal_in_time(order, traits.times, fractions)


def _shares(spec: SplitSpec, parts: Tensor) -> tuple[float, ...]:
    """Return the fractions of what the data puts into training that each part gets: validation and
    test get some where the data has none for them.
    """
    _, validation, test = split_fractions(spec)
    shares = [0.0 if bool((parts == VALIDATION).any()) else validation]
    shares += [0.0 if bool((parts == TEST).any()) else test]
    return (1 - sum(shares), *shares)


def _drawn(spec: SplitSpec, traits: Traits, parts: Tensor, fractions: tuple[float, ...]) -> Tensor:
    """Return parts (int64) with those that the data does not name drawn from the training part;
    samples that belong together stay together.
    """
    pool = (parts == TRAIN).nonzero().flatten()
    order = torch.randperm(len(pool), generator=torch.Generator().manual_seed(spec.seed))
    groups = _together(traits, pool, sum(fraction > 0 for fraction in fractions))
    strata = None if traits.strata is None else traits.strata[pool]
    parts = parts.clone()
    if traits.labels is not None:
        parts[pool] = deal_labels(order, traits.labels[pool], groups, fractions)
    elif groups is not None and strata is not None and _are_mixed(groups, strata):
        parts[pool] = deal_groups(order, groups, fractions)
    elif strata is None:
        parts[pool] = deal_in_order(order, groups, fractions)
    else:
        parts[pool] = deal_strata(order, strata, groups, fractions)
    return parts


def _together(traits: Traits, samples: Tensor, least: int) -> Tensor | None:
    """Return the groups (int64) of some samples that stay together, None for none; subjects stay
    so where there are so many of them that each part or fold can have one.
    """
    groups = None if traits.groups is None else traits.groups[samples]
    if traits.subject is None:
        return groups
    subjects = traits.subject[samples]
    if groups is not None:
        subjects = merged_groups(subjects, groups)
    return subjects if count_groups(subjects) >= least else groups


def _are_mixed(groups: Tensor, strata: Tensor) -> bool:
    """Return whether most groups are of several strata, so that none of them stands for one."""
    pairs = torch.unique(torch.stack((groups, strata)), dim=1)
    counts = torch.unique(pairs[0], return_counts=True)[1]
    return 2 * int((counts > 1).sum()) > len(counts)


def _by_majority(parts: Tensor, groups: Tensor) -> Tensor:
    codes = torch.unique(groups, return_inverse=True)[1]
    counts = torch.zeros(int(codes.max()) + 1 if len(codes) else 0, len(PARTS), dtype=torch.int64)
    counts.index_put_((codes, parts), torch.ones_like(parts), accumulate=True)
    latest = counts.flip(1).argmax(dim=1)  # the first maximum
    return (TEST - latest)[codes]


def _folded(parts: Tensor, spec: SplitSpec, traits: Traits) -> Tensor:
    """Return the parts (int64) with one fold of all but the test part for validation."""
    is_rest = parts != TEST
    if traits.order is None:
        order = torch.randperm(len(parts), generator=torch.Generator().manual_seed(spec.seed))
    else:
        order = traits.order
    order = order[is_rest[order]]
    strata = None if traits.strata is None else traits.strata[order]
    groups = _together(traits, order, spec.folds)
    places, shares = torch.arange(len(order)), (1 / spec.folds,) * spec.folds
    if traits.labels is not None:
        folds = deal_labels(places, traits.labels[order], groups, shares)
    else:
        whole = traits.order is not None
        folds = deal_folds(places, strata, groups, spec.folds, whole=whole)
    parts = torch.where(is_rest, TRAIN, TEST)
    parts[order[folds == spec.fold]] = VALIDATION
    return parts


def _of_some(traits: Traits, samples: Tensor) -> Traits:
    """Return what a split looks at for some samples (int64 indices); they have no order."""
    return Traits(
        groups=None if traits.groups is None else traits.groups[samples],
        subject=None if traits.subject is None else traits.subject[samples],
        strata=None if traits.strata is None else traits.strata[samples],
        labels=None if traits.labels is None else traits.labels[samples],
        given=None if traits.given is None else traits.given[samples],
    )


def _with_groups(parts: Tensor, groups: Tensor) -> Tensor:
    """Return parts (int64) with new samples (-1) where others of their group are, of several parts
    in the first, so that nothing that was trained on is tested on.
    """
    codes = torch.unique(groups, return_inverse=True)[1]
    known = parts != NOWHERE
    of_group = torch.full((int(codes.max()) + 1 if len(codes) else 0,), len(PARTS))
    of_group.scatter_reduce_(0, codes[known], parts[known], "amin")
    found = of_group[codes]
    return torch.where(known | (found == len(PARTS)), parts, found)


def _with_those_before(parts: Tensor, order: Tensor) -> Tensor:
    """Return parts (int64) with new samples (-1) where the one before them in the order is, the
    first ones where the one after them is.
    """
    ordered = parts[order]
    at = torch.where(ordered != NOWHERE, torch.arange(len(order)), NOWHERE)
    first = int((ordered != NOWHERE).nonzero()[0])
    filled = parts.clone()
    filled[order] = ordered[at.cummax(0).values.clamp(min=first)]
    return filled


def _with_latest(parts: Tensor, groups: Tensor, is_new: Tensor) -> Tensor:
    """Return parts (int64) with the new samples (bool) of each group where the last of them is."""
    codes = torch.unique(groups, return_inverse=True)[1]
    of_group = torch.full((int(codes.max()) + 1,), NOWHERE)
    of_group.scatter_reduce_(0, codes[is_new], parts[is_new], "amax")
    return torch.where(is_new, of_group[codes], parts)


def _require_enough(spec: SplitSpec, traits: Traits) -> None:
    """Refuse fewer groups than parts, and data that has no sample for training."""
    if traits.given is not None and not bool((traits.given_or_training == TRAIN).any()):
        raise DiagnosticError.of("D094", field="data.split.kind", count=0, wanted=1)
    if spec.kind == "group" and traits.groups is not None:
        wanted = sum(fraction > 0 for fraction in split_fractions(spec))
        _require_groups(spec, traits.groups, wanted)


def _require_folds(parts: Tensor, spec: SplitSpec, traits: Traits) -> None:
    """Refuse fewer samples, or groups, outside of the test part than folds."""
    rest = (parts != TEST).nonzero().flatten()
    if len(rest) < spec.folds:
        raise DiagnosticError.of(
            "D094", field="data.split.folds", count=len(rest), wanted=spec.folds
        )
    if traits.groups is not None and spec.kind == "group":
        _require_groups(spec, traits.groups[rest], spec.folds)


def _require_groups(spec: SplitSpec, groups: Tensor, wanted: int) -> None:
    count = count_groups(groups)
    if count < wanted:
        raise DiagnosticError.of(
            "D093", field=_COLUMN_FIELD, column=spec.column, count=count, wanted=wanted
        )
