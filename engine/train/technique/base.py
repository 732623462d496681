"""What a technique can do in the training loop."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor, nn

from engine.diagnostics import Diagnostic
from engine.graph.memory_report import KeptModel
from engine.spec.run import RunSpec
from engine.train.losses import Batch, Outputs


@dataclass(frozen=True, kw_only=True)
class StepContext:
    """A training step: the model, and its number from 0 over the whole run. ``sizes`` are the
    samples of each batch that it takes the gradients of, over all processes; ``batch`` is the
    number of the first of them in the epoch, ``first`` that over the whole run.
    """

    model: nn.Module
    step: int
    sizes: tuple[int, ...]
    batch: int = 0
    first: int = 0


class EpochSamples(NamedTuple):
    """The training samples of an epoch: ``batches`` are read as they are asked for, and ``forward``
    gives the outputs of a model for one, in the precision of the run.
    """

    batches: Iterator[Mapping[str, Tensor]]
    forward: Callable[[nn.Module, Mapping[str, Tensor]], object]


class Mixed(NamedTuple):
    """The loss of a batch with what a technique compares beside it: ``loss`` is what the gradients
    are taken of, ``parts`` are detached values with a curve each.
    """

    loss: Tensor
    parts: tuple[Tensor, ...] = ()


class Technique:
    """What changes how a run trains; by itself nothing.

    Unlike an observer (:mod:`engine.inspect`), which only looks, a technique acts. It is made where
    its settings switch it on, the same on all ranks, and asked in the order of
    :data:`engine.train.technique.registry.TECHNIQUES`. What it computes may depend on its settings,
    its state and what it is given alone, so that a resumed run goes on with the same bits.
    """

    def configure(self, spec: RunSpec) -> None:
        """Go on with other settings, which were changed between two steps."""

    def epoch_started(self, epoch: int) -> None:
        """Prepare the model for the steps of the epoch with this number (from 1). A resume within
        an epoch comes here again.
        """

    def held_back(self) -> Sequence[nn.Parameter]:
        """Return the parameters that are not to be trained in this epoch, whichever phase has
        them.
        """
        return ()

    def given(self, batch: Batch, step: StepContext, number: int) -> Batch:
        """Return what the model is given and compared with, for batch ``number`` (from 0) of a
        step.
        """
        del step, number
        return batch

    def part_names(self) -> tuple[str, ...]:
        """Return the names of the curves of :meth:`mixed`, such as ``loss.distillation``."""
        return ()

    def mixed(
        self, loss: Tensor, outputs: Outputs, batch: Batch, terms: Sequence[int] = ()
    ) -> Mixed:
        """Return the loss of this process's samples of a batch with what is compared beside it. The
        record shows the loss without that. ``terms`` are those that the step minimizes, by their
        numbers from 0.
        """
        del outputs, batch, terms
        return Mixed(loss)

    def loss(self, loss: Tensor, step: StepContext) -> Tensor:
        """Return the loss that the gradients are taken of, for the mean loss of a batch. Of a step
        of several batches each is asked for, and the gradients are those of the mean.
        """
        del step
        return loss

    def gradients_done(self, step: StepContext) -> None:
        """Change the gradients, before they are clipped."""

    def updated(self, step: StepContext) -> None:
        """Look at the weights after a step of the optimizer."""

    def skipped(self, step: StepContext) -> None:
        """Note a step that was left out, its loss or gradients being NaN or infinite. Raises
        :class:`DiagnosticError` with why the run cannot go on, if it cannot.
        """

    def evaluated(self, model: nn.Module) -> nn.Module:
        """Return the model that is validated, tested and taken from checkpoints."""
        return model

    def kept_models(self) -> Mapping[KeptModel, nn.Module]:
        """Return the models that it keeps in memory beside the one that trains."""
        return {}

    def epoch_trained(self, epoch: int, samples: EpochSamples) -> None:
        """Look at the weights after the last step of the epoch with this number (from 1), before
        it is validated. Where the validation is broken off, this comes again for the epoch.
        """

    def epoch_done(self, value: float | None, epoch: int) -> Diagnostic | None:
        """Return why training ends after the epoch with this number (from 1), if it does. ``value``
        is what best checkpoints go by; None where nothing was measured.
        """

    def state_dict(self) -> dict[str, object]:
        """Return what a checkpoint has to hold: tensors and plain values."""
        return {}

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from a state. Raises :class:`ValueError`, :class:`KeyError` or :class:`TypeError`
        for one that is of something else.
        """
