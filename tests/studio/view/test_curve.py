"""In which chart a curve of a run belongs, and what it is called there."""

from pathlib import Path

import numpy as np
import pytest

from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_curves, present_metrics
from tests.tiny_run import iris_graph, iris_spec


@pytest.mark.row("S205")
def test_that_the_parts_of_a_loss_are_in_its_chart_with_the_name_of_their_term(
    tmp_path: Path,
) -> None:
    folder = RunFolder.create(tmp_path, iris_graph(), iris_spec())
    labels = {
        "train.loss": "training loss",
        "train.loss.MSELoss": "training loss, MSELoss",
        "train.loss.L1Loss.2": "training loss, L1Loss 2",
        "train.loss.kl": "training loss, kl",  # an output of the model
        "train.loss.ranking": "training loss, ranking",
        "train.loss.rank1": "training loss of rank 1",
        "train.loss.phase1": "training loss, Phase 1",
        "train.loss.distillation": "training distance to the teacher",
        "validation.loss": "validation loss",
    }
    points = (np.array([1, 2]), np.array([0.1, 0.2]))
    curves = dict.fromkeys((*labels, "train.accuracy"), points)
    update = RunUpdate(folder=folder, state=RunState(), curves=curves, starts=1)
    series = present_curves(update, "loss").series
    assert {one.name: one.label for one in series} == labels
    assert len({one.color for one in series}) > 5
    shown = {one.name for chart in present_metrics(update).values() for one in chart.series}
    assert shown == {"train.accuracy"}
