"""The techniques that a run switches on, by the names of their settings."""

from collections.abc import Callable

from torch import nn

from engine.spec.run import RunSpec
from engine.train.technique.averaging import Averaging
from engine.train.technique.base import Technique
from engine.train.technique.distillation import Distillation
from engine.train.technique.early_stopping import EarlyStopping
from engine.train.technique.gradient_noise import GradientNoise
from engine.train.technique.penalty import Penalty
from engine.train.technique.quantization import QuantizationAware
from engine.train.technique.rolling_back import RollingBack
from engine.train.technique.skipping import Skipping
from engine.train.technique.teacher_forcing import TeacherForcing
from engine.train.technique.unfreezing import Unfreezing


def _averaging(spec: RunSpec, model: nn.Module) -> Technique | None:
    return Averaging(spec.averaging, model) if spec.averaging.kind != "none" else None


def _early_stopping(spec: RunSpec, _: nn.Module) -> Technique | None:
    chosen, kept = spec.early_stopping, spec.checkpoint
    return EarlyStopping(chosen, kept.monitor, kept.mode, spec.length) if chosen.patience else None


def _penalty(spec: RunSpec, _: nn.Module) -> Technique | None:
    return Penalty(spec.penalty) if spec.penalty.is_on else None


def _gradient_noise(spec: RunSpec, _: nn.Module) -> Technique | None:
    noise = spec.gradient_noise
    return GradientNoise(noise, spec.seed) if noise.variance else None


def _skipping(spec: RunSpec, _: nn.Module) -> Technique | None:
    return Skipping() if spec.non_finite == "skip" else None


def _rolling_back(spec: RunSpec, _: nn.Module) -> Technique | None:
    return RollingBack() if spec.non_finite == "roll_back" else None


def _unfreezing(spec: RunSpec, model: nn.Module) -> Technique | None:
    return Unfreezing(spec, model) if spec.unfreezing.schedule else None


def _teacher_forcing(spec: RunSpec, _: nn.Module) -> Technique | None:
    return TeacherForcing(spec) if spec.teacher_forcing.is_on else None


def _distillation(spec: RunSpec, _: nn.Module) -> Technique | None:
    return Distillation(spec.distillation) if spec.distillation.teacher else None


def _quantization(spec: RunSpec, model: nn.Module) -> Technique | None:
    return QuantizationAware(spec.quantization, model) if spec.quantization.bits else None


SKIPPING = "skipping"
DISTILLATION = "distillation"
QUANTIZATION = "quantization"
TEACHER_FORCING = "teacher_forcing"
ROLLING_BACK = "rolling_back"
_SWITCHED = ("penalty", "gradient_noise", "early_stopping")  # those that a change can switch off
TECHNIQUES: dict[str, Callable[[RunSpec, nn.Module], Technique | None]] = {
    "unfreezing": _unfreezing,
    QUANTIZATION: _quantization,
    TEACHER_FORCING: _teacher_forcing,
    DISTILLATION: _distillation,
    "penalty": _penalty,
    "gradient_noise": _gradient_noise,
    "averaging": _averaging,
    "early_stopping": _early_stopping,
    SKIPPING: _skipping,
    ROLLING_BACK: _rolling_back,
}
"""What makes each technique, None where it is off; they are asked in this order."""


def configure_techniques(techniques: dict[str, Technique], spec: RunSpec, model: nn.Module) -> None:
    """Have techniques go on with the settings of a specification: what it switches on is made, what
    it switches off goes.
    """
    kept = dict(techniques)
    techniques.clear()
    for name, make in TECHNIQUES.items():
        made = kept.get(name) or make(spec, model)
        if made is None or (name in _SWITCHED and make(spec, model) is None):
            continue
        made.configure(spec)
        techniques[name] = made


def build_techniques(spec: RunSpec, model: nn.Module) -> dict[str, Technique]:
    """Return the techniques that a run of a model switches on, by name."""
    made = {name: make(spec, model) for name, make in TECHNIQUES.items()}
    return {name: technique for name, technique in made.items() if technique is not None}
