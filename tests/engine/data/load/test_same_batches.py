"""Training sees the same samples, bit for bit, however the work is shared and wherever it begins:
with random transforms, blended batches, and whatever draws the samples.
"""

from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor

from engine.data.load import load as load_module
from engine.data.load.load import LoadedData, load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.data.load.part import Batch
from engine.data.load.sampler import EpochSampler
from engine.spec.run import DataSpec, LoaderSpec
from engine.spec.transform import BatchTransformSpec
from tests.engine.data.load.test_transforms import STRONG
from tests.engine.data.transform.photos import Photos

SIZE, SEED, EPOCH = 5, 5, 1  # a last batch that is smaller, for some processes
WITH_WORKERS = ((1, 1, 0), (2, 2, 2))
"""Workers, processes and the first batch, for samplers that say the order alone."""


def own_order(seed: int, epoch: int) -> Tensor:
    """Return what a sampler of the user's code may say: some samples twice, others never."""
    return torch.tensor([3, 3, 0, 7, 5, 1, 2 + epoch, seed, 4, 9, 8, 8, 11])


def values_of(kind: str, samples: int) -> Tensor | None:
    match kind:
        case "balanced":
            return torch.arange(samples) % 5 // 2
        case "weighted" | "curriculum":
            return torch.arange(samples).double() % 3
        case "bucketed":
            return torch.arange(samples) * 7 % 11
        case _:
            return None


@pytest.fixture
def data(request, monkeypatch) -> LoadedData:
    """Return photographs whose samples are drawn by the sampler that the test names."""
    monkeypatch.setattr(load_module, "load_source", lambda *_: Photos(count=40))
    blending = (BatchTransformSpec(type="MixUp"), BatchTransformSpec(type="CutMix"))
    kind = "uniform" if request.param == "custom" else request.param
    loaded = load_data(DataSpec(transforms=STRONG, batch_transforms=blending, batch_size=SIZE))
    samples = len(loaded.training)
    sampler = EpochSampler(
        spec=DataSpec(sampler=kind, batch_size=SIZE),
        samples=samples,
        values=values_of(request.param, samples),
        custom=own_order if request.param == "custom" else None,
    )
    return replace(loaded, sampler=sampler)


def batches(
    data: LoadedData, workers: int = 0, start: int = 0, rank: int = 0, ranks: int = 1
) -> list[Batch]:
    plan = BatchPlan(
        order=data.sampler.order(SEED, EPOCH),
        size=SIZE,
        seed=SEED,
        epoch=EPOCH,
        start=start,
        select=None if ranks == 1 else lambda rows: rows.tensor_split(ranks)[rank],
    )
    return list(PartLoader(data.training, LoaderSpec(num_workers=workers)).batches(plan))


@pytest.mark.real
@pytest.mark.row("S143", "S190", "S296")
@pytest.mark.parametrize(
    "data", ["uniform", "balanced", "weighted", "bucketed", "curriculum", "custom"], indirect=True
)
def test_that_workers_processes_and_a_start_in_mid_epoch_see_the_same_samples(data):
    """A sampler says the order and no more: with one of them every way of reading is tried, with
    the others what one process reads and some ways with workers.
    """
    is_plain = data.sampler.spec.sampler == "uniform" and data.sampler.custom is None
    whole = batches(data)
    assert len(whole) == -(-len(data.sampler.order(SEED, EPOCH)) // SIZE)
    assert not torch.equal(whole[0]["photo"], whole[1]["photo"])
    for way in product((0, 1, 2), (1, 2), (0, 2)):
        workers, ranks, start = way
        if workers and not is_plain and way not in WITH_WORKERS:
            continue
        shares = [batches(data, workers, start, rank, ranks) for rank in range(ranks)]
        for number, parts in enumerate(zip(*shares, strict=True)):
            for name, values in whole[start + number].items():
                joined = torch.cat([part[name] for part in parts])
                assert torch.equal(joined, values), (way, number, name)
        assert len(shares[0]) == len(whole) - start
