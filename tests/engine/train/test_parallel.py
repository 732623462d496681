"""A model on several GPUs, as far as that shows without them."""

from datetime import timedelta
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn

from engine.runs.process.agent import Agent
from engine.train.devices import make_current
from engine.train.model_placement import split_over_gpus, with_synced_norms
from engine.train.ranks.world import Group, World
from engine.train.training import build_training
from tests.tiny_run import iris_graph, iris_spec

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


@pytest.mark.row("S276")
@pytest.mark.parametrize(("local_rank", "index"), [(0, 0), (1, 1), (2, 0)])
def test_that_a_process_takes_the_gpu_of_its_local_rank(
    monkeypatch: pytest.MonkeyPatch, local_rank: int, index: int
) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    group = Group.__new__(Group)
    group.local_rank = local_rank
    assert group.device(torch.device("cuda", 0)) == torch.device("cuda", index)
    assert group.device(torch.device("cpu")) == torch.device("cpu")


class Elsewhere(World):
    """Computes on a GPU that this machine does not have."""

    def device(self, device: torch.device) -> torch.device:
        del device
        return CUDA

    def place(self, model: nn.Module, device: torch.device) -> nn.Module:
        raise ValueError(str(device))


@pytest.mark.row("S276")
def test_that_the_gpu_of_a_process_is_its_current_one_before_the_model_goes_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    current: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    monkeypatch.setattr(torch.cuda, "set_per_process_memory_fraction", lambda *_: None)
    with pytest.raises(ValueError, match="cuda:1"):
        build_training(iris_graph(), iris_spec(), nn.ReLU(), Elsewhere())
    assert current == [CUDA]
    make_current(torch.device("cpu"))
    assert current == [CUDA]


@pytest.mark.row("S273")
@pytest.mark.parametrize(("has_gpu", "backend"), [(True, "cpu:gloo,cuda:nccl"), (False, "gloo")])
def test_that_processes_meet_by_the_backend_of_their_devices_and_wait_as_long_as_is_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, has_gpu: bool, backend: str
) -> None:
    met: list[tuple[str, dict[str, object]]] = []
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.setenv(name, "0")
    for name in ("WORLD_SIZE", "GROUP_WORLD_SIZE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    monkeypatch.setattr(
        dist, "init_process_group", lambda backend, **given: met.append((backend, given))
    )
    Group(tmp_path, Agent(name="a", round=0, most=0, pid=1), patience_s=42.0)
    assert [(name, given["timeout"]) for name, given in met] == [(backend, timedelta(seconds=42))]
