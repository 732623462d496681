"""Layers that are typed as a phrase: what it would add, and the edit that adds it."""

from collections.abc import Sequence

from engine.catalog.validate import format_value
from engine.diagnostics import sentence
from engine.graph.analysis import Analysis
from engine.graph.error import GraphError
from engine.graph.insert.growing import InsertionPoint, grow
from engine.graph.insert.phrase import Step, called, is_phrase, parse_phrase
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import INPUT
from engine.spec.defaults import fit_inputs
from studio.i18n import translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.canvas.items.node_item import HEADER, WIDTH
from widgets.canvas.view_model import PhrasePart, PhraseView, Spot

_LEAST_ROW = 1_000.0  # scene units
_AXES = {3: 1, 4: 2, 5: 3}  # of an image or sequence, by all the axes of its batch


class PhraseController(Controller):
    """Glue between the search on the canvas and the session, for phrases."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        canvas.set_phrase_rule(self._preview)
        canvas.phrase_requested.connect(self.add)

    def add(self, text: str, spot: Spot) -> None:
        """Add the nodes of a phrase, wired, as one step to undo; nothing where a part is wrong."""
        steps = self._steps(text, spot)
        row = [(step.entry, step.params) for step in steps if step.entry and not step.problem]
        if not row or len(row) < len(steps):
            return
        try:
            grown = grow(self._session.level, row, self._place(spot), self._fitted)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        label = translate("Model", "Add layers")
        if self._model.try_edit(grown.edit, label, lays_wires=True):
            self._model.select_soon(grown.ids)

    def _preview(self, text: str, spot: Spot) -> PhraseView:
        parts = [self._part(step) for step in self._steps(text, spot)]
        return PhraseView(parts=tuple(parts), is_phrase=is_phrase(text))

    def _part(self, step: Step) -> PhrasePart:
        if step.entry is None or step.problem is not None:
            problem = sentence(step.problem, self._language()) if step.problem else ""
            return PhrasePart(text=step.text, problem=problem)
        return PhrasePart(text=_written(step))

    def _steps(self, text: str, spot: Spot) -> Sequence[Step]:
        analysis = self._session.findings.at(self._session.path).analysis
        return parse_phrase(text, self._model.offered, _axes(analysis, spot))

    def _place(self, spot: Spot) -> InsertionPoint:
        edge = None
        if spot.wire is not None:
            source, source_port, target, target_port = spot.wire
            edge = Edge(
                source=source, source_port=source_port, target=target, target_port=target_port
            )
        end = spot.end
        is_node = end is not None and end.node in self._session.level.nodes
        port = (end.node, end.port) if end is not None and is_node else None
        return InsertionPoint(
            position=(spot.x, spot.y),
            size=(WIDTH, HEADER),
            sizes=self._model.sizes(),
            room_width=max(self._model.room()[0], _LEAST_ROW),
            source=port if end is not None and end.is_output else None,
            target=port if end is not None and not end.is_output else None,
            edge=edge if edge in self._session.level.edges else None,
        )

    def _fitted(self, node: Node) -> Node:
        """Return a new input of the model with the shape of the data, unless one was typed."""
        data = self._session.findings.data
        if node.type != INPUT or data is None:
            return node
        return fit_inputs(Graph(nodes={node.id: node}), data).nodes[node.id]


def _written(step: Step) -> str:
    """Return a node as it will be, like a call: ``Conv2d(32, 3, stride=2)``."""
    entry = step.entry
    if entry is None:
        return step.text
    words: list[str] = []
    for spec in entry.params:
        value = step.params.get(spec.name, spec.default)
        if spec.name not in step.params or value in (spec.default, "auto"):
            continue
        is_first = spec.required and not any("=" in word for word in words)
        text = format_value(value)
        words.append(text if is_first else f"{spec.name}={text}")
    return f"{called(entry)}({', '.join(words)})"


def _axes(analysis: Analysis, spot: Spot) -> int:
    """Return how many axes of space or time there are where the phrase begins; else two."""
    port = spot.wire[:2] if spot.wire is not None else None
    if spot.end is not None and spot.end.is_output:
        port = (spot.end.node, spot.end.port)
    report = analysis.nodes.get(port[0]) if port else None
    tensor = report.outputs.get(port[1]) if report and port else None
    return _AXES.get(len(tensor.shape), 2) if tensor else 2
