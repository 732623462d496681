"""Settings of the techniques of training. Each is off as it comes."""

from typing import Literal

import msgspec

GROUPINGS = ("no_decay", "layer_rates")
"""Those that divide the parameter groups of the optimizer."""

TECHNIQUES = (
    *GROUPINGS,
    *("unfreezing", "accumulation", "averaging", "early_stopping", "penalty", "gradient_noise"),
    *("teacher_forcing", "distillation", "quantization", "test_time"),
)
"""Names of their settings in a run's specification and in the catalogue, in the order of forms."""


RAW, AVERAGED = "raw", "averaged"
"""Marks of the weights that are meant, after the colon of a checkpoint's name: ``best:raw``."""


class NoDecaySpec(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the weights of ``biases_and_norms`` are left out of the optimizer's weight decay: all
    parameters of one axis, biases, and those of layers that normalize.
    """

    biases_and_norms: bool = False


class LayerRatesSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Learning rates by layer: those of the last one are the optimizer's, those of each one before
    it are ``decay`` times those of the next. 1: all the same.
    """

    decay: float = 1.0

    @property
    def is_on(self) -> bool:
        """Whether layers have rates of their own."""
        return self.decay != 1


class UnfreezingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which parameters are trained from which epoch (from 1) on, until which they stay as they are:
    names or patterns (``encoder=3, *.bias=2``; empty: all from the start).
    """

    schedule: str = ""


class AccumulationSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How many ``batches`` a step of the optimizer takes its gradients of: as many small ones do
    what a large one does that would not fit into memory. The last step of an epoch takes the rest.
    """

    batches: int = 1


class AveragingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Which average of the weights is kept beside them: ``ema`` is a moving one with ``decay``;
    ``swa`` the mean of those after each epoch, once ``start`` epochs are trained. From then on the
    learning rate goes in ``anneal_epochs`` epochs to ``swa_lr`` (0: it keeps its schedule).

    With ``evaluate`` it is what is validated, tested and taken from checkpoints, otherwise the
    weights that train. ``use_buffers`` averages buffers (running means of batch norms) too, which
    are those of the model otherwise.
    """

    kind: Literal["none", "ema", "swa"] = "none"
    decay: float = 0.999
    start: int = 5
    swa_lr: float = 0.0
    anneal_epochs: int = 10
    evaluate: bool = True
    use_buffers: bool = False

    @property
    def anneals(self) -> bool:
        """Whether the learning rate goes to one of its own."""
        return self.kind == "swa" and self.swa_lr > 0


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

    @property
    def is_on(self) -> bool:
        """Whether anything is added."""
        return self.l1 > 0 or self.l2 > 0


class GradientNoiseSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Noise that is added to the gradients of step t (from 0): normal, of the variance
    ``variance`` / (1 + t) ** ``decay``.
    """

    variance: float = 0.0
    decay: float = 0.55


class TeacherForcingSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model that predicts each next token reads the true token before it in training:
    with the probability ``ratio`` (1: always), which goes in ``decay_steps`` steps of the optimizer
    to ``final_ratio`` along a line (0: it stays). Otherwise it reads the token that it would have
    chosen itself (scheduled sampling).
    """

    ratio: float = 1.0
    final_ratio: float = 0.5
    decay_steps: int = 0

    @property
    def is_on(self) -> bool:
        """Whether a token is replaced in any step."""
        return self.ratio < 1 or (self.decay_steps > 0 and self.final_ratio < 1)

    def at(self, step: int) -> float:
        """Return the probability in a step of the optimizer, from 0 over the whole run."""
        if not self.decay_steps:
            return self.ratio
        share = min(step / self.decay_steps, 1.0)
        return self.ratio + (self.final_ratio - self.ratio) * share


class DistillationSpec(msgspec.Struct, frozen=True, kw_only=True):
    """From which ``teacher`` the model learns besides the targets: a run of the project
    (``run-0003``, ``run-0003:last``; the best checkpoint where none is named) or a checkpoint file
    in it (``teachers/large.ckpt``); empty: none. The loss of a step is 1 - ``weight`` times that of
    the targets and ``weight`` times the distance to the outputs of the teacher, where scores of
    classes are divided by ``temperature`` first.
    """

    teacher: str = ""
    temperature: float = 2.0
    weight: float = 0.5


class QuantizationSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Quantization-aware training: linear and convolution layers compute with weights of so many
    ``bits`` (0: off), rounded evenly around 0 for each output channel, once ``start`` epochs are
    trained. With ``activations`` also what they are given is rounded, to 8 bits, over a range that
    moves by the share ``rate`` toward that of each step, until ``freeze`` epochs are done (0:
    always). ``skip`` are names or patterns of layers that are left out.
    """

    bits: int = 0
    activations: bool = True
    start: int = 0
    freeze: int = 0
    skip: str = ""
    rate: float = 0.01


ViewKind = Literal["training", "flips", "crops"]
"""Which views of a sample there are beside itself."""


class ViewSpec(msgspec.Struct, frozen=True, kw_only=True):
    """Over how many ``views`` of each sample predictions are means when a trained model is tested,
    evaluated and asked for predictions (test-time augmentation; 1: the sample alone).

    The first view is the sample itself. Of ``training`` the others are draws of the random
    transforms of the training, ``flips`` are mirrored pictures, ``crops`` corners and centre of
    them, enlarged.
    """

    views: int = 1
    kind: ViewKind = "training"

    @property
    def is_on(self) -> bool:
        """Whether there is more than the sample itself."""
        return self.views > 1
