"""What recomputing activations saves and costs, counted without numbers."""

import pytest
from msgspec.structs import replace

from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import RecomputeNodes
from engine.query.memory.answer import cost_of_recomputation, estimate
from engine.query.memory.request import EstimateRecomputation
from engine.spec.run import RunSpec
from tests.tiny_run import chain, iris_spec, node

WIDTH = 256
BATCH = 32


def deep() -> Graph:
    """Return a model of two wide parts: each is a Linear, a Tanh and a Linear."""
    return chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "wide1", out_features=WIDTH),
        node("Tanh", "act1"),
        node("Linear", "wide2", out_features=WIDTH),
        node("Tanh", "act2"),
        node("Dropout", "drop"),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


def marked(*ids: str) -> Graph:
    return apply(RecomputeNodes(ids=ids), deep())


def spec(batch: int = BATCH) -> RunSpec:
    return iris_spec(data=replace(iris_spec().data, batch_size=batch))


def test_that_the_second_pass_is_counted_in_operations() -> None:
    graph = apply(GroupNodes(ids=("wide2", "act2"), name="Body"), deep())
    after = apply(RecomputeNodes(ids=("body",)), graph)
    report = cost_of_recomputation(EstimateRecomputation(graph=graph, after=after, spec=spec()))
    more = 2 * BATCH * WIDTH * WIDTH  # of the Linear; nothing needs what the Tanh gives again
    assert report.after.flops - report.step.flops == more
    assert report.more_flops == pytest.approx(more / report.step.flops)


def test_that_what_is_recomputed_is_not_kept() -> None:
    kept = {row.place: row.saved for row in estimate(deep(), spec()).rows}
    saved = {row.place: row.saved for row in estimate(marked("drop"), spec()).rows}
    assert kept["drop"] > 0  # its mask
    assert saved.get("drop", 0) == 0


@pytest.mark.parametrize(("parts", "is_less"), [(1, False), (4, True)])
def test_that_the_most_memory_at_once_has_what_is_recomputed(parts: int, is_less: bool) -> None:
    """A deep network recomputed as a whole saves nothing; in several parts it does."""
    layers = [node("Tanh" if n % 2 else "Linear", f"n{n}", **size(n)) for n in range(16)]
    ends = (node("Linear", "head", out_features=3), node("Output", "logits"))
    graph = chain(node("Input", "features", field="features", shape=(4,)), *layers, *ends)
    for part in range(parts):
        share = 16 // parts
        ids = tuple(f"n{n}" for n in range(part * share, (part + 1) * share))
        graph = apply(GroupNodes(ids=ids, name=f"Part{part}"), graph)
    uses = tuple(key for key, each in graph.nodes.items() if each.type.startswith("block."))
    after = apply(RecomputeNodes(ids=uses), graph)
    request = EstimateRecomputation(graph=graph, after=after, spec=spec(BATCH * 64))
    assert (cost_of_recomputation(request).saved_memory > 0) is is_less


def size(number: int) -> dict[str, int]:
    return {} if number % 2 else {"out_features": 64}
