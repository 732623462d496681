"""Samples of a diffusion model: the schedule that is read from its graph, and what comes out."""

import math

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.graph.diffusion import diffusion_parts
from engine.query.ask import ask
from engine.query.diffusion.distance import energy_distance
from engine.query.diffusion.file import write_samples
from engine.query.diffusion.request import Denoise, Denoising, DenoisingStep
from engine.query.diffusion.sampler import DiffusionSampler
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec
from tests.tiny_diffusion import LOSSES, diffusion_graph
from tests.tiny_gan import gan_graph
from tests.tiny_run import make_run, train

FEW = Denoising(samples=40, steps=8)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run of a model of two blobs far from 0, which it has learned."""
    source = Choice(type="blobs", params={"samples": 200, "classes": 2, "noise": 0.1})
    data = DataSpec(source=source, batch_size=10, normalization="standard")
    folder = make_run(
        tmp_path_factory.mktemp("project"),
        diffusion_graph(),
        data=data,
        losses=LOSSES,
        metrics=(),
        epochs=80,
        optimizer=Choice(type="Adam", params={"lr": 0.003}),
    )
    assert train(folder).problem is None
    return folder


def question(run: RunFolder, **denoising: object) -> Denoise:
    chosen = replace(FEW, **denoising)
    return Denoise(run_folder=str(run.path), checkpoint="last", denoising=chosen, seconds=600.0)


def numbers(step: DenoisingStep) -> np.ndarray:
    return np.frombuffer(step.values, np.float32).reshape(-1, *step.shape)


def test_that_samples_come_to_lie_where_the_data_are_in_its_own_numbers(run):
    step = ask(question(run, samples=200, steps=30))
    assert (step.field, step.shape, step.is_done, step.done) == ("point", (2,), True, 30)
    points = numbers(step)
    assert np.abs(points[:, 0]).mean() == pytest.approx(2.0, abs=0.7)
    assert np.abs(points[:, 1]).max() < 1.0
    held_out = torch.from_numpy(np.frombuffer(step.held_out, np.float32).reshape(-1, 2).copy())
    noise = torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    assert step.distance is not None
    assert step.distance < energy_distance(noise * torch.tensor([2.0, 0.1]), held_out) / 2
    assert held_out.abs().max() > 1.5, "not normalised"


@pytest.mark.parametrize("eta", [0.0, 1.0])
def test_that_samples_asked_for_in_steps_are_those_made_at_once(run, eta):
    whole = ask(question(run, eta=eta))
    asked = replace(question(run, eta=eta), seconds=0.0)
    steps = [ask(asked)]
    while not steps[-1].is_done:
        steps.append(ask(replace(asked, done=steps[-1].done, state=steps[-1].state)))
    assert [step.done for step in steps] == list(range(1, 9)), "one a question without time"
    assert steps[-1].values == whole.values
    assert ask(question(run, eta=eta)).values == whole.values
    assert ask(question(run, eta=eta, seed=1)).values != whole.values
    assert ask(question(run, eta=1.0 - eta)).values != whole.values


def test_that_a_perfect_denoiser_brings_back_the_sample_by_either_sampler():
    true = torch.tensor([[0.5, -1.0]])

    class Noising(torch.nn.Module):
        def forward(self, clean, noise, time):
            return torch.cos(1.5 * time) * clean + torch.sin(1.5 * time) * noise

    class Perfect(torch.nn.Module):
        def forward(self, noised, time):
            return (noised - torch.cos(1.5 * time) * true) / torch.sin(1.5 * time)

    sampler = DiffusionSampler(
        field="point", noising=Noising(), denoiser=Perfect(), form=true,
        time=torch.zeros(1, 1), low=-1.0, high=1.0,
    )  # fmt: skip
    for eta in (0.0, 0.5, 1.0):
        chosen = Denoising(samples=500, steps=20, eta=eta)
        state = sampler.first(chosen)
        for number in range(19):
            state = sampler.after(state, number, chosen)
        spread = math.sin(1.5 / 20)
        assert (state - math.cos(1.5 / 20) * true).std().item() == pytest.approx(spread, rel=0.1)
        torch.testing.assert_close(sampler.after(state, 19, chosen), true.expand(500, 2))


def test_that_samples_stay_within_the_data_though_the_model_is_wrong():
    class Mix(torch.nn.Module):
        def forward(self, clean, noise, time):
            return (1 - time) * clean + time * noise

    class Wrong(torch.nn.Module):
        def forward(self, noised, time):
            return noised * 1000

    sampler = DiffusionSampler(
        field="point", noising=Mix(), denoiser=Wrong(), form=torch.zeros(1, 2),
        time=torch.zeros(1, 1), low=-2.0, high=3.0,
    )  # fmt: skip
    state = sampler.first(FEW)
    for number in range(FEW.steps):
        state = sampler.after(state, number, FEW)
    assert bool(torch.isfinite(state).all())
    assert -2 <= state.min() <= state.max() <= 3


def test_that_a_model_is_recognized_by_its_two_blocks(run):
    parts = diffusion_parts(diffusion_graph())
    assert parts is not None
    assert (parts.noising.id, parts.denoiser.id, parts.field) == ("mix", "net", "point")
    assert diffusion_parts(gan_graph()) is None
    assert ask(DescribeModel(run_folder=str(run.path))).diffuses == "point"


def test_that_what_cannot_be_is_told(run, tmp_path):
    flowers = make_run(tmp_path, epochs=1)
    train(flowers)
    with pytest.raises(DiagnosticError) as told:
        ask(question(flowers))
    assert told.value.problems[0].code == "P072"
    assert ask(DescribeModel(run_folder=str(flowers.path))).diffuses == ""
    with pytest.raises(DiagnosticError) as told:
        ask(question(run, samples=3_000_000))
    assert told.value.problems[0].code == "P073"
    step = ask(question(run))
    for name, code in (("points.png", "P074"), ("points.txt", "P075")):
        with pytest.raises(DiagnosticError) as told:
            write_samples(step, tmp_path / name, 0.0, 1.0)
        assert told.value.problems[0].code == code
        assert not (tmp_path / name).exists()


def test_that_pictures_are_written_side_by_side(tmp_path):
    values = np.zeros((3, 1, 2, 2), np.float32)
    values[1] = 1.0
    step = DenoisingStep(
        checkpoint="", step=0, field="image", shape=(1, 2, 2), done=1, state=b"",
        values=values.tobytes(), held_out=b"", is_done=True,
    )  # fmt: skip
    write_samples(step, tmp_path / "made.png", 0.0, 1.0)
    with Image.open(tmp_path / "made.png") as picture:
        pixels = np.asarray(picture)
    side = pixels.shape[0] // 2
    assert pixels.shape == (2 * side, 2 * side, 3)
    assert pixels[: side - 1, side:-1].min() == 255, "the second is white"
    assert pixels[:, :side].max() == 0
    write_samples(step, tmp_path / "made.npy", 0.0, 1.0)
    assert (np.load(tmp_path / "made.npy") == values).all()


def test_that_the_energy_distance_is_that_of_its_definition():
    first, second = torch.tensor([[0.0], [2.0]]), torch.tensor([[1.0]])
    assert energy_distance(first, second) == pytest.approx(2 * 1 - 1 - 0)
    assert energy_distance(first, first) == pytest.approx(0.0)
