"""Latent variables of a model: what is drawn from them, and where samples lie."""

import numpy as np
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.graph.latent import latent_parts
from engine.query.ask import ask
from engine.query.latent.request import Decode, DescribeLatent
from engine.query.results.answer import kept_model
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec
from tests.tiny_autoencoder import LOSSES, SIDE, SIZE, autoencoder
from tests.tiny_diffusion import diffusion_graph
from tests.tiny_run import make_run, train

SHAPE = (1, SIDE, SIDE)
DATA = DataSpec(
    source=Choice(type="digits", params={"size": SIDE}), batch_size=500, normalization="standard"
)


def trained_run(folder, rows=SIDE) -> RunFolder:
    run = make_run(folder, autoencoder(rows), data=DATA, losses=LOSSES, metrics=(), epochs=1)
    assert train(run).problem is None
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    return trained_run(tmp_path_factory.mktemp("project"))


def numbers(values: bytes, *shape: int) -> np.ndarray:
    return np.frombuffer(values, np.float32).reshape(-1, *shape)


def test_that_points_are_decoded_in_the_numbers_of_the_data(run):
    points = np.array([[0, 0, 0], [1, -2, 0.5]], np.float32)
    decoded = ask(Decode(run_folder=str(run.path), latents=points.tobytes()))
    assert (decoded.field, decoded.shape, decoded.latents) == ("image", SHAPE, points.tobytes())
    training = kept_model(str(run.path), "best").training
    with torch.no_grad():
        drawn = training.model.draw.pixels(torch.from_numpy(points))
    expected = training.data.scalings["image"].undo(drawn.reshape(-1, *SHAPE))
    np.testing.assert_allclose(numbers(decoded.values, *SHAPE), expected, rtol=1e-5, atol=1e-6)


def test_that_held_out_samples_lie_at_their_means_with_their_classes(run):
    space = ask(DescribeLatent(run_folder=str(run.path)))
    assert (space.field, space.size, space.shape) == ("image", SIZE, SHAPE)
    assert space.classes == tuple("0123456789")
    training = kept_model(str(run.path), "best").training
    samples = training.data.raw(training.data.indices["test"].tolist())
    given, means = numbers(space.values, *SHAPE), numbers(space.means, SIZE)
    assert len(given) == len(means) == len(space.labels) > 100
    assert (given == samples["image"].numpy()[: len(given)]).all(), "not normalised"
    assert list(space.labels) == samples["label"].tolist()[: len(given)]
    with torch.no_grad():
        flat = training.normalized("image", samples["image"]).flatten(1)
        expected = training.model.net.centre(flat)[: len(means)]
    np.testing.assert_allclose(means, expected, rtol=1e-5, atol=1e-6)


def test_that_random_points_follow_from_the_seed_and_are_normally_distributed(run):
    def drawn(seed):
        return ask(Decode(run_folder=str(run.path), samples=2000, seed=seed))

    first = drawn(0)
    assert first == drawn(0)
    assert first.latents != drawn(1).latents
    points = numbers(first.latents, SIZE)
    assert len(points) == len(numbers(first.values, *SHAPE)) == 2000
    assert points.mean(axis=0) == pytest.approx([0, 0, 0], abs=0.1)
    assert points.std(axis=0) == pytest.approx([1, 1, 1], abs=0.1)


def test_that_a_model_is_recognized_by_its_two_blocks(run):
    parts = latent_parts(autoencoder())
    assert parts is not None
    assert (parts.encoder.id, parts.decoder.id, parts.field) == ("net", "draw", "image")
    assert (parts.mean, parts.drawn) == (1, 1), "by name"
    assert latent_parts(diffusion_graph()) is None
    described = ask(DescribeModel(run_folder=str(run.path)))
    assert (described.decodes, described.makes_samples) == ("image", True)


def test_that_what_cannot_be_is_told(run, tmp_path):
    def code(request):
        with pytest.raises(DiagnosticError) as told:
            ask(request)
        return told.value.problems[0].code

    flowers = make_run(tmp_path / "flowers", epochs=1)
    train(flowers)
    assert code(Decode(run_folder=str(flowers.path))) == "P080"
    assert code(DescribeLatent(run_folder=str(flowers.path))) == "P080"
    assert not ask(DescribeModel(run_folder=str(flowers.path))).makes_samples
    assert code(Decode(run_folder=str(run.path), latents=bytes(4 * (SIZE + 1)))) == "P081"
    assert code(Decode(run_folder=str(run.path), samples=10_000_000)) == "P073"
    low = trained_run(tmp_path / "low", SIDE - 1)
    assert code(DescribeLatent(run_folder=str(low.path))) == "P082"
