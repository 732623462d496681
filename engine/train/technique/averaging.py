"""Averages of the weights over the steps of a run, by ``torch.optim.swa_utils``."""

from collections.abc import Mapping

from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn
from typing_extensions import override

from engine.graph.memory_report import KeptModel
from engine.spec.run import RunSpec
from engine.spec.technique import AveragingSpec
from engine.train.checkpoint.file import is_state_dict
from engine.train.technique.base import EpochSamples, StepContext, Technique

_MOST = 1 << 53  # updates


class Averaging(Technique):
    """Keeps an average of the weights; the first one is the weights themselves.

    A moving one (EMA) is then ``decay`` times the old one and 1 - ``decay`` times the weights after
    a step. That of SWA is the mean of the weights after each epoch from one on; batch norms take
    their statistics anew, over the training samples.

    With ``evaluate`` it is the average that is evaluated and that checkpoints hold as the model;
    the state has the other weights: those that go on training, or else the average.
    """

    def __init__(self, spec: AveragingSpec, model: nn.Module) -> None:
        self._spec = spec
        self._model = model
        self._epoch = 0  # the last one that was averaged
        average = get_ema_multi_avg_fn(spec.decay) if spec.kind == "ema" else None
        self._average = AveragedModel(model, multi_avg_fn=average, use_buffers=spec.use_buffers)

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.averaging
        if spec.averaging.kind == "ema":
            self._average.multi_avg_fn = get_ema_multi_avg_fn(spec.averaging.decay)

    @override
    def updated(self, step: StepContext) -> None:
        if self._spec.kind == "ema":
            self._average.update_parameters(step.model)

    @override
    def epoch_trained(self, epoch: int, samples: EpochSamples) -> None:
        if self._spec.kind == "swa" and epoch > max(self._spec.start, self._epoch):
            self._average.update_parameters(self._model)
            update_bn(samples.batches, _OnBatches(self._average.module, samples))
            self._epoch = epoch

    @override
    def evaluated(self, model: nn.Module) -> nn.Module:
        return self._average.module if self._is_taken else model

    @override
    def kept_models(self) -> Mapping[KeptModel, nn.Module]:
        return {"average": self._average}

    @property
    def _is_taken(self) -> bool:
        return self._spec.evaluate and int(self._average.n_averaged) > 0

    @override
    def state_dict(self) -> dict[str, object]:
        other = self._model if self._is_taken else self._average.module
        updates = int(self._average.n_averaged)
        return {"model": other.state_dict(), "updates": updates, "epoch": self._epoch}

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        updates, epoch, other = state["updates"], state["epoch"], state["model"]
        if not isinstance(updates, int) or not isinstance(epoch, int) or not is_state_dict(other):
            raise TypeError(type(updates))
        if not 0 <= updates <= _MOST:
            raise ValueError(updates)
        self._epoch = epoch
        self._average.n_averaged.fill_(updates)
        if self._is_taken:
            self._average.module.load_state_dict(self._model.state_dict())
            self._model.load_state_dict(other)
        else:
            self._average.module.load_state_dict(other)


class _OnBatches(nn.Module):
    """A model that takes a batch with all its fields, as ``update_bn`` passes it on."""

    def __init__(self, module: nn.Module, samples: EpochSamples) -> None:
        super().__init__()
        self.module = module
        self._samples = samples

    @override
    def forward(self, batch: Mapping[str, Tensor]) -> object:
        return self._samples.forward(self.module, batch)
