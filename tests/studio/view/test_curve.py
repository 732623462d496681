"""In which chart a curve of a run belongs, and what it is called there."""

from pathlib import Path

import numpy as np
import pytest

from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from studio.runs.rows import present_overlay
from studio.session.run_follower import RunUpdate
from studio.view.curve import present_curves, present_metrics
from studio.view.run import short_labels
from tests.tiny_gan import gan_graph, gan_spec
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


def test_that_metrics_have_short_names_that_stay_apart():
    names = ("train.accuracy", "validation.accuracy", "train.spot:mae", "train.spot:mae.center_x")
    assert [*short_labels(names).values()] == [
        "train accuracy",
        "val. accuracy",
        "train mae",
        "train mae center_x",
    ]
    both = short_labels(("train.mae", "train.spot:mae", "train.spot:r2"))
    assert [*both.values()] == ["train mae", "train mae, spot", "train r2"]


@pytest.mark.row("S171")
def test_that_phases_that_take_turns_have_a_line_each_in_a_colour_of_its_own(
    tmp_path: Path,
) -> None:
    folder = RunFolder.create(tmp_path, gan_graph(), gan_spec())
    points = (np.array([1, 2]), np.array([0.1, 0.2]))
    names = ["train.loss", *(f"train.loss.{term}" for term in ("real", "fake", "fooled"))]
    names += ["train.loss.phase1", "train.loss.phase2", "validation.loss"]
    update = RunUpdate(
        folder=folder, state=RunState(), curves=dict.fromkeys(names, points), starts=1
    )
    series = present_curves(update, "loss").series
    assert {one.label: one.dash for one in series} == {
        "training loss, discriminator": "solid",
        "training loss, generator": "solid",
        "validation loss": "solid",
        "training loss, real": "dash",
        "training loss, fake": "dash",
        "training loss, fooled": "dash",
    }
    assert len({one.color % 8 for one in series}) == len(series)
    by_name = {one.name: one for one in series}
    assert by_name["train.loss.phase1"].color == 0
    assert by_name["validation.loss"].color == 1
    assert by_name["validation.loss"].is_strong


@pytest.mark.row("S171")
def test_that_phases_have_their_lines_and_names_among_runs_too(tmp_path: Path) -> None:
    points = (np.array([1, 2]), np.array([0.1, 0.2]))
    names = ("train.loss", "train.loss.phase1", "train.loss.phase2", "validation.loss")
    curves = {"r": dict.fromkeys(names, points)}
    view = present_overlay(curves, {"r": "first"}, "loss", {"r": gan_spec()})
    assert [one.label for one in view.series] == [
        "training loss, discriminator",
        "training loss, generator",
        "validation loss",
    ]
    assert len({one.color for one in view.series}) == 3
