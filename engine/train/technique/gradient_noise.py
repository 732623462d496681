"""Gradient noise, which helps deep networks out of poor beginnings.

"Adding Gradient Noise Improves Learning for Very Deep Networks" (Neelakantan et al., 2015).
"""

import torch
from typing_extensions import override

from engine.spec.run import RunSpec
from engine.spec.technique import GradientNoiseSpec
from engine.train.technique.base import StepContext, Technique

SEED_STRIDE = 1_000_003  # a prime, so that the steps of runs with other seeds draw other numbers


class GradientNoise(Technique):
    """Adds normal noise to the gradients, less with every step.

    It is drawn on the CPU by a generator of its own from ``seed`` and the number of the step, so it
    is the same on all ranks and devices, after a resume, and takes no number from dropout.
    """

    def __init__(self, spec: GradientNoiseSpec, seed: int) -> None:
        self._spec = spec
        self._seed = seed

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.gradient_noise

    @override
    def gradients_done(self, step: StepContext) -> None:
        generator = torch.Generator().manual_seed(self._seed + SEED_STRIDE * (step.step + 1))
        deviation = (self._spec.variance / (1 + step.step) ** self._spec.decay) ** 0.5
        for parameter in step.model.parameters():
            if parameter.grad is not None:
                noise = torch.randn(parameter.grad.shape, generator=generator)
                parameter.grad.add_(noise.to(parameter.grad), alpha=deviation)
