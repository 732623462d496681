"""Samples that a diffusion model makes, some steps with each question."""

import time
from functools import lru_cache

import torch
from torch import Tensor

from engine.data.source.source import Part
from engine.diagnostics import DiagnosticError
from engine.query.diffusion.distance import energy_distance
from engine.query.diffusion.request import Denoise, DenoisingStep
from engine.query.diffusion.sampler import DiffusionSampler, diffusion_sampler
from engine.query.results.answer import kept_model
from engine.query.trained import Trained
from engine.train.training import Training

_HELD_OUT: tuple[Part, ...] = ("test", "validation")
_MOST_NUMBERS = 4_000_000  # of all samples together
_MOST_COMPARED = 40_000_000  # numbers times samples, for a distance


def denoise(request: Denoise) -> DenoisingStep:
    """Return the samples of a request after some more steps. The same request gives the same
    samples, in however many questions it is asked.

    Raises :class:`DiagnosticError`: P072 for a model that is no diffusion model, P073 for more
    samples than are made at once, and as :func:`~engine.query.results.answer.kept_model`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    with trained.in_use():
        sampler = _sampler(request.run_folder, trained.info.file, trained.info.sha256)
        size = sampler.form[0].numel()
        if request.denoising.samples * size > _MOST_NUMBERS:
            raise DiagnosticError.of("P073", most=_MOST_NUMBERS // size)
        state, done = _go_on(sampler, request)
        return _step(request, trained, sampler, state, done)


@lru_cache(maxsize=1)
def _sampler(run_folder: str, file: str, _sha256: str) -> DiffusionSampler:
    """Return what makes samples with a checkpoint, kept for the next question."""
    trained = kept_model(run_folder, file)
    return diffusion_sampler(trained.training, trained.run.document.graph)


def _go_on(sampler: DiffusionSampler, request: Denoise) -> tuple[Tensor, int]:
    """Return the samples when the time is over, and how many steps they have had."""
    denoising = request.denoising
    state, done = sampler.first(denoising), 0
    if request.done:
        given = torch.frombuffer(bytearray(request.state), dtype=torch.float32)
        state, done = given.reshape(state.shape).to(state), request.done
    end = time.monotonic() + request.seconds
    while done < denoising.steps:
        state = sampler.after(state, done, denoising)
        done += 1
        if time.monotonic() >= end:
            break
    return state, done


def _step(
    request: Denoise, trained: Trained, sampler: DiffusionSampler, state: Tensor, done: int
) -> DenoisingStep:
    training, name = trained.training, sampler.field
    scaling = training.data.scalings.get(name)
    values = state.float().cpu()
    values = values if scaling is None else scaling.undo(values)
    is_done = done >= request.denoising.steps
    held_out = (
        _of_data(training, name, _HELD_OUT, len(values)) if is_done or not request.done else None
    )
    distance = of_data = None
    if is_done and held_out is not None:
        learnt = _of_data(training, name, ("train",), len(values))
        distance = _distance(values, held_out)
        of_data = None if learnt is None else _distance(learnt, held_out)
    return DenoisingStep(
        checkpoint=trained.info.file,
        step=trained.info.step,
        field=name,
        shape=tuple(state.shape[1:]),
        done=done,
        state=_bytes(state),
        values=_bytes(values),
        held_out=b"" if held_out is None else _bytes(held_out),
        is_done=is_done,
        distance=distance,
        distance_of_data=of_data,
    )


def _of_data(training: Training, name: str, parts: tuple[Part, ...], count: int) -> Tensor | None:
    """Return as many samples (n, ...) of the first of the parts that has some, in the numbers of
    the data; None where there are none.
    """
    part: Part | None = next((part for part in parts if len(training.data.indices[part])), None)
    return None if part is None else training.data.examples(part, count)[name].float()


def _distance(first: Tensor, second: Tensor) -> float | None:
    """Return the energy distance of samples (n, ...) and (m, ...); None where they are so large
    that it would take long.
    """
    if len(first) * first.numel() > _MOST_COMPARED:
        return None
    return energy_distance(first.flatten(1), second.flatten(1))


def _bytes(values: Tensor) -> bytes:
    """Return the numbers as float32."""
    return values.detach().float().cpu().contiguous().numpy().tobytes()
