"""Watcher that captures tensors on request: at once between two steps, or in the next step."""

from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic
from engine.events import CaptureTensor, ListTensors, TensorCaptured, TensorsListed, Warned
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, SEPARATOR, block_of, body
from engine.graph.model import Graph
from engine.inspect.node_path import NodePaths
from engine.inspect.tensor_observer import (
    TensorObserver,
    capture_tensor,
    existing_tensor,
    list_tensors,
)
from engine.runs.record.tensor_capture import (
    NEEDS_STEP,
    CapturedTensor,
    TensorListing,
    listing_files,
    tensor_files,
)
from engine.train.report import Reporter
from engine.train.training import Training

_ENDS = ("Input", "Output", BLOCK_INPUT, BLOCK_OUTPUT)


class TensorWatcher:
    """Writes tensors of a run into its folder and records them."""

    def __init__(
        self, training: Training, node_paths: NodePaths, reporter: Reporter, artefacts: Path
    ) -> None:
        self._training = training
        self._node_paths = node_paths
        self._reporter = reporter
        self._artefacts = artefacts
        self._observer: TensorObserver | None = None
        self.step = 0

    def handle(self, command: ListTensors | CaptureTensor) -> None:
        """Carry out a command. Raises :class:`DiagnosticError` when the disk is full."""
        if isinstance(command, ListTensors):
            self._list()
        else:
            self._capture(command)

    def _list(self) -> None:
        training = self._training
        fields = sorted(training.data.parts["train"].names)
        tensors = list_tensors(
            training.model, training.phases, fields, computing_nodes(self._node_paths.graph)
        )
        path = listing_files.write(self._artefacts, self.step, TensorListing(tensors=tensors))
        listed = TensorsListed(step=self.step, file=path.relative_to(self._artefacts).as_posix())
        self._reporter.append(listed)

    def _capture(self, command: CaptureTensor) -> None:
        """Capture a tensor now, or in the next step."""
        training = self._training
        if command.kind in NEEDS_STEP:
            if self._observer is None:
                fields = training.data.info.fields
                vocabularies = {each.name: each.vocabulary for each in fields if each.words}
                self._observer = TensorObserver(self._node_paths, [], vocabularies)
                training.probe.add(self._observer)
            self._observer.want(command.kind, command.name)
            return
        tensor = existing_tensor(training.model, training.phases, command.kind, command.name)
        if tensor is None:
            self._warn_missing(command.kind, command.name)
        else:
            self._record(capture_tensor(command.kind, command.name, tensor))

    def step_done(self) -> None:
        """Record what was captured in the step. Raises as :meth:`handle` does."""
        if self._observer is None or not self._observer.is_done:
            return
        observer, self._observer = self._observer, None
        for captured in observer.captured:
            self._record(captured)
        names = {(captured.kind, captured.name) for captured in observer.captured}
        for kind, name in observer.wanted:
            if (kind, name) not in names:
                self._warn_missing(kind, name)

    def _record(self, captured: CapturedTensor) -> None:
        files = tensor_files.files(self._artefacts)
        number = int(files[-1].stem) + 1 if files else 1
        at_step = msgspec.structs.replace(captured, step=self.step)
        path = tensor_files.write(self._artefacts, number, at_step)
        event = TensorCaptured(
            step=self.step,
            file=path.relative_to(self._artefacts).as_posix(),
            kind=captured.kind,
            name=captured.name,
        )
        self._reporter.append(event)

    def _warn_missing(self, kind: str, name: str) -> None:
        problem = Diagnostic(code="A021", params={"kind": kind, "name": name})
        self._reporter.append(Warned(problem=problem, step=self.step))


def computing_nodes(graph: Graph) -> tuple[str, ...]:
    """Return the paths of all nodes that compute something, inside blocks too."""
    paths: list[str] = []
    for node in graph.nodes.values():
        if node.type in _ENDS:
            continue
        paths.append(node.id)
        block = block_of(graph, node)
        if block is not None:
            inner = computing_nodes(body(graph, block))
            paths += [f"{node.id}{SEPARATOR}{path}" for path in inner]
    return tuple(paths)
