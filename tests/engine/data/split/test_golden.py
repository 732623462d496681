"""Splits by groups are those that earlier versions drew, sample by sample."""

import hashlib

import pytest
import torch

from engine.data.split.deal import merged_groups
from engine.data.split.split import Traits, split_samples
from engine.spec.run import SplitSpec

SAMPLES = 5_000
_DRAWN = torch.Generator().manual_seed(7)
GROUPS = torch.randint(0, 700, (SAMPLES,), generator=_DRAWN)
FEW = torch.randint(0, 4, (SAMPLES,), generator=_DRAWN)
STRATA = torch.randint(0, 9, (SAMPLES,), generator=_DRAWN)
TIMES = torch.randperm(SAMPLES, generator=_DRAWN)
FAR = GROUPS * 1_000_003  # numbers that no table of all of them has room for


def digest(values: torch.Tensor) -> str:
    return hashlib.sha256(values.numpy().astype("<i8").tobytes()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("spec", "traits", "golden"),
    [
        (SplitSpec(kind="group", column="g"), Traits(groups=GROUPS), "dad22c2b006e"),
        (SplitSpec(kind="group", column="g"), Traits(groups=FAR), "dad22c2b006e"),
        (SplitSpec(kind="group", column="g", seed=5), Traits(groups=FEW), "003ab2991fa9"),
        (SplitSpec(), Traits(groups=GROUPS), "2d26a22c854d"),
        (SplitSpec(kind="stratified"), Traits(groups=GROUPS, strata=STRATA), "67a5a4e920a6"),
        (SplitSpec(kind="time", column="t"), Traits(groups=GROUPS, order=TIMES), "a1e3d53de56d"),
        (SplitSpec(kind="given"), Traits(groups=GROUPS, given=STRATA % 4 - 1), "4074818e5640"),
        (
            SplitSpec(kind="group", column="g", folds=5, fold=2),
            Traits(groups=GROUPS),
            "2047471d5657",
        ),
        (
            SplitSpec(kind="stratified", folds=3, fold=1),
            Traits(groups=GROUPS, strata=STRATA),
            "de4545820054",
        ),
        (
            SplitSpec(kind="sequential", folds=4, fold=0),
            Traits(groups=GROUPS, order=TIMES),
            "ab8e9a8ae71c",
        ),
    ],
)
def test_that_groups_are_dealt_as_ever(spec: SplitSpec, traits: Traits, golden: str) -> None:
    parts = split_samples(SAMPLES, spec, traits)
    assert sum(len(indices) for indices in parts.values()) == SAMPLES
    assert digest(torch.cat(list(parts.values()))) == golden


def test_that_groups_are_merged_as_ever() -> None:
    other = torch.randint(0, 4_000, (SAMPLES,), generator=torch.Generator().manual_seed(3))
    merged = merged_groups(GROUPS, other)
    assert digest(merged) == "45ba88c023fe"
    assert digest(merged_groups(FEW, STRATA)) == "5ba2741bd8c8"
