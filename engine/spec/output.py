"""Outputs of a model as loss terms see them: the Output nodes by name."""

from dataclasses import dataclass

from engine.graph.analysis import Analysis, TensorType
from engine.graph.model import Graph
from engine.graph.query import without_stray_wires

OUTPUT = "Output"
MODEL_OUTPUT = "ModelOutput"
"""The loss that is an output of the model, as it is."""
LOSS_PREFIX = "loss_"
"""What the names of outputs begin with that are losses which the model computes itself."""
FOUND = ("boxes", "labels", "scores")
"""The names of the outputs of a detector: what it finds in each picture, in rows of which those of
score 0 are empty."""


@dataclass(frozen=True, kw_only=True)
class ModelOutput:
    """One Output node: its id and name, the node that feeds it, and the type of the tensor (None
    while it is not known); ``is_absent`` tells that there is never a tensor, but None.
    """

    id: str
    name: str
    source: str | None
    type: TensorType | None
    is_absent: bool = False

    @property
    def binding(self) -> str:
        """What a loss term calls it."""
        return f"model.{self.name}"


def model_outputs(graph: Graph, analysis: Analysis | None = None) -> dict[str, ModelOutput]:
    """Return the outputs of a model by name, in the order of the tuple that it returns."""
    feeding = {edge.target: edge for edge in without_stray_wires(graph).edges}
    outputs: dict[str, ModelOutput] = {}
    for node in graph.nodes.values():
        if node.type != OUTPUT:
            continue
        edge = feeding.get(node.id)
        report = None if edge is None or analysis is None else analysis.nodes.get(edge.source)
        outputs[node.name] = ModelOutput(
            id=node.id,
            name=node.name,
            source=None if edge is None else edge.source,
            type=None if edge is None or report is None else report.outputs.get(edge.source_port),
            is_absent=edge is not None and report is not None and edge.source_port in report.absent,
        )
    return outputs
