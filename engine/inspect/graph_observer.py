"""Observer that captures the autograd graph of one step, and the backward pass through it."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

from msgspec.structs import replace
from torch import Tensor, nn
from torch.autograd.graph import Node
from typing_extensions import override

from engine.inspect.autograd import capture_functions, freed
from engine.inspect.backward import Recording
from engine.inspect.cut import Cuts
from engine.inspect.forward_value import noted, read_notes
from engine.inspect.node_path import NodePaths
from engine.inspect.observer import NOTHING, Observer
from engine.inspect.origin import watched
from engine.runs.record.autograd_graph import AutogradGraph


class GraphObserver(Observer):
    """Observes the next step; ``graph`` is its autograd graph, if anything in it requires a
    gradient, with the results of its operations and the calls of its backward pass. Of a step with
    several backward passes, of an optimizer with a closure or of accumulated batches, it is the
    first.
    """

    def __init__(self, node_paths: NodePaths | None = None) -> None:
        self.graph: AutogradGraph | None = None
        self._node_paths = node_paths
        self._functions: dict[Node, int] = {}
        self._recording: Recording | None = None
        self._is_recorded = False
        self._cuts: Cuts | None = None

    @override
    def forward(self, model: nn.Module) -> AbstractContextManager[None]:
        if self.is_done or self.graph is not None:
            return NOTHING
        self._cuts = Cuts(model)
        return _watched(model, self._cuts)

    @override
    def built(self, terms: Sequence[Tensor], model: nn.Module) -> None:
        roots = [term for term in terms if term.grad_fn is not None]
        if self.is_done or self.graph is not None or not roots:
            return
        graph, self._functions = capture_functions(roots, model, self._node_paths)
        cuts = self._cuts.parts(self._functions, self._node_paths) if self._cuts else ()
        self.graph, self._cuts = replace(graph, cuts=cuts), None
        self._recording = Recording(self._functions)

    @override
    def backward(self) -> AbstractContextManager[None]:
        if self._recording is None or self._is_recorded:
            return NOTHING
        self._is_recorded = True
        return _recorded(self._recording)

    @override
    def gradients(self, model: nn.Module) -> None:
        if self.graph is not None and self._recording is not None:
            after = freed(self.graph, self._functions)
            values = read_notes(self._functions)
            nodes = tuple(replace(node, values=values.get(node.id, ())) for node in after.nodes)
            self.graph = replace(after, nodes=nodes, calls=self._recording.calls())
        self._functions, self._recording = {}, None
        self.is_done = True


@contextmanager
def _watched(model: nn.Module, cuts: Cuts) -> Generator[None]:
    with watched(model), noted(), cuts:
        yield


@contextmanager
def _recorded(recording: Recording) -> Generator[None]:
    recording.start()
    try:
        yield
    finally:
        recording.stop()
