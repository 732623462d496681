"""What frozen layers save in a step: operations and memory, counted without numbers."""

import pytest

from engine.graph.node_state.freezing import FreezeNodes, freeze_nodes
from engine.query.memory.answer import savings_of_freezing
from engine.query.memory.request import EstimateFreezing
from tests.tiny_run import iris_graph, iris_spec, node


@pytest.mark.row("N10")
def test_that_a_frozen_beginning_saves_its_whole_backward_pass() -> None:
    graph = freeze_nodes(FreezeNodes(ids=("hidden",)), iris_graph())
    spec = iris_spec()
    report = savings_of_freezing(EstimateFreezing(graph=graph, spec=spec))
    product = 2 * spec.data.batch_size  # operations of one multiplication of each sample
    hidden, head = 4 * 8 * product, 8 * 3 * product
    # forward of both; weights of both and the input of the head: that of the model needs none
    assert report.unfrozen.flops == (hidden + head) + (hidden + 2 * head)
    assert report.step.flops == (hidden + head) + head
    assert report.saved_flops == 1 - report.step.flops / report.unfrozen.flops
    weights = (4 * 8 + 8) * 4
    assert report.saved_memory > 2 * weights  # gradients, the optimizer, and what is saved


@pytest.mark.row("N10")
def test_that_a_layer_frozen_behind_others_saves_its_weights_alone() -> None:
    graph = freeze_nodes(FreezeNodes(ids=("head",)), iris_graph())
    spec = iris_spec()
    report = savings_of_freezing(EstimateFreezing(graph=graph, spec=spec))
    assert report.unfrozen.flops - report.step.flops == 8 * 3 * 2 * spec.data.batch_size


def test_that_nothing_frozen_saves_nothing() -> None:
    graph = iris_graph(node("Dropout", "drop"))
    report = savings_of_freezing(EstimateFreezing(graph=graph, spec=iris_spec()))
    assert report.saved_flops == 0
    assert report.saved_memory == 0
