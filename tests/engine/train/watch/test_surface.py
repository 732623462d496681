"""A run draws what it answers over the plane, and trains on as if it did not."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.events import WatchSurface
from engine.query.ask import ask
from engine.query.results.request import DrawSurface
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.train.watch import surface
from tests.tiny_run import chain, curves, iris_spec, make_run, node, train


def spiral_run(project) -> RunFolder:
    graph = chain(
        node("Input", "point", field="point", shape=(2,)),
        node("Linear", "hidden", out_features=8),
        node("BatchNorm1d", "norm"),
        node("Dropout", "drop", p=0.5),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    term = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.logits", "target": "data.label"},
    )
    data = DataSpec(source=Choice(type="spiral"), normalization="standard")
    return RunFolder.create(project, graph, iris_spec(data=data, losses=(term,), epochs=2), "s")


@pytest.mark.row("S226")
def test_that_drawing_changes_no_number_of_the_run(tmp_path) -> None:
    plain, watched = spiral_run(tmp_path / "a"), spiral_run(tmp_path / "b")
    train(plain)
    watched.send(WatchSurface(every_s=1e-6))
    train(watched)
    files = SURFACES.files(watched.artefacts)
    assert files
    assert not SURFACES.files(plain.artefacts)
    assert curves(watched) == curves(plain)
    first = SURFACES.read(files[0])
    values = np.frombuffer(first.values, first.dtype).reshape(first.outputs, first.size, first.size)
    assert first.outputs == 3
    np.testing.assert_allclose(values.sum(axis=0), 1, atol=1e-5)


@pytest.mark.row("N23")
@pytest.mark.parametrize("limit", [0.5, 0.01])
def test_that_drawing_rests_until_its_share_is_within_the_limit(tmp_path, monkeypatch, limit):
    now = [0.0]

    def draw(_training, step: int, _layout) -> Surface:
        now[0] += 0.25
        ends = (0.0, 1.0)
        return Surface(
            step=step, x=ends, y=ends, size=1, outputs=1, is_classified=False, values=b""
        )

    monkeypatch.setattr(surface, "draw_surface", draw)
    monkeypatch.setattr(surface, "lay_plane", lambda _training, _plane: None)
    monkeypatch.setattr(surface, "time", SimpleNamespace(monotonic=lambda: now[0]))
    watcher = surface.SurfaceWatcher(None, tmp_path, limit)
    watcher.watch(1e-6)
    assert watcher.step_done(1) == 0.25
    now[0] = 0.25 + 0.24 / limit
    assert watcher.step_done(2) == 0
    now[0] = 0.25 + 0.26 / limit
    assert watcher.step_done(3) == 0.25


def test_that_the_surface_of_a_checkpoint_is_what_the_model_answers(tmp_path) -> None:
    run = spiral_run(tmp_path)
    train(run)
    found = ask(DrawSurface(run_folder=str(run.path)))
    from engine.query.trained import open_trained

    with open_trained(run, "last").in_use() as training:
        scaling = training.data.scalings["point"]
        corner = torch.tensor([[found.x[1], found.y[0]]])  # the last of the first row
        expected = training.model(scaling.apply(corner)).softmax(dim=1)[0]
    values = np.frombuffer(found.values, found.dtype).reshape(3, found.size, found.size)
    np.testing.assert_allclose(values[:, 0, -1], expected.numpy(), atol=1e-5)


def test_that_a_table_is_drawn_over_two_columns_of_a_typical_sample(tmp_path) -> None:
    run = make_run(tmp_path, epochs=1)
    run.send(WatchSurface(every_s=1e-6))
    train(run)
    first = SURFACES.read(SURFACES.files(run.artefacts)[0])
    assert first.plane.kind == "columns"
    assert len(first.points) == 1
    assert first.names == ("sepal length", "sepal width")
