"""What a run waits for its device for: numbers that are told, and no others."""

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from engine.model.module import to_module
from engine.train.finite import checked_loss
from engine.train.metrics import EpochMeter
from engine.train.part_evaluation import evaluate_part
from engine.train.training import build_training
from tests.tiny_run import iris_graph, iris_spec

META = torch.device("meta")  # raises when a number is asked for


class _Reads(TorchDispatchMode):
    """Counts the numbers that are taken from the device."""

    count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


@pytest.mark.row("S296")
def test_that_evaluating_reads_no_number_batch_by_batch() -> None:
    graph = iris_graph()
    training = build_training(graph, iris_spec(metrics=()), to_module(graph))
    batches = len(list(training.part_batches("train")))
    plain = evaluate_part(training, "train")
    with _Reads() as reads:
        measured = evaluate_part(training, "train")
    assert batches > 1
    assert reads.count < batches
    assert measured == plain


@pytest.mark.row("S296")
def test_that_loss_and_measures_of_a_step_stay_on_the_device() -> None:
    assert checked_loss(torch.zeros((), device=META), {}).device == META
    graph = iris_graph()
    training = build_training(graph, iris_spec(), to_module(graph))
    meter = EpochMeter(("accuracy",), training.comparison, META)
    batch = {"label": torch.zeros(8, dtype=torch.int64, device=META)}
    meter.observe(torch.zeros(8, 3, device=META), batch)
