"""Samples of the generator of a GAN: how it is found in the graph, and what comes out."""

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.draft import Draft
from engine.graph.generator import generator_parts
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.generator.request import Sampled, SampleGenerator
from engine.query.results.answer import kept_model
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from tests.tiny_autoencoder import autoencoder
from tests.tiny_diffusion import diffusion_graph
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import make_run, train


def trained_run(folder, **changes: object) -> RunFolder:
    spec = gan_spec(**changes)
    run = RunFolder.create(folder, gan_graph(), spec, "First")
    assert train(run).problem is None
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    data = replace(gan_spec().data, normalization="standard")
    return trained_run(tmp_path_factory.mktemp("project"), data=data)


def points(made: Sampled) -> np.ndarray:
    return np.frombuffer(made.values, np.float32).reshape(-1, *made.shape)


def test_that_samples_are_what_the_generator_makes_in_the_numbers_of_the_data(run):
    made = ask(SampleGenerator(run_folder=str(run.path), checkpoint="last", samples=50, seed=4))
    assert (made.field, made.shape, len(points(made))) == ("point", (2,), 50)
    trained = kept_model(str(run.path), "last")
    training, seen = trained.training, list[torch.Tensor]()
    handle = training.model.generator.register_forward_hook(lambda *given: seen.append(given[1][0]))
    assert ask(SampleGenerator(run_folder=str(run.path), checkpoint="last", samples=50, seed=4))
    handle.remove()
    (noise,) = seen
    assert (float(noise.mean()), float(noise.std())) == pytest.approx((0, 1), abs=0.3)
    with torch.no_grad():
        scaled = training.model.generator(noise)
    expected = training.data.scalings["point"].undo(scaled)
    np.testing.assert_allclose(points(made), expected, rtol=1e-5, atol=1e-6)


def test_that_samples_follow_from_the_seed_and_leave_other_random_numbers_alone(run):
    def asked(seed):
        return ask(SampleGenerator(run_folder=str(run.path), samples=30, seed=seed))

    before = torch.get_rng_state()
    first = asked(0)
    assert first == asked(0)
    assert first.values != asked(1).values
    assert torch.equal(before, torch.get_rng_state())


def test_that_the_distance_to_held_out_data_is_told(run):
    made = ask(SampleGenerator(run_folder=str(run.path), samples=9))
    assert len(made.held_out) // 8 == 9
    assert made.distance is not None
    assert made.distance_of_data is not None
    assert made.distance > made.distance_of_data, "it has learned next to nothing"


def conditional() -> Graph:
    """Return a GAN whose generator is told something of the data."""
    blocks = gan_graph().blocks
    draft = Draft(blocks).put("point", "Input", field="point", shape=(2,))
    draft.put("discriminator", "block.Discriminator").put("real", "Output")
    draft.put("noise", "randn_like", after="point")
    draft.put("told", "add", after={"input": "noise", "other": "point"})
    draft.put("generator", "block.Generator")
    draft.put("again", "block.Discriminator", shares="discriminator")
    return draft.put("fake", "Output").model()


def test_that_a_generator_is_recognized_by_noise_and_who_judges_it(run):
    parts = generator_parts(gan_graph())
    assert parts is not None
    assert (parts.generator.id, parts.made, parts.field) == ("generator", 0, "point")
    for graph in (conditional(), autoencoder(), diffusion_graph()):
        assert generator_parts(graph) is None
    described = ask(DescribeModel(run_folder=str(run.path)))
    assert (described.generates, described.makes_samples) == ("point", True)


def test_that_what_cannot_be_is_told(run, tmp_path):
    def code(request):
        with pytest.raises(DiagnosticError) as told:
            ask(request)
        return told.value.problems[0].code

    flowers = make_run(tmp_path / "flowers", epochs=1)
    train(flowers)
    assert code(SampleGenerator(run_folder=str(flowers.path))) == "R583"
    assert ask(DescribeModel(run_folder=str(flowers.path))).generates == ""
    assert code(SampleGenerator(run_folder=str(run.path), samples=10_000_000)) == "P073"
