"""Every kind of data has a decision surface, or a sentence that says why it has none."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.events import WatchSurface
from engine.query.ask import ask
from engine.query.results.request import DrawSurface
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.plane import Plane, PlaneAxis
from engine.train.predicted import predictions
from tests.exported_kinds import KINDS, proposed
from tests.tiny_run import train

pytestmark = [
    pytest.mark.real,
    pytest.mark.row("S226", "S318"),
    pytest.mark.usefixtures("unconfined"),  # of the sandbox tell others
]
NONE = {"masks": "V037", "boxes": "V038", "language_model": "V039"}


def trained(folder: Path, name: str, *, is_watched: bool = False) -> RunFolder:
    (folder / "data").mkdir(parents=True)
    graph, spec = proposed(KINDS[name], folder / "data")
    run = RunFolder.create(folder / "project", graph, spec)
    if is_watched:
        run.send(WatchSurface(every_s=1e-6))
    train(run, trusted=True)
    set_trust(KINDS[name].code, trusted=True)
    return run


@dataclass(frozen=True)
class Drawn:
    """A surface, with the model that it is of."""

    surface: Surface
    model: Trained

    def at(self, row: int, column: int) -> np.ndarray:
        surface = self.surface
        shape = (surface.outputs, surface.size, surface.size)
        return np.frombuffer(surface.values, surface.dtype).reshape(shape)[:, row, column]

    def point(self, row: int, column: int) -> tuple[float, float]:
        size = self.surface.size
        x, y = (torch.linspace(*ends, size) for ends in (self.surface.x, self.surface.y))
        return float(x[column]), float(y[row])

    def answer(self, batch: dict[str, torch.Tensor]) -> np.ndarray:
        """Return what the model says about a batch of one, before normalisation."""
        with self.model.in_use() as training:
            inputs = [training.normalized(name, batch[name]) for name in training.input_fields]
            return predictions(training, training.model(*inputs))[0].numpy()

    def raw(self, number: int) -> dict[str, torch.Tensor]:
        return self.model.training.data.raw([number])


def drawn(run: RunFolder, plane: Plane = Plane()) -> Drawn:  # noqa: B008
    surface = ask(DrawSurface(run_folder=str(run.path), plane=plane))
    return Drawn(surface, open_trained(run, "last"))


def test_that_a_table_with_categories_is_drawn_over_two_of_its_columns(tmp_path) -> None:
    run = trained(tmp_path, "table", is_watched=True)
    assert len(SURFACES.files(run.artefacts)) == 1
    axes = (PlaneAxis(field="features", column=1), PlaneAxis(field="features", column=0))
    found = drawn(run, Plane(axes=axes, samples=(7,)))
    surface = found.surface
    assert surface.names == ("height", "age")
    row, column = 3, surface.size - 1
    x, y = found.point(row, column)
    batch = found.raw(7)
    place = (float(batch["features"][0, 1]), float(batch["features"][0, 0]))
    assert [(point.sample, point.x, point.y) for point in surface.points] == [(7, *place)]
    batch["features"][0, 1], batch["features"][0, 0] = x, y
    np.testing.assert_allclose(found.at(row, column), found.answer(batch), rtol=1e-5)
    other = drawn(run, Plane(axes=axes, samples=(8,)))
    assert other.surface.values != surface.values
    by_samples = drawn(run, Plane(kind="samples")).surface
    assert by_samples.held == ("categories",)
    assert not by_samples.embedded


def test_that_pictures_are_drawn_over_the_plane_of_three_of_them(tmp_path) -> None:
    run = trained(tmp_path, "pictures", is_watched=True)
    assert len(SURFACES.files(run.artefacts)) == 1
    found = drawn(run, Plane(samples=(3, 11, 5)))
    surface = found.surface
    rows = torch.cat([found.raw(number)["image"] for number in (3, 11, 5)])
    a, b, c = found.model.training.normalized("image", rows).double().flatten(1)
    first = (b - a) / (b - a).norm()
    second = c - a - ((c - a) @ first) * first
    second /= second.norm()
    wanted = [((p - a) @ first, (p - a) @ second) for p in (a, b, c)]
    for point, (x, y) in zip(surface.points, wanted, strict=True):
        assert (point.x, point.y) == pytest.approx((float(x), float(y)), abs=1e-3)
    x, y = found.point(4, 9)
    image = (a + x * first + y * second).reshape(1, *rows.shape[1:]).float()
    with found.model.in_use() as training:
        expected = predictions(training, training.model(image))[0].numpy()
    np.testing.assert_allclose(found.at(4, 9), expected, atol=1e-4)
    labels = found.model.training.data.source.column("label")
    assert [point.target for point in surface.points] == labels[[3, 11, 5]].tolist()


def test_that_texts_are_drawn_between_the_vectors_of_their_tokens(tmp_path) -> None:
    run = trained(tmp_path, "built_in_sentences", is_watched=True)
    assert len(SURFACES.files(run.artefacts)) == 1
    found = drawn(run)
    numbers = [point.sample for point in found.surface.points]
    assert found.surface.embedded == ("sentence",)
    assert len({point.target for point in found.surface.points}) == 3
    tokens = torch.cat([found.raw(number)["sentence"] for number in numbers])
    with found.model.in_use() as training:
        (table,) = (each for each in training.model.modules() if isinstance(each, nn.Embedding))
        a, b, c = table(tokens).flatten(1)
        first = (b - a) / (b - a).norm()
        second = c - a - ((c - a) @ first) * first
        second /= second.norm()
        x, y = found.point(10, 2)
        between = (a + x * first + y * second).reshape(tokens.shape[1], -1)
        known = len(table.weight)
        table.weight = nn.Parameter(torch.cat((table.weight, between)))
        there = torch.arange(known, known + len(between))[None]
        expected = predictions(training, training.model(there))[0].numpy()
    np.testing.assert_allclose(found.at(10, 2), expected, atol=1e-5)


@pytest.mark.parametrize("name", NONE)
def test_that_what_answers_with_no_class_says_why_it_has_no_surface(name, tmp_path) -> None:
    run = trained(tmp_path, name, is_watched=True)
    assert not SURFACES.files(run.artefacts)
    assert [each.code for each in read_state(run).warnings].count(NONE[name]) == 1
    with pytest.raises(DiagnosticError) as caught:
        drawn(run)
    assert [problem.code for problem in caught.value.problems] == [NONE[name]]
