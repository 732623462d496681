"""Averages of the weights over the steps of a run, by ``torch.optim.swa_utils``."""

from typing import cast

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from typing_extensions import override

from engine.spec.technique import AveragingSpec
from engine.train.technique.base import StepContext, Technique


class Averaging(Technique):
    """Keeps a moving average of the weights (EMA): the new average is ``decay`` times the old one
    and 1 - ``decay`` times the weights after a step; the first one is the weights themselves.

    With ``evaluate`` it is the average that is evaluated and that checkpoints hold as the model;
    the state has the other weights: those that go on training, or else the average.
    """

    def __init__(self, spec: AveragingSpec, model: nn.Module) -> None:
        self._is_evaluated = spec.evaluate
        self._model = model
        self._average = AveragedModel(
            model, multi_avg_fn=get_ema_multi_avg_fn(spec.decay), use_buffers=spec.use_buffers
        )

    @override
    def updated(self, step: StepContext) -> None:
        self._average.update_parameters(step.model)

    @override
    def evaluated(self, model: nn.Module) -> nn.Module:
        return self._average.module if self._is_taken else model

    @property
    def _is_taken(self) -> bool:
        return self._is_evaluated and int(self._average.n_averaged) > 0

    @override
    def state_dict(self) -> dict[str, object]:
        other = self._model if self._is_taken else self._average.module
        return {"model": other.state_dict(), "updates": int(self._average.n_averaged)}

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        updates, other = state["updates"], cast("dict[str, Tensor]", state["model"])
        if not isinstance(updates, int) or not 0 <= updates < 1 << 53:
            raise TypeError(type(updates))
        self._average.n_averaged.fill_(updates)
        if self._is_taken:
            self._average.module.load_state_dict(self._model.state_dict())
            self._model.load_state_dict(other)
        else:
            self._average.module.load_state_dict(other)
