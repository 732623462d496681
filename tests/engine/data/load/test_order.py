"""The order of samples and the batches of an epoch."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.order import epoch_order
from engine.spec.length import batches_per_epoch
from engine.spec.run import Choice, DataSpec, LoaderSpec

IRIS = load_data(DataSpec(source=Choice(type="iris")))


@pytest.mark.row("S303", "S304")
@given(st.integers(0, 300), st.integers(0, 2**32 - 1), st.integers(0, 10**6))
def test_that_an_order_is_a_permutation_that_seed_and_epoch_decide(samples, seed, epoch):
    order = epoch_order(samples, seed, epoch, shuffle=True)
    assert sorted(order.tolist()) == list(range(samples))
    assert torch.equal(order, epoch_order(samples, seed, epoch, shuffle=True))
    if samples > 30:
        assert not torch.equal(order, epoch_order(samples, seed, epoch + 1, shuffle=True))
        assert not torch.equal(order, epoch_order(samples, seed + 1, epoch, shuffle=True))


def test_that_an_order_neither_uses_nor_changes_the_global_generator():
    torch.manual_seed(1)
    first = epoch_order(50, 0, 0, shuffle=True)
    drawn = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(1))
    assert torch.equal(first, epoch_order(50, 0, 0, shuffle=True))


def test_that_without_shuffling_the_samples_come_in_the_order_of_the_source():
    assert epoch_order(5, 3, 2, shuffle=False).tolist() == [0, 1, 2, 3, 4]
    assert IRIS.indices["train"].tolist() == sorted(IRIS.indices["train"].tolist())


@settings(max_examples=30)
@given(st.integers(1, 120), st.booleans(), st.integers(0, 120))
def test_that_batches_can_begin_anywhere_and_are_the_same_as_after_the_others(size, drop, start):
    order = epoch_order(IRIS.samples("train"), 0, 1, shuffle=True)
    loader = PartLoader(IRIS.parts["train"], LoaderSpec())
    whole = list(loader.batches(BatchPlan(order=order, size=size, drop_last=drop)))
    rest = list(loader.batches(BatchPlan(order=order, size=size, drop_last=drop, start=start)))
    assert len(whole) == batches_per_epoch(105, size, drop_last=drop)
    assert len(rest) == max(len(whole) - start, 0)
    for batch, other in zip(whole[start:], rest, strict=True):
        assert torch.equal(batch["features"], other["features"])
        assert torch.equal(batch["label"], other["label"])
    if whole and not drop:
        labels = torch.cat([batch["label"] for batch in whole])
        assert torch.equal(labels, IRIS.tensors("train")["label"][order])
