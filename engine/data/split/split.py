"""Split of the samples of a source into parts, from its specification, the same on every
machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from engine.data.source.column import Column, category, class_column, read_column
from engine.data.source.sample_digest import equal_numbers, sample_digests
from engine.data.source.source import PARTS, Part, Source
from engine.data.split.deal import (
    count_groups,
    deal_folds,
    deal_groups,
    deal_in_order,
    deal_strata,
    merged_groups,
)
from engine.diagnostics import DiagnosticError
from engine.spec.run import SplitSpec
from engine.spec.split_rule import check_split, part_of_word, split_fractions

TRAIN, VALIDATION, TEST = range(len(PARTS))
NOWHERE = -1
_COLUMN_FIELD = "data.split.column"


@dataclass(frozen=True, kw_only=True)
class Traits:
    """What a split looks at besides chance, each a number (int64) for each sample: ``groups`` that
    stay together, ``strata`` whose shares are kept, the part that is ``given`` (-1 for none);
    ``order`` are all samples in the order in which they go to the parts. Those of one ``subject``
    stay together as far as the data does not say their parts.
    """

    groups: Tensor | None = None
    subject: Tensor | None = None
    strata: Tensor | None = None
    order: Tensor | None = None
    given: Tensor | None = None


def split_source(source: Source, spec: SplitSpec) -> dict[Part, Tensor]:
    """Return the indices (int64) of the samples of each part of a source.

    Raises :class:`DiagnosticError` for a specification that is wrong (D004, R025 to R029) or does
    not go with the data (D090 to D097).
    """
    _require_valid(spec)
    return split_samples(source.samples, spec, _traits(source, spec))


def split_samples(
    samples: int, spec: SplitSpec, traits: Traits | None = None
) -> dict[Part, Tensor]:
    """Return the indices (int64, ascending) of the samples of each part; every sample is in exactly
    one. Raises as :func:`split_source` does.
    """
    _require_valid(spec)
    traits = traits or Traits()
    if traits.given is None:
        parts = _dealt(samples, spec, traits)
    else:
        parts = _completed(spec, traits, traits.given)
    if spec.folds:
        parts = _folded(parts, spec, traits)
    # Ascending, so that a part without shuffling has the order of the source.
    return part_indices(parts)


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


def _require_valid(spec: SplitSpec) -> None:
    problems = list(check_split(spec))
    total = spec.train + spec.validation + spec.test
    if problems and problems[0].code in ("R020", "R021") and problems[0].field:
        if problems[0].code == "R021":
            return  # a part of no samples is a matter of the run
        raise DiagnosticError.of("D004", field=problems[0].field, sum=round(total, 6))
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
            traits = Traits(strata=_strata(source, spec))
        case "group" | "column" | "time":
            traits = _column_traits(source, spec)
    if groups is not None and traits.groups is not None:
        groups = merged_groups(traits.groups, groups)
    return replace(traits, groups=traits.groups if groups is None else groups)


def _given_parts(source: Source) -> Tensor:
    given = source.given_parts()
    if given is None:
        raise DiagnosticError.of("D095", field="data.split.kind")
    return given


def _strata(source: Source, spec: SplitSpec) -> Tensor:
    name = spec.column.strip()
    if name:
        column = read_column(source, name, _COLUMN_FIELD)
    else:
        column = class_column(source, "data.split.kind")
    strata = column.codes()
    _require_members(source, column, strata, spec.folds)
    return strata


def _column_traits(source: Source, spec: SplitSpec) -> Traits:
    column = read_column(source, spec.column.strip(), _COLUMN_FIELD)
    if spec.kind == "group":
        return Traits(groups=column.codes())
    if spec.kind == "time":
        return Traits(order=column.values.argsort(stable=True))
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


def _dealt(samples: int, spec: SplitSpec, traits: Traits) -> Tensor:
    """Return the part (int64) of each sample, by the fractions."""
    fractions, groups = split_fractions(spec), traits.groups
    if traits.order is not None:
        if groups is None:
            return deal_in_order(traits.order, None, fractions)
        # A group is where its last sample is: no training sample is later than the others' test.
        reverse = deal_in_order(traits.order.flip(0), groups, fractions[::-1])
        return TEST - reverse
    order = torch.randperm(samples, generator=torch.Generator().manual_seed(spec.seed))
    if traits.strata is not None:
        return deal_strata(order, traits.strata, groups, fractions)
    if spec.kind != "group" or groups is None:
        return deal_in_order(order, groups, fractions)
    _require_groups(spec, groups, sum(fraction > 0 for fraction in fractions))
    return deal_groups(order, groups, fractions)


def _completed(spec: SplitSpec, traits: Traits, given: Tensor) -> Tensor:
    """Return the parts (int64) that the data says, with those that it does not name drawn from the
    training part. What is in no part is for training; samples that belong together go to the part
    that most of them are in, of equal ones to the later.
    """
    parts = torch.where(given < 0, TRAIN, given)
    if traits.groups is not None:
        parts = _by_majority(parts, traits.groups)
    pool = (parts == TRAIN).nonzero().flatten()
    if not len(pool):
        raise DiagnosticError.of("D094", field="data.split.kind", count=0, wanted=1)
    _, validation, test = split_fractions(spec)
    shares = [0.0 if bool((parts == VALIDATION).any()) else validation]
    shares += [0.0 if bool((parts == TEST).any()) else test]
    fractions = (1 - sum(shares), *shares)
    order = torch.randperm(len(pool), generator=torch.Generator().manual_seed(spec.seed))
    groups = traits.subject if traits.groups is None else traits.groups
    groups = None if groups is None else groups[pool]
    parts[pool] = deal_in_order(order, groups, fractions)
    return parts


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
    if len(order) < spec.folds:
        raise DiagnosticError.of(
            "D094", field="data.split.folds", count=len(order), wanted=spec.folds
        )
    if traits.groups is not None and spec.kind == "group":
        _require_groups(spec, traits.groups[order], spec.folds)
    strata = None if traits.strata is None else traits.strata[order]
    groups = None if traits.groups is None else traits.groups[order]
    folds = deal_folds(
        torch.arange(len(order)), strata, groups, spec.folds, whole=traits.order is not None
    )
    parts = torch.where(is_rest, TRAIN, TEST)
    parts[order[folds == spec.fold]] = VALIDATION
    return parts


def _require_groups(spec: SplitSpec, groups: Tensor, wanted: int) -> None:
    count = count_groups(groups)
    if count < wanted:
        raise DiagnosticError.of(
            "D093", field=_COLUMN_FIELD, column=spec.column, count=count, wanted=wanted
        )
