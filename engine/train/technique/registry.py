"""The techniques that a run switches on, by the names of their settings."""

from collections.abc import Callable

from engine.spec.run import RunSpec
from engine.train.technique.base import Technique
from engine.train.technique.early_stopping import EarlyStopping
from engine.train.technique.gradient_noise import GradientNoise
from engine.train.technique.penalty import Penalty


def _early_stopping(spec: RunSpec) -> Technique | None:
    chosen, kept = spec.early_stopping, spec.checkpoint
    return EarlyStopping(chosen, kept.monitor, kept.mode) if chosen.patience else None


def _penalty(spec: RunSpec) -> Technique | None:
    return Penalty(spec.penalty) if spec.penalty.is_on else None


def _gradient_noise(spec: RunSpec) -> Technique | None:
    noise = spec.gradient_noise
    return GradientNoise(noise, spec.seed) if noise.variance else None


TECHNIQUES: dict[str, Callable[[RunSpec], Technique | None]] = {
    "penalty": _penalty,
    "gradient_noise": _gradient_noise,
    "early_stopping": _early_stopping,
}
"""What makes each technique, None where it is off; they are asked in this order."""


def build_techniques(spec: RunSpec) -> dict[str, Technique]:
    """Return the techniques that a run switches on, by name."""
    made = {name: make(spec) for name, make in TECHNIQUES.items()}
    return {name: technique for name, technique in made.items() if technique is not None}
