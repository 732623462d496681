"""Captures the autograd graph of one step."""

from collections.abc import Sequence
from contextlib import AbstractContextManager

from torch import Tensor, nn
from typing_extensions import override

from engine.inspect.autograd import capture
from engine.inspect.observer import Observer
from engine.inspect.origin import watched
from engine.inspect.places import Places
from engine.runs.autograd_graph import AutogradGraph


class GraphObserver(Observer):
    """Looks at the next step; ``graph`` is what it built, if anything there needs a gradient."""

    def __init__(self, places: Places | None = None) -> None:
        self.graph: AutogradGraph | None = None
        self._places = places

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        return watched(model)

    @override
    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        roots = [term for term in terms if term.grad_fn is not None]
        self.graph = capture(roots, model, self._places) if roots else None
        self.is_done = True
