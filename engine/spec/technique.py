"""Settings of the techniques of training. Each is off as it comes."""

import msgspec

TECHNIQUES = ("early_stopping", "penalty", "gradient_noise")
"""Names of their settings in a run's specification and in the catalogue, in the order of forms."""


class EarlyStoppingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """When training ends before its last epoch: after ``patience`` epochs in a row (0: never) in
    which the value that best checkpoints go by got better by ``min_delta`` at most.
    """

    patience: int = 0
    min_delta: float = 0.0


class PenaltySpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is added to the loss of a training step: ``l1`` times the sum of the absolute values of
    the trained parameters, ``l2`` times the sum of their squares; with ``weights_only`` of those
    with two axes or more, so neither biases nor the parameters of norms.
    """

    l1: float = 0.0
    l2: float = 0.0
    weights_only: bool = True


class GradientNoiseSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Noise that is added to the gradients of step t (from 0): normal, of the variance
    ``variance`` / (1 + t) ** ``decay``.
    """

    variance: float = 0.0
    decay: float = 0.55
