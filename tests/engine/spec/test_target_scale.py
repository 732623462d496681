"""First models that predict numbers of any size."""

import csv
import itertools
import math
import random

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.graph.query import OUTPUT
from engine.model.module import to_module
from engine.query.ask import ask
from engine.query.data.request import ProposeData
from engine.runs.folder import RunFolder
from engine.spec.data import TargetScale
from engine.spec.proposal import Answers
from engine.spec.run import Choice, LossTerm
from engine.spec.target_scale import is_of_scale, rescaled, usual_scale
from tests.tiny_run import train


def table(path, of):
    """Write a table of which the last column follows from the first two."""
    draw = random.Random(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("width", "length", "size"))
        for _ in range(150):
            width, length = draw.uniform(1, 9), draw.uniform(1, 9)
            writer.writerow((f"{width:.3f}", f"{length:.3f}", of(width * length)))
    return path


def learned(project, proposal, epochs=20):
    """Return R2 of the test part after a first run, of which the beginning is enough."""
    run = RunFolder.create(project, proposal.graph, replace(proposal.spec, epochs=epochs))
    return train(run).metrics["test.r2"]


@pytest.mark.parametrize(
    "of",
    [
        lambda area: f"{area * 20_000 + 400_000:.0f}",
        lambda area: f"{area * 1e-5:.9f}",
        lambda area: f"{area / 10 + 2000:.3f}",
        lambda area: f"{area * 1e12:.0f}",
        lambda area: f"{area * 1e-10:.6g}",
        lambda area: f"{area * 1e6 + 1.7e9:.0f}",
    ],
    ids=["prices", "tiny", "years", "products_of_countries", "wavelengths", "seconds_of_years"],
)
def test_that_the_first_model_learns_numbers_of_any_size(tmp_path, of):
    path = table(tmp_path / "table.csv", of)
    proposal = ask(ProposeData(path=str(path), target="size"))
    assert {"scale", "shift"} <= set(proposal.graph.nodes)
    assert learned(tmp_path / "project", proposal) > 0.95


def test_that_a_number_of_usual_size_needs_no_scale(tmp_path):
    path = table(tmp_path / "table.csv", lambda area: f"{area / 20:.4f}")
    proposal = ask(ProposeData(path=str(path), target="size"))
    (output,) = [node.id for node in proposal.graph.nodes.values() if node.type == OUTPUT]
    assert [edge.source for edge in proposal.graph.edges if edge.target == output] == ["head"]


@pytest.mark.parametrize("horizon", [1, 3])
def test_that_a_series_of_large_numbers_is_forecast_from_the_start(tmp_path, horizon):
    path = tmp_path / "sales.csv"
    draw = random.Random(0)
    rows = [50_000 + 9000 * math.sin(at * math.tau / 7) + draw.gauss(0, 300) for at in range(150)]
    path.write_text("sales\n" + "\n".join(f"{row:.0f}" for row in rows), encoding="utf-8")
    answers = Answers(source="series", params={"horizon": horizon})
    proposal = ask(ProposeData(path=str(path), target="sales", answers=answers))
    data = load_data(proposal.spec.data)
    target = data.source.read(data.indices["train"].tolist())["target"]
    scale = data.info.target_scale
    assert scale is not None
    assert scale.mean == pytest.approx(float(target.double().mean()), rel=1e-6)
    assert scale.deviation == pytest.approx(float(target.double().std()), rel=1e-6)
    with torch.no_grad():
        found = to_module(proposal.graph).eval()(torch.zeros(1, *data.info.fields[0].shape))
    assert found.shape == (1, horizon)
    assert abs(float(found.mean()) - scale.mean) < 2 * scale.deviation
    assert learned(tmp_path / "project", proposal, epochs=80) > 0.9


def test_that_a_scale_is_rounded_as_far_as_it_may_be():
    assert usual_scale(TargetScale(1953.21, 4.87)) == (1953, 4.9)
    assert usual_scale(TargetScale(612_345.0, 271_828.0)) == (600_000, 270_000)
    assert usual_scale(TargetScale(-3e-6, 2.34e-6)) == (-3e-6, 2.3e-6)
    for scale in (None, TargetScale(3.0, 1.2), TargetScale(5e6, 0.0), TargetScale(0.0, math.nan)):
        assert usual_scale(scale) is None


@pytest.mark.parametrize("kind", ["table", "arrays"])
def test_that_numbers_of_unlike_size_are_learned_together(tmp_path, kind):
    draw = np.random.default_rng(0)
    sides = draw.uniform(1, 9, (200, 2)).astype(np.float32)
    area, ratio = sides[:, :1] * sides[:, 1:], sides[:, :1] / sides[:, 1:]
    sizes = np.concatenate([3e5 + 2e4 * area, 1e-5 * ratio], axis=1)
    path = tmp_path / ("data.csv" if kind == "table" else "data.npz")
    if kind == "table":
        rows = np.concatenate([sides, sizes], axis=1)
        np.savetxt(path, rows, "%.9g", ",", header="a,b,price,share", comments="")
    else:
        np.savez(path, x=sides, y=sizes.astype(np.float32))
    target = "price,share" if kind == "table" else ""
    proposal = ask(ProposeData(path=str(path), target=target))
    assert {"deviations", "means"} <= set(proposal.graph.nodes)
    assert learned(tmp_path / "project", proposal, epochs=50) > 0.95  # the mean of both


def test_that_numbers_of_like_size_have_one_scale(tmp_path):
    draw = np.random.default_rng(0)
    sides = draw.uniform(1, 9, (400, 2)).astype(np.float32)
    np.savez(tmp_path / "data.npz", x=sides, y=1000 * sides)
    proposal = ask(ProposeData(path=str(tmp_path / "data.npz")))
    assert {"scale", "shift"} <= set(proposal.graph.nodes)
    assert "deviations" not in proposal.graph.nodes


@pytest.mark.parametrize(("spread", "is_told"), [(10, True), (1e7, False)])
def test_that_numbers_are_told_which_float32_cannot_tell_apart(tmp_path, spread, is_told):
    path = table(tmp_path / "table.csv", lambda area: f"{1.7e9 + spread * area:.1f}")
    problems = ask(ProposeData(path=str(path), target="size")).info.problems
    assert ("D710" in {problem.code for problem in problems}) is is_told


@pytest.mark.parametrize(("base", "is_told"), [(1.7e9, True), (3.0, False)])
def test_that_numbers_are_told_that_float32_makes_one_of(tmp_path, base, is_told):
    path = table(tmp_path / "table.csv", lambda area: f"{base + area * 1e-9:.10f}")
    problems = ask(ProposeData(path=str(path), target="size")).info.problems
    assert ("D711" in {problem.code for problem in problems}) is is_told


def test_that_a_model_takes_the_scale_of_another_target(tmp_path):
    path = table(tmp_path / "table.csv", lambda area: f"{area * 20_000 + 400_000:.0f}")
    of_size, of_width, of_both = (
        ask(ProposeData(path=str(path), target=target))
        for target in ("size", "width", "size,width")
    )
    made = {"scale", "shift", "deviations", "means"}
    for before, after in itertools.permutations((of_size, of_width, of_both), 2):
        found = rescaled(before.graph, after.info)
        wanted = after.graph if made & set(before.graph.nodes) else before.graph
        assert {name: found.nodes[name].params for name in made & set(found.nodes)} == {
            name: wanted.nodes[name].params for name in made & set(wanted.nodes)
        }
        (output,) = [node.id for node in found.nodes.values() if node.type == OUTPUT]
        (last,) = [edge.source for edge in found.edges if edge.target == output]
        assert last == ("shift" if "shift" in found.nodes else "head")


def test_that_a_model_whose_scale_is_cut_off_stays_as_it_is(tmp_path):
    path = table(tmp_path / "table.csv", lambda area: f"{area * 20_000 + 400_000:.0f}")
    found = ask(ProposeData(path=str(path), target="size"))
    other = ask(ProposeData(path=str(path), target="width"))
    edges = tuple(edge for edge in found.graph.edges if edge.source != "scale")
    cut = replace(found.graph, edges=edges)
    assert rescaled(cut, other.info) == cut


@pytest.mark.parametrize(("weight", "is_so"), [(0.5, False), (1.0, False), (1e-24, True)])
def test_that_a_weight_of_the_user_does_not_go_by_the_size_of_numbers(weight, is_so):
    term = LossTerm(loss=Choice(type="MSELoss"), weight=weight)
    assert is_of_scale((term,)) is is_so
