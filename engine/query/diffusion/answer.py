"""Samples that a diffusion model makes, some steps with each question."""

import time
from functools import lru_cache

import torch
from torch import Tensor

from engine.query.diffusion.distance import SampleDistance, held_out_samples, sample_distance
from engine.query.diffusion.request import Denoise, DenoisingStep
from engine.query.diffusion.sampler import DiffusionSampler, diffusion_sampler
from engine.query.made_samples import check_count, float_bytes
from engine.query.results.answer import kept_model
from engine.query.trained import Trained


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
        check_count(request.denoising.samples, size)
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
    values = training.denormalized(name, state)
    is_done = done >= request.denoising.steps
    is_told = is_done or not request.done
    held_out = held_out_samples(training, name, len(values)) if is_told else None
    distance = SampleDistance()
    if is_done:
        distance = sample_distance(training, name, values, held_out)
    return DenoisingStep(
        checkpoint=trained.info.file,
        step=trained.info.step,
        field=name,
        shape=tuple(state.shape[1:]),
        done=done,
        state=float_bytes(state),
        values=float_bytes(values),
        held_out=b"" if held_out is None else float_bytes(held_out),
        is_done=is_done,
        distance=distance.distance,
        distance_of_data=distance.of_data,
    )
