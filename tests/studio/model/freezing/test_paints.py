"""The paints of nodes on the canvas, as they follow from model and recipe."""

from msgspec.structs import replace

from engine.spec.phase import PhaseSpec
from engine.spec.run import PhaseRule
from studio.model.freezing.presenter import in_paints
from tests.tiny_run import iris_graph, iris_spec, node
from widgets.canvas.view_model import CanvasView, NodeView


def test_that_a_node_that_uses_the_weights_of_another_has_its_paint():
    graph = iris_graph()
    again = replace(node("Linear", "again", out_features=8), shares="hidden")
    graph = replace(graph, nodes={**graph.nodes, "again": again})
    spec = iris_spec(phase=PhaseRule(match="hidden"), phases=(PhaseSpec(name="tail"),))
    for frozen in (False, True):
        nodes = tuple(
            NodeView(id=each, title=each, is_frozen=frozen and each == "hidden")
            for each in ("hidden", "again", "head", "act")
        )
        shown = in_paints(CanvasView(nodes=nodes), graph, graph, spec, (), in_phases=True)
        own, other, tail, plain = ((one.color, one.subtitle) for one in shown.nodes)
        assert own == other != tail
        assert tail[1] == "tail"
        assert plain == ("", "")
