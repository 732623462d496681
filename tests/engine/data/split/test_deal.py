"""Arithmetic of splits: sizes, strata, groups and folds."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from engine.data.split.deal import (
    deal_folds,
    deal_groups,
    deal_strata,
    merged_groups,
    sizes,
)

FRACTIONS = st.tuples(st.integers(1, 90), st.integers(0, 90), st.integers(0, 90)).map(
    lambda parts: tuple(part / sum(parts) for part in parts)
)
LABELS = st.lists(st.integers(0, 6), min_size=1, max_size=120)


def shuffled(samples: int, seed: int) -> Tensor:
    return torch.randperm(samples, generator=torch.Generator().manual_seed(seed))


@given(LABELS, FRACTIONS, st.integers(0, 99))
def test_that_a_part_has_of_every_class_its_share_but_for_less_than_one_sample(
    labels, fractions, seed
):
    strata = torch.tensor(labels)
    parts = deal_strata(shuffled(len(labels), seed), strata, None, fractions)
    for label in set(labels):
        for part, fraction in enumerate(fractions):
            count = int(((parts == part) & (strata == label)).sum())
            assert abs(count - labels.count(label) * fraction) < 1
    for part, fraction in enumerate(fractions):  # nor do many small classes all round alike
        assert abs(int((parts == part).sum()) - len(labels) * fraction) < 2


@given(st.integers(3, 300))
def test_that_classes_of_a_single_sample_are_divided_as_a_whole(samples):
    strata = torch.arange(samples)
    parts = deal_strata(torch.arange(samples), strata, None, (0.7, 0.15, 0.15))
    counts = parts.bincount(minlength=3).tolist()
    assert all(
        abs(count - exact) <= 1
        for count, exact in zip(counts, sizes(samples, (0.7, 0.15, 0.15)), strict=True)
    )


@given(LABELS, FRACTIONS, st.integers(0, 99))
def test_that_groups_stay_whole_and_no_part_is_empty_while_there_are_enough(
    labels, fractions, seed
):
    groups, order = torch.tensor(labels), shuffled(len(labels), seed)
    parts = deal_groups(order, groups, fractions)
    again = deal_groups(order, groups, fractions)
    assert torch.equal(parts, again)
    assert all(len(parts[groups == group].unique()) == 1 for group in set(labels))
    wanted = [part for part, size in enumerate(sizes(len(labels), fractions)) if size]
    assert set(parts.tolist()) <= set(wanted)
    if len(set(labels)) >= len(wanted):
        assert set(parts.tolist()) == set(wanted)


@given(st.integers(30, 400), st.integers(0, 99))
def test_that_small_groups_meet_the_fractions(samples, seed):
    groups = torch.arange(samples) // 3
    parts = deal_groups(shuffled(samples, seed), groups, (0.7, 0.15, 0.15))
    counts = parts.bincount(minlength=3).tolist()
    for count, wanted in zip(counts, sizes(samples, (0.7, 0.15, 0.15)), strict=True):
        assert abs(count - wanted) <= 3


@given(LABELS, st.integers(2, 7), st.integers(0, 99))
def test_that_folds_are_as_large_as_one_another_in_every_class(labels, folds, seed):
    strata, order = torch.tensor(labels), shuffled(len(labels), seed)
    plain = deal_folds(order, strata, None, folds, whole=False)
    single = deal_folds(order, strata, torch.arange(len(labels)), folds, whole=False)
    assert torch.equal(plain, single)
    for among in (torch.ones_like(strata).bool(), *(strata == label for label in set(labels))):
        counts = plain[among].bincount(minlength=folds)
        assert int(counts.max() - counts.min()) <= 1


@given(LABELS, st.integers(2, 7), st.integers(0, 99))
def test_that_folds_keep_groups_whole_and_differ_by_a_group_at_most(labels, folds, seed):
    groups = torch.tensor(labels)
    dealt = deal_folds(shuffled(len(labels), seed), None, groups, folds, whole=False)
    assert all(len(dealt[groups == group].unique()) == 1 for group in set(labels))
    counts = dealt.bincount(minlength=folds)
    assert int(counts.max() - counts.min()) <= max(map(labels.count, labels))


@given(st.integers(2, 60), st.integers(2, 7))
def test_that_folds_of_an_order_are_stretches_of_it(samples, folds):
    dealt = deal_folds(torch.arange(samples).flip(0), None, None, folds, whole=True)
    assert dealt.tolist() == sorted(dealt.tolist(), reverse=True)
    counts = dealt.bincount(minlength=folds)
    assert int(counts.max() - counts.min()) <= 1


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40))
def test_that_merged_groups_keep_together_what_either_does_and_no_more(pairs):
    first, second = (torch.tensor([pair[at] for pair in pairs]).long() for at in (0, 1))
    merged = merged_groups(first, second).tolist()
    parent = {("a", a): {("a", a)} for a, _ in pairs} | {("b", b): {("b", b)} for _, b in pairs}
    for a, b in pairs:
        union = parent["a", a] | parent["b", b]
        for member in union:
            parent[member] = union
    for (a, _), group in zip(pairs, merged, strict=True):
        for (other, _), its in zip(pairs, merged, strict=True):
            assert (group == its) is (("a", other) in parent["a", a])
