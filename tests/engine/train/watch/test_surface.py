"""A run draws what it answers over the plane, and trains on as if it did not."""

import itertools
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import torch
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.events import WatchSurface
from engine.query.ask import ask
from engine.query.results.request import DrawSurface
from engine.runs.folder import RunFolder
from engine.runs.record.surface import SURFACES, Surface, SurfacePoint
from engine.spec.plane import Plane, PlaneAxis
from engine.spec.run import Choice, DataSpec, LossTerm, WatchSpec
from engine.train.watch import surface
from engine.train.watch.embedded import looked_up, reads_vectors_alone
from tests.tiny_run import chain, curves, iris_spec, make_run, node, train, weights


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
    watcher = surface.SurfaceWatcher(SimpleNamespace(judging=lambda _output: None), tmp_path, limit)
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
    assert first.names == ("sepal length (cm)", "sepal width (cm)")


WATCH = WatchSpec(statistics=False, limit=0.5)


def digits_run(project) -> RunFolder:
    graph = chain(
        node("Input", "image", field="image", shape=(1, 8, 8)),
        node("Flatten", "flat"),
        node("Dropout", "drop", p=0.5),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )
    data = DataSpec(source=Choice(type="digits"), batch_size=16)
    return RunFolder.create(project, graph, iris_spec(data=data, epochs=2, watch=WATCH), "d")


def sentence_run(project, **params) -> RunFolder:
    """Return a run whose model reads the vectors of the tokens."""
    graph = chain(
        node("Input", "sentence", field="sentence", shape=(16,), dtype="int64"),
        node("Embedding", "vectors", num_embeddings=200, embedding_dim=4, **params),
        node("Flatten", "flat"),
        node("Dropout", "drop", p=0.5),
        node("Linear", "head", out_features=4),
        node("Output", "logits"),
    )
    data = DataSpec(source=Choice(type="sentences", params={"samples": 200}), batch_size=4)
    return RunFolder.create(project, graph, iris_spec(data=data, epochs=2, watch=WATCH), "t")


@pytest.mark.row("S226", "N11")
@pytest.mark.parametrize("kind", ["pictures", "texts", "scaled vectors"])
def test_that_a_plane_through_samples_changes_no_bit_of_the_run(
    kind, tmp_path, monkeypatch
) -> None:
    ticks = itertools.count()  # some steps lie between two surfaces, however long these take
    monkeypatch.setattr(surface, "time", SimpleNamespace(monotonic=lambda: next(ticks)))

    def run_in(folder) -> RunFolder:
        if kind == "pictures":
            return digits_run(folder)
        return sentence_run(folder, **({} if kind == "texts" else {"max_norm": 0.1}))

    plain, watched = run_in(tmp_path / "a"), run_in(tmp_path / "b")
    train(plain)
    watched.send(WatchSurface(every_s=1e-6))
    train(watched)
    assert len(SURFACES.files(watched.artefacts)) > 1
    assert (curves(watched), weights(watched)) == (curves(plain), weights(plain))


def test_that_three_samples_are_of_different_classes_and_others_can_be_drawn(tmp_path) -> None:
    run = digits_run(tmp_path)
    train(run)
    first, again, other = (
        ask(DrawSurface(run_folder=str(run.path), plane=Plane(draw=draw))) for draw in (0, 0, 1)
    )
    assert [each.sample for each in again.points] == [each.sample for each in first.points]
    assert {each.sample for each in other.points}.isdisjoint(each.sample for each in first.points)
    for each in (first, other):
        assert len({point.target for point in each.points}) == 3


@pytest.mark.parametrize(
    ("plane", "code"),
    [
        (Plane(samples=(1, 2, 99999)), "V041"),
        (Plane(samples=(1, 2, 1)), "V044"),
        (Plane(samples=(1, 2)), "V044"),
    ],
)
def test_that_samples_that_span_no_plane_are_refused(plane, code, tmp_path) -> None:
    run = digits_run(tmp_path)
    train(run)
    assert refusal(run, plane) == code


def test_that_columns_that_are_none_and_equal_samples_are_refused(tmp_path) -> None:
    run = make_run(tmp_path, epochs=1)
    train(run)
    axis = PlaneAxis(field="features", column=3)
    assert refusal(run, Plane(axes=(axis, axis))) == "V045"
    assert refusal(run, Plane(axes=(axis, PlaneAxis(field="label")))) == "V045"
    same = (101, 142, 0)  # two flowers of Fisher's with the same numbers
    assert refusal(run, Plane(kind="samples", samples=same)) == "V043"


class Counting(nn.Module):
    """Averages the vectors of tokens, and looks at the tokens where it is told to."""

    def __init__(self, *, looks: bool) -> None:
        super().__init__()
        self.vectors = nn.Embedding(9, 4)
        self.looks = looks

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        mean = self.vectors(tokens).mean(dim=1)
        return mean * (tokens != 0).sum(dim=1, keepdim=True) if self.looks else mean


@pytest.mark.parametrize("looks", [False, True])
def test_that_a_model_that_reads_more_than_vectors_is_found(looks) -> None:
    model = Counting(looks=looks).eval()
    batch = {"text": torch.tensor([[1, 2, 3], [4, 5, 0], [6, 0, 0]])}
    with torch.no_grad():
        found = looked_up(model, lambda given: model(given["text"]), batch, ["text"])
        assert torch.equal(found["text"], model.vectors(batch["text"]))
        is_alone = reads_vectors_alone(model, lambda given: model(given["text"]), batch, found)
    assert is_alone != looks


def test_that_a_model_that_answers_with_a_picture_has_no_surface(tmp_path) -> None:
    graph = chain(
        node("Input", "image", field="image", shape=(1, 8, 8)),
        node("Conv2d", "conv", out_channels=1, kernel_size=1),
        node("Output", "again"),
    )
    inputs = {"input": "model.again", "target": "data.image"}
    data = DataSpec(source=Choice(type="digits"), batch_size=256)
    losses = (LossTerm(loss=Choice(type="MSELoss"), inputs=inputs),)
    spec = iris_spec(data=data, losses=losses, epochs=1)
    run = RunFolder.create(tmp_path, graph, spec, "a")
    train(run)
    assert refusal(run, Plane()) == "V040"


def refusal(run: RunFolder, plane: Plane) -> str:
    with pytest.raises(DiagnosticError) as caught:
        ask(DrawSurface(run_folder=str(run.path), plane=plane))
    return caught.value.problems[0].code


def test_that_a_surface_of_an_earlier_version_can_be_read(tmp_path) -> None:
    earlier = {"step": 3, "x": (0.0, 1.0), "y": (0.0, 1.0), "size": 1, "outputs": 1}
    file = SURFACES.write(
        tmp_path,
        3,
        Surface(**earlier, is_classified=False, values=b"\0\0\0\0", dtype="<f4"),
    )
    assert SURFACES.read(file).points == ()
    content = msgspec.msgpack.encode({**earlier, "is_classified": False, "values": b"\0\0"})
    file.write_bytes(content)
    assert SURFACES.read(file).plane == Plane()
    samples = (SurfacePoint(x=0.0, y=0.5, sample=7, target=1.0),)
    plane = Plane(kind="samples", samples=(7, 8, 9))
    SURFACES.write(
        tmp_path, 3, msgspec.structs.replace(SURFACES.read(file), points=samples, plane=plane)
    )
    assert (SURFACES.read(file).points, SURFACES.read(file).plane) == (samples, plane)
