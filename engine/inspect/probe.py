"""Probe: the observers of the steps of a run. A step without observers costs nothing."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager

from torch import Tensor, nn

from engine.inspect.observer import NOTHING, HasState, Observer


class Probe:
    """Calls every observer at the points of a step. ``failed`` is the batch of a step whose
    backward pass raised: computing it once more can tell why.
    """

    def __init__(self) -> None:
        self.failed: Mapping[str, Tensor] | None = None
        self._observers: list[Observer] = []

    @property
    def is_idle(self) -> bool:
        """Whether there is no observer."""
        return not self._observers

    def add(self, observer: Observer) -> None:
        """Add an observer, called from the next step on."""
        self._observers.append(observer)

    def remove(self, observer: Observer) -> None:
        """Remove an observer, if it is there."""
        self._observers = [each for each in self._observers if each is not observer]

    def drop_done(self) -> None:
        """Remove the observers that are done."""
        self._observers = [each for each in self._observers if not each.is_done]

    def begin(self, batch: Mapping[str, Tensor]) -> None:
        """Pass on the batch that the step is about to use."""
        for each in self._observers:
            each.begin(batch)

    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        """Return the context in which model and loss are computed."""
        if not self._observers:
            return NOTHING
        return _all([each.forward(model) for each in self._observers])

    def built(self, loss: Tensor, model: nn.Module) -> None:
        """Pass on the loss with its graph."""
        for each in self._observers:
            each.built((loss,), model)

    def backward(self) -> AbstractContextManager[None]:
        """Return the context in which the backward pass runs."""
        if not self._observers:
            return NOTHING
        return _all([each.backward() for each in self._observers])

    def gradients(self, model: nn.Module) -> None:
        """Pass on the gradients."""
        for each in self._observers:
            each.gradients(model)

    def updated(self, model: nn.Module, optimizer: HasState) -> None:
        """Pass on the new weights."""
        for each in self._observers:
            each.updated(model, optimizer)


@contextmanager
def _all(managers: Sequence[AbstractContextManager[None]]) -> Generator[None]:
    with ExitStack() as stack:
        for each in managers:
            stack.enter_context(each)
        yield
