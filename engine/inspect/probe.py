"""Who looks into the steps of a run. A step that nobody looks into costs nothing."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from torch import Tensor, nn
from torch.optim import Optimizer

from engine.inspect.observer import NOTHING, Observer


class Probe:
    """Calls every observer at the places of a step. ``failed`` is the batch of a step whose
    backward pass raised: it may be gone through once more to tell why.
    """

    def __init__(self) -> None:
        self.failed: Mapping[str, Tensor] | None = None
        self._observers: list[Observer] = []

    @property
    def is_idle(self) -> bool:
        """Whether nobody looks."""
        return not self._observers

    def add(self, observer: Observer) -> None:
        """Let an observer look from the next step on."""
        self._observers.append(observer)

    def remove(self, observer: Observer) -> None:
        """Let an observer look no more; one that does not is passed over."""
        self._observers = [each for each in self._observers if each is not observer]

    def drop_done(self) -> None:
        """Take out the observers that have seen all they wanted."""
        self._observers = [each for each in self._observers if not each.is_done]

    def begin(self, batch: Mapping[str, Tensor]) -> None:
        """Tell of the batch that the step is about to use."""
        for each in self._observers:
            each.begin(batch)

    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        """Return what model and loss are computed in."""
        if not self._observers:
            return NOTHING
        return _all([each.forward(model) for each in self._observers])

    def built(self, loss: Tensor, model: nn.Module) -> None:
        """Tell that the graph stands."""
        for each in self._observers:
            each.built((loss,), model)

    def backward(self) -> AbstractContextManager[None]:
        """Return what the backward pass runs in."""
        if not self._observers:
            return NOTHING
        return _all([each.backward() for each in self._observers])

    def gradients(self, model: nn.Module) -> None:
        """Tell that the gradients are there."""
        for each in self._observers:
            each.gradients(model)

    def updated(self, model: nn.Module, optimizer: Optimizer) -> None:
        """Tell that the weights were changed."""
        for each in self._observers:
            each.updated(model, optimizer)


@contextmanager
def _all(managers: Sequence[AbstractContextManager[None]]) -> Generator[None]:
    with ExitStack() as stack:
        for each in managers:
            stack.enter_context(each)
        yield
