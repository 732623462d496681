"""Quantization-aware training: a model learns to be right in whole numbers of few bits.

"Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference"
(Jacob et al., 2018).
"""

import math
from collections.abc import Mapping
from typing import TypeGuard

from torch import nn
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.spec.group import patterns
from engine.spec.quantization import FIELD
from engine.spec.run import RunSpec
from engine.spec.technique import QuantizationSpec
from engine.train.technique.base import StepContext, Technique
from engine.train.technique.fake_quantization import FakeQuantization

_PAIR = 2
_MOST_BITS = 8


class QuantizationAware(Technique):
    """Rounds weights and inputs of linear and convolution layers in the forward pass, from the
    epoch after ``start`` on; gradients pass through, and the optimizer changes the exact weights,
    which checkpoints hold. What is validated computes in the rounded numbers.

    The ranges of the inputs follow what the layers see in each step, over all its batches and
    processes, until ``freeze`` epochs are done.

    Raises :class:`DiagnosticError` R562 for a model that has no such layer.
    """

    def __init__(self, spec: QuantizationSpec, model: nn.Module) -> None:
        self._spec = spec
        self._epoch = 1
        self.quantization = fake_quantization(spec, model)
        if not self.quantization.layers:
            raise DiagnosticError.of("R562", field=FIELD)
        self.epoch_started(1)

    @override
    def configure(self, spec: RunSpec) -> None:
        if spec.quantization != self._spec:
            self._spec = spec.quantization
            self.quantization.bits, self.quantization.rate = self._spec.bits, self._spec.rate
            self.epoch_started(self._epoch)

    @override
    def epoch_started(self, epoch: int) -> None:
        self._epoch = epoch
        self.quantization.is_on = epoch > self._spec.start
        self.quantization.is_observing = not self._spec.freeze or epoch <= self._spec.freeze
        self.quantization.forget()

    @override
    def updated(self, step: StepContext) -> None:
        self.quantization.update()

    @override
    def skipped(self, step: StepContext) -> None:
        self.quantization.forget()

    @override
    def state_dict(self) -> dict[str, object]:
        return self.quantization.state_dict()

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        restore(self.quantization, state)


def fake_quantization(spec: QuantizationSpec, model: nn.Module) -> FakeQuantization:
    """Return what has the layers of a model compute as a run trains them."""
    return FakeQuantization(
        model,
        bits=spec.bits,
        activations=spec.activations,
        rate=spec.rate,
        skip=patterns(spec.skip),
    )


def restore(quantization: FakeQuantization, state: Mapping[str, object]) -> None:
    """Go on from the state in a checkpoint. Raises :class:`ValueError` or :class:`KeyError` for one
    of something else.
    """
    ranges = state["ranges"]
    if not has_ranges(ranges):
        raise ValueError(ranges)
    is_on, is_observing = bool(state["is_on"]), bool(state["is_observing"])
    bits = trained_bits(state, quantization.bits)
    quantization.restore(ranges, is_on=is_on, is_observing=is_observing, bits=bits)


def trained_bits(state: Mapping[str, object], chosen: int) -> int:
    """Return the bits of weights in a checkpoint, which may be changed while a run goes on:
    ``chosen`` are those of its recipe, which older checkpoints have. Raises :class:`ValueError` for
    what is no such number.
    """
    bits = state.get("bits", chosen)
    if not isinstance(bits, int) or not 1 < bits <= _MOST_BITS:
        raise ValueError(bits)
    return bits


def has_ranges(value: object) -> TypeGuard[dict[str, tuple[float, float]]]:
    """Return whether a value holds the lowest and highest input of layers by name."""
    if not isinstance(value, dict):
        return False
    return all(isinstance(name, str) and _is_range(each) for name, each in value.items())


def _is_range(value: object) -> bool:
    if not isinstance(value, tuple | list) or len(value) != _PAIR:
        return False
    low, high = value
    if not isinstance(low, float) or not isinstance(high, float):
        return False
    return math.isfinite(low) and math.isfinite(high) and low <= 0 <= high
