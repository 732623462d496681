"""Samples from noise: in each step the model tells the noise, and a part of it is taken away.

J. Ho, A. Jain and P. Abbeel, Denoising diffusion probabilistic models, 2020; J. Song, C. Meng and
S. Ermon, Denoising diffusion implicit models, 2021 (equations 12 and 16, with ``eta``).
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from engine.data.seed import mixed_seed
from engine.diagnostics import DiagnosticError
from engine.graph.diffusion import diffusion_parts
from engine.graph.model import Graph
from engine.graph.module_name import module_name
from engine.query.block_inputs import block_inputs
from engine.query.diffusion.request import Denoising
from engine.train.training import Training

_KNOWN = 1000  # training samples that tell the ends of the data
_LEAST = 1e-4  # share of the data in what is noised the most: it is divided by


@dataclass(frozen=True, kw_only=True)
class DiffusionSampler:
    """A model that makes samples of a ``field`` of the data. ``form`` is a batch of one of them and
    ``time`` the time that goes with it, as the model takes them; ``low`` and ``high`` are the ends
    of what the data hold there.
    """

    field: str
    noising: nn.Module
    denoiser: nn.Module
    form: Tensor
    time: Tensor
    low: float
    high: float

    def first(self, denoising: Denoising) -> Tensor:
        """Return noise (samples, ...) to begin with."""
        return self._noise(denoising, 0)

    def after(self, state: Tensor, number: int, denoising: Denoising) -> Tensor:
        """Return samples after step ``number``, from 0, of their way from noise."""
        now = 1 - number / denoising.steps
        then = 1 - (number + 1) / denoising.steps
        kept, spread = self._shares(now)
        kept_then, spread_then = self._shares(then)
        time = self.time.new_full((len(state), *self.time.shape[1:]), now)
        noise = self.denoiser(noised=state, time=time)
        clean = ((state - spread * noise) / max(kept, _LEAST)).clamp(self.low, self.high)
        if number + 1 == denoising.steps:
            return clean
        noise = (state - kept * clean) / spread
        lost = 1 - (kept / kept_then) ** 2
        fresh = denoising.eta * spread_then / spread * math.sqrt(max(0.0, lost))
        pointing = math.sqrt(max(0.0, spread_then**2 - fresh**2))
        return kept_then * clean + pointing * noise + fresh * self._noise(denoising, number + 1)

    def _noise(self, denoising: Denoising, number: int) -> Tensor:
        """Return the noise (samples, ...) of a step, which follows from the seed."""
        generator = torch.Generator().manual_seed(mixed_seed(denoising.seed, number))
        shape = (denoising.samples, *self.form.shape[1:])
        return torch.randn(shape, generator=generator).to(self.form)

    def _shares(self, time: float) -> tuple[float, float]:
        """Return how much of the sample and of the noise is in what the model noises at a time."""
        one, nothing = torch.ones_like(self.form), torch.zeros_like(self.form)
        at = torch.full_like(self.time, time)
        kept = self.noising(clean=one, noise=nothing, time=at)
        spread = self.noising(clean=nothing, noise=one, time=at)
        return float(kept.mean()), float(spread.mean())


def diffusion_sampler(training: Training, graph: Graph) -> DiffusionSampler:
    """Return what makes samples with a model in eval mode. Raises :class:`DiagnosticError` P072
    for a model that is no diffusion model.
    """
    parts = diffusion_parts(graph)
    if parts is None or training.data.info.field(parts.field) is None:
        raise DiagnosticError.of("P072")
    noising, denoiser = (
        training.model.get_submodule(module_name(graph, node.id))
        for node in (parts.noising, parts.denoiser)
    )
    known = training.normalized(parts.field, training.data.examples("train", _KNOWN)[parts.field])
    form, time = _forms(training, denoiser)
    return DiffusionSampler(
        field=parts.field,
        noising=noising,
        denoiser=denoiser,
        form=form,
        time=time,
        low=float(known.min()),
        high=float(known.max()),
    )


def _forms(training: Training, denoiser: nn.Module) -> tuple[Tensor, Tensor]:
    """Return what the denoiser is given for one sample: the noised one and its time. Raises
    :class:`DiagnosticError` P072 where the model reads what no sample has by itself.
    """
    given = block_inputs(training, denoiser)
    if given is None:
        raise DiagnosticError.of("P072")
    return given["noised"], given["time"]
