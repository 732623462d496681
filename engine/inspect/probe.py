"""What a run is asked to look at in its next step, and what was seen there."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

from torch import Tensor, nn

from engine.inspect.autograd import capture
from engine.inspect.origin import watched
from engine.inspect.places import Places
from engine.runs.autograd_graph import AutogradGraph


class Probe:
    """Looks into a step when it was asked to; a step that nobody asked about costs nothing."""

    def __init__(self, places: Places | None = None) -> None:
        self._places = places
        self._is_wanted = False
        self._graph: AutogradGraph | None = None

    def ask(self) -> None:
        """Have the graph of the next step captured."""
        self._is_wanted = True

    def watching(self, model: nn.Module) -> AbstractContextManager[None]:
        """Return what the forward pass of a step runs in."""
        return watched(model) if self._is_wanted else _IDLE

    def built(self, terms: Iterable[Tensor], model: nn.Module) -> None:
        """Look at the graph of a step, before its backward pass frees what it keeps."""
        if self._is_wanted:
            self._is_wanted = False
            roots = [term for term in terms if term.grad_fn is not None]
            self._graph = capture(roots, model, self._places) if roots else None

    def take(self) -> AutogradGraph | None:
        """Return the graph that was captured since the last call, if one was."""
        graph, self._graph = self._graph, None
        return graph


_IDLE = nullcontext()
