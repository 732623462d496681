"""A model on several GPUs, as far as that shows without them."""

import pytest
import torch
from torch import nn

from engine.train.parallel import split_over_gpus, with_synced_norms

CUDA = torch.device("cuda", 1)


@pytest.mark.row("S085")
@pytest.mark.row("S283")
def test_that_batch_norms_of_processes_on_gpus_are_synchronized_and_keep_their_weights() -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
    weight = model[1].weight
    found = with_synced_norms(model, CUDA, 2)
    assert isinstance(found[1], nn.SyncBatchNorm)
    assert found[1].weight is weight


@pytest.mark.parametrize(("device", "processes"), [("cpu", 2), ("cuda", 1)])
def test_that_batch_norms_stay_where_synchronized_ones_do_not_compute(
    device: str, processes: int
) -> None:
    model = nn.Sequential(nn.BatchNorm1d(3))
    assert type(with_synced_norms(model, torch.device(device), processes)[0]) is nn.BatchNorm1d


@pytest.mark.row("S268")
def test_that_a_batch_is_split_over_all_gpus_the_chosen_one_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[int]] = []

    def parallel(model: nn.Module, gpus: list[int]) -> nn.Module:
        asked.append(gpus)
        return model

    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    monkeypatch.setattr(nn, "DataParallel", parallel)
    assert split_over_gpus(nn.ReLU(), CUDA) is not None
    assert asked == [[1, 0, 2]]


def test_that_a_batch_stays_whole_where_there_are_not_two_gpus() -> None:
    assert split_over_gpus(nn.ReLU(), torch.device("cpu")) is None
