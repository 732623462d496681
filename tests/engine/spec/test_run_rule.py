"""What is told, before a run, of its processes and GPUs."""

import pytest
import torch

from engine.graph.model import Graph
from engine.spec.run import Choice, ComputeSpec, DataSpec, ProcessSpec, RunSpec
from engine.spec.run_rule import check_gpus, check_processes, chunks
from tests.tiny_run import iris_graph, node


def told(spec: RunSpec, device: str = "cpu", gpus: int = 0, graph: Graph | None = None) -> dict:
    found = [*check_processes(spec), *check_gpus(spec, graph or iris_graph(), device, gpus)]
    return {each.code: each for each in found}


@pytest.mark.row("S268")
@pytest.mark.parametrize(("batch", "parts"), [(32, 2), (10, 4), (9, 4), (3, 8)])
def test_that_a_batch_is_split_as_data_parallel_does(batch: int, parts: int) -> None:
    assert chunks(batch, parts) == tuple(len(part) for part in torch.arange(batch).chunk(parts))


@pytest.mark.row("S268")
def test_that_data_parallel_is_told_with_its_split_and_advised_against() -> None:
    spec = RunSpec(mode="dp", data=DataSpec(batch_size=10))
    advice = told(spec, "cuda", 4)["R207"]
    assert (advice.severity, advice.field, advice.params["split"]) == (
        "warning",
        "mode",
        "3 + 3 + 3 + 1",
    )


@pytest.mark.parametrize(("device", "gpus"), [("cpu", 4), ("cuda", 1)])
def test_that_data_parallel_needs_two_gpus(device: str, gpus: int) -> None:
    refusal = told(RunSpec(mode="dp"), device, gpus)["R206"]
    assert (refusal.severity, refusal.params["split"]) == ("error", "16 + 16")


@pytest.mark.row("S283")
def test_that_synchronized_batch_norms_off_a_gpu_are_told_before_the_run() -> None:
    spec = RunSpec(mode="ddp", processes=ProcessSpec(sync_norms=True))
    assert told(spec)["R205"].field == "processes.sync_norms"
    graph = iris_graph(node("SyncBatchNorm", "norm"))
    assert told(spec, graph=graph)["R208"].node == "norm"
    assert not told(spec, "cuda", 2, graph)
    assert not told(RunSpec(processes=ProcessSpec(sync_norms=True)), graph=graph)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_that_batch_norms_of_each_process_are_told(device: str) -> None:
    graph = iris_graph(node("BatchNorm1d", "norm"))
    spec = RunSpec(mode="ddp", nproc=3, data=DataSpec(batch_size=10))
    found = told(spec, device, 3, graph)["D695"]
    assert (found.severity, found.params["names"]) == ("warning", "norm")
    assert (found.params["processes"], found.params["share"]) == (3, 4)
    synced = ProcessSpec(sync_norms=True)
    assert not told(RunSpec(mode="ddp", processes=synced), "cuda", 3, graph)
    assert not told(RunSpec(mode="ddp", nproc=1), device, 3, graph)
    assert not told(RunSpec(mode="ddp"), device, 3, iris_graph(node("LayerNorm", "norm")))
    assert not told(RunSpec(), device, 3, graph)
    far = RunSpec(mode="ddp", nproc=1, processes=ProcessSpec(nnodes=2))
    assert "D695" in told(far, device, 1, graph)


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"optimizer": Choice(type="Adafactor")}, "R200", "optimizer"),
        ({"compute": ComputeSpec(compile=True)}, "R201", "compute.compile"),
        ({"compute": ComputeSpec(channels_last=True)}, "R202", "compute.channels_last"),
    ],
)
def test_that_what_dealt_out_weights_exclude_is_told(
    changes: dict[str, object], code: str, field: str
) -> None:
    assert told(RunSpec(mode="fsdp", **changes))[code].field == field
    assert not told(RunSpec(mode="ddp", **changes))
