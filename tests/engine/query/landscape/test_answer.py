"""Landscapes and races compute what training computes."""

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from engine.data.load.loader import in_order
from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import apply
from engine.graph.model import Initial
from engine.graph.node_state.initialization import SetInitial
from engine.model.module import to_module
from engine.query.landscape import answer
from engine.query.landscape.answer import draw_landscape
from engine.query.landscape.request import (
    DrawLandscape,
    LandscapeDone,
    LandscapeFailed,
    LandscapePlane,
    LandscapeProgress,
    LandscapeValues,
    RaceFunction,
    RaceLosses,
    RaceModel,
    Racer,
    RacerOut,
)
from engine.query.race.answer import race_function, race_model
from engine.query.trained import open_trained
from engine.runs.follow import read_state
from engine.runtime.job.request_job import LandscapeJob
from engine.spec.run import Choice, ComputeSpec, PhaseSpec
from engine.train import model_placement, training
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.part_evaluation import evaluate_part
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import RANDOM_LAYERS, curves, iris_graph, iris_spec, make_run, train

RECIPE = Racer(optimizer=Choice(type="AdamW", params={"lr": 0.01}), is_recipe=True)


def racer(kind: str, rate: float, **params: object) -> Racer:
    return Racer(optimizer=Choice(type=kind, params={"lr": rate, **params}))


def the(kind: type, told: list):
    found = [message for message in told if isinstance(message, kind)]
    assert len(found) == 1, found
    return found[0]


def values(told: list) -> list[float | None]:
    found: list[float | None] = []
    for message in told:
        if isinstance(message, LandscapeValues):
            assert message.start == len(found)
            found += message.values
    return found


def losses(told: list, count: int) -> list[list[float]]:
    found: list[list[float]] = [[] for _ in range(count)]
    for message in told:
        if isinstance(message, RaceLosses):
            for one, new in zip(found, message.losses, strict=True):
                one.extend(new)
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = make_run(tmp_path_factory.mktemp("project"), epochs=3)
    train(run)
    return run


@pytest.mark.row("N17")
def test_that_the_centre_of_a_landscape_is_the_loss_that_a_run_measures(run):
    told: list = []
    request = DrawLandscape(run_folder=str(run.path), directions="random", size=3, samples=0)
    draw_landscape(request, told.append)
    with open_trained(run, "last").in_use() as training:
        expected = evaluate_part(training, "train")["loss"]
        count = training.data.samples("train")
    plane = the(LandscapePlane, told)
    assert (plane.samples, plane.run, plane.step) == (count, run.document.name, 12)
    assert len(values(told)) == 9
    assert values(told)[4] == pytest.approx(expected, rel=1e-5)
    done = [message for message in told if isinstance(message, LandscapeProgress)][-1]
    assert (done.phase, done.done, done.total) == ("grid", 9, 9)


@pytest.mark.row("N17")
def test_that_the_way_of_a_run_leads_from_its_start_to_the_centre(run):
    told: list = []
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=3, samples=32), told.append)
    plane = the(LandscapePlane, told)
    way = plane.ways[0]
    assert way.steps[0] == 0
    assert not plane.missing
    assert way.steps[-1] == 12
    assert (way.x[-1], way.y[-1]) == (pytest.approx(0, abs=1e-5), pytest.approx(0, abs=1e-5))
    assert abs(way.x[0]) > 0.01
    assert all(plane.x.low < x < plane.x.high for x in way.x)
    assert all(plane.y.low < y < plane.y.high for y in way.y)
    assert plane.x.share + plane.y.share <= 1 + 1e-6


@pytest.mark.row("N17")
def test_that_the_way_ends_at_the_centre_though_the_run_goes_on_and_deletes_it(
    tmp_path, monkeypatch
):
    run = make_run(tmp_path, epochs=3)
    train(run)

    def read(folder):
        for file in folder.checkpoints.iterdir():
            file.unlink()
        return read_state(folder)

    monkeypatch.setattr(answer, "read_state", read)
    told: list = []
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), told.append)
    plane = the(LandscapePlane, told)
    assert (plane.step, plane.ways[0].steps) == (12, (0, 12))


@pytest.mark.row("N17")
def test_that_the_start_is_made_anew_where_its_checkpoint_goes_while_the_way_is_read(
    tmp_path, monkeypatch
):
    run = make_run(tmp_path, epochs=1)
    start = train(run).checkpoints[0]
    assert start.step == 0

    def gone(folder, file):
        if file == start.file:
            (folder.checkpoints / file).unlink()
        return open_checkpoint(folder, file)

    monkeypatch.setattr(answer, "open_checkpoint", gone)
    told: list = []
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), told.append)
    assert the(LandscapePlane, told).ways[0].steps == (0, 4)


@pytest.mark.row("N17")
def test_that_a_checkpoint_that_goes_while_the_way_is_read_is_passed_over(tmp_path, monkeypatch):
    run = make_run(tmp_path, epochs=3)
    first, *others = (each.file for each in train(run).checkpoints)

    def gone(folder, file):
        if file == first:
            (folder.checkpoints / file).unlink(missing_ok=True)
        return open_checkpoint(folder, file)

    monkeypatch.setattr(answer, "open_checkpoint", gone)
    told: list = []
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), told.append)
    assert len(the(LandscapePlane, told).ways[0].steps) == 1 + len(others)
    (run.checkpoints / others[0]).write_bytes(b"damaged")
    with pytest.raises(DiagnosticError):
        draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), told.append)


def test_that_a_way_whose_start_cannot_be_made_anew_says_why(tmp_path):
    weights = tmp_path / "first.npy"
    np.save(weights, np.zeros((8, 4), dtype=np.float32))
    initial = Initial(type="file", params={"file": weights.name})
    graph = apply(SetInitial(ids=("hidden",), weight="weight", initial=initial), iris_graph())
    run = make_run(tmp_path, graph, epochs=1)
    first = train(run).checkpoints[0]
    (run.checkpoints / first.file).unlink()  # as in a longer run, which keeps the last ones
    weights.unlink()
    told: list = []
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), told.append)
    plane = the(LandscapePlane, told)
    assert plane.ways[0].steps == (4,)
    assert [problem.params["file"] for problem in plane.missing] == [str(weights)]


def test_that_only_as_many_points_of_a_way_are_kept_as_fit_into_memory(run, monkeypatch):
    weights = 4 * sum(value.numel() for value in to_module(run.document.graph).parameters())
    assert answer.most_points(to_module(run.document.graph)) == 40
    monkeypatch.setattr(answer, "_MEMORY", 12 * weights)
    assert answer.most_points(to_module(run.document.graph), 2) == 6
    assert answer.most_points(to_module(run.document.graph), 100) == 3
    assert answer.evenly(list(range(10)), 3) == [0, 4, 9]
    asked: list[int] = []
    monkeypatch.setattr(answer, "evenly", lambda steps, most: asked.append(most) or steps)
    draw_landscape(DrawLandscape(run_folder=str(run.path), size=2, samples=32), lambda _: None)
    assert asked == [12]


@pytest.mark.row("N17")
def test_that_the_recipe_races_exactly_as_its_run_trains(run, tmp_path):
    told: list = []
    request = RaceModel(
        graph=iris_graph(*RANDOM_LAYERS),
        spec=iris_spec(epochs=3),
        racers=(racer("SGD", 0.1), RECIPE, racer("SGD", 0.1)),
        project=str(tmp_path),
        steps=12,
        size=3,
        samples=32,
    )
    race_model(request, told.append)
    first, recipe, again = losses(told, 3)
    steps, recorded = curves(run)["train.loss"]
    assert steps == list(range(1, 13))
    assert torch.tensor(recipe, dtype=torch.float64).numpy().tobytes() == recorded
    assert first == again != recipe
    assert first[0] == recipe[0]  # the same start, the same batch
    plane = the(LandscapePlane, told)
    assert [way.racer for way in plane.ways] == [0, 1, 2]
    starts = {(round(way.x[0], 4), round(way.y[0], 4)) for way in plane.ways}
    assert len(starts) == 1


@pytest.mark.row("N17", "S171")
def test_that_racers_take_the_place_of_the_optimizer_of_a_phase(tmp_path):
    muon = PhaseSpec(parameters="matrices", optimizer=Choice(type="Muon", params={"lr": 0.02}))
    decay = Choice(type="ExponentialLR", params={"gamma": 0.5})
    graph, spec = iris_graph(*RANDOM_LAYERS), iris_spec(phases=(replace(muon, scheduler=decay),))
    rival = racer("SGD", 0.1)
    told: list = []
    request = RaceModel(
        graph=graph, spec=spec, racers=(rival, RECIPE), phase=1, steps=12, size=2, samples=32
    )
    race_model(request, told.append)
    own = replace(muon, optimizer=rival.optimizer)
    for raced, recipe in zip(losses(told, 2), (replace(spec, phases=(own,)), spec), strict=True):
        trained = make_run(tmp_path, graph, phases=recipe.phases)
        train(trained)
        recorded = curves(trained)["train.loss"][1]
        assert torch.tensor(raced, dtype=torch.float64).numpy().tobytes() == recorded


@pytest.mark.row("N17")
def test_that_an_optimizer_that_cannot_share_a_step_is_out_of_a_race_in_phases():
    spec = iris_spec(phases=(PhaseSpec(match="head", optimizer=Choice(type="SGD")),))
    racers = (RECIPE, Racer(optimizer=Choice(type="LBFGS", params={"lr": 0.1})))
    told: list = []
    race_model(
        RaceModel(graph=iris_graph(), spec=spec, racers=racers, steps=3, size=2), told.append
    )
    out = the(RacerOut, told)
    assert (out.number, out.step, out.problem.code) == (1, 0, "R504")


@pytest.mark.row("N17")
def test_that_phases_with_losses_of_their_own_do_not_race_and_say_why():
    told: list = []
    with pytest.raises(DiagnosticError) as refused:
        race_model(RaceModel(graph=gan_graph(), spec=gan_spec(), racers=(RECIPE,)), told.append)
    assert [each.code for each in refused.value.problems] == ["R512"]
    assert not told


def test_that_each_racer_trains_its_own_model_where_a_run_splits_batches(monkeypatch):
    monkeypatch.setattr(training, "split_over_gpus", lambda network, _device: network)
    raced = []
    for mode in ("process", "dp"):
        told: list = []
        request = RaceModel(
            graph=iris_graph(), spec=iris_spec(mode=mode), racers=(RECIPE,), steps=4, size=2
        )
        race_model(request, told.append)
        raced.append(losses(told, 1))
    assert raced[0] == raced[1]


def test_that_the_model_of_each_racer_lies_on_the_devices_of_the_run(monkeypatch):
    placed = []
    monkeypatch.setattr(
        model_placement, "place_parts", lambda _, parts, device: placed.append(parts)
    )
    spec = iris_spec(compute=ComputeSpec(placement="head=cpu"))
    racers = (RECIPE, racer("SGD", 0.1))
    request = RaceModel(graph=iris_graph(), spec=spec, racers=racers, steps=4, size=2)
    race_model(request, lambda _message: None)
    assert placed == 3 * [{"head": torch.device("cpu")}], "that of the data, and two racers"


@pytest.mark.row("N17")
def test_that_a_racer_that_diverges_is_out_and_the_others_go_on():
    told: list = []
    request = RaceModel(
        graph=iris_graph(),
        spec=iris_spec(),
        racers=(racer("SGD", 1e30), racer("SGD", 0.1), racer("Muon", 0.01)),
        steps=8,
        size=2,
    )
    race_model(request, told.append)
    out = {message.number: message.problem.code for message in told if type(message) is RacerOut}
    assert out == {0: "V021", 2: "R116"}
    assert len(losses(told, 3)[1]) == 8
    assert len(values(told)) == 4


def test_that_a_race_that_nobody_survives_says_so():
    racers = (racer("SGD", 1e30),)
    request = RaceModel(graph=iris_graph(), spec=iris_spec(), racers=racers, steps=8)
    with pytest.raises(DiagnosticError) as caught:
        race_model(request, lambda _message: None)
    assert caught.value.problems[0].code == "V023"


@pytest.mark.row("N17")
def test_that_optimizers_find_the_minimum_of_a_function_or_fly_off():
    told: list = []
    racers = (racer("Adam", 0.1), racer("SGD", 0.5), racer("LBFGS", 1.0))
    race_function(RaceFunction(function="rosenbrock", racers=racers, steps=1000), told.append)
    plane = the(LandscapePlane, told)
    assert plane.minima == ((1.0, 1.0),)
    assert len(values(told)) == plane.size**2
    adam, lost, newton = plane.ways
    assert (adam.x[-1], adam.y[-1]) == (pytest.approx(1, abs=0.1), pytest.approx(1, abs=0.2))
    assert (newton.x[-1], newton.y[-1]) == (pytest.approx(1, abs=1e-3), pytest.approx(1, abs=1e-3))
    assert len(lost.steps) < 1000
    assert the(RacerOut, told).number == 1


@pytest.mark.real
@pytest.mark.row("N17")
def test_that_a_landscape_comes_from_a_process_of_its_own_or_tells_why_not(tmp_path):
    told: list = []
    racers = (racer("Adam", 0.1),)
    job = LandscapeJob(RaceFunction(function="beale", racers=racers, steps=20), told.append)
    job.start()
    job.wait()
    assert type(told[-1]) is LandscapeDone
    assert the(LandscapePlane, told).ways[0].steps[-1] == 20
    told.clear()
    job = LandscapeJob(DrawLandscape(run_folder=str(tmp_path / "gone")), told.append)
    job.start()
    job.wait()
    assert [type(message) for message in told] == [LandscapeFailed]


@pytest.mark.row("N17")
def test_that_samples_that_do_not_fit_into_memory_are_read_anew_for_each_point(run, monkeypatch):
    request = DrawLandscape(run_folder=str(run.path), directions="random", size=2, samples=0)
    reads: list[int] = []

    def counted(part, size, order):
        reads.append(len(order))
        return in_order(part, size, order)

    monkeypatch.setattr(answer, "in_order", counted)
    kept: list = []
    draw_landscape(request, kept.append)
    assert len(reads) == 1
    monkeypatch.setattr(answer, "_KEPT_BYTES", 0)
    anew: list = []
    draw_landscape(request, anew.append)
    assert len(reads) == 1 + 2 * 2
    assert values(anew) == values(kept)
