"""Own code in the host process: loops and crashes end that process, never more than that."""

import pytest

from engine.graph.analysis import Analysis
from engine.graph.model import Edge, Graph, Node
from engine.query.model.request import Analyse
from engine.runtime import HostClient

CODE = """
import ctypes
import torch
from torch import nn


class Fine(nn.Module):
    def forward(self, x):
        return torch.cat([x, x], 1)


class Loop(nn.Module):
    def forward(self, x):
        while True:
            pass


class Crash(nn.Module):
    def forward(self, x):
        ctypes.string_at(0)
        return x

"""


def chain(*names: str) -> Graph:
    """Return a model with an own layer for each name behind the input, each with its output."""
    nodes = {"x": Node(id="x", type="Input", name="x", params={"shape": (4,)})}
    edges: list[Edge] = []
    for name in names:
        own = Node(id=name.lower(), type=f"code.layers.{name}", name=name.lower())
        out = Node(id=f"y_{own.id}", type="Output", name=f"y_{own.id}")
        nodes |= {own.id: own, out.id: out}
        edges.append(Edge(source="x", source_port="output", target=own.id, target_port="x"))
        edges.append(Edge(source=own.id, source_port="output", target=out.id, target_port="input"))
    return Graph(nodes=nodes, edges=tuple(edges), code={"layers.py": CODE})


@pytest.fixture(name="client")
def _client():
    notices = []
    client = HostClient(notices.append)
    client.start()
    yield client
    client.close()
    assert notices == [], "the node says it, not a notice"


def found(analysis: Analysis) -> list[tuple[str, str | None]]:
    return [(problem.code, problem.node) for problem in analysis.problems]


@pytest.mark.real
@pytest.mark.timeout(240)
@pytest.mark.fault("F13")
def test_that_a_crash_is_told_at_its_node_and_the_rest_is_checked(client):
    graph = chain("Fine", "Crash")
    first = client.pid
    answer = client.request(Analyse(graph=graph, trusted=True)).result(170)
    assert found(answer) == [("U016", "crash")]
    assert answer.nodes["fine"].outputs["output"].shape == ("N", 8)
    assert client.pid != first


@pytest.mark.nightly
@pytest.mark.timeout(400)
@pytest.mark.fault("F13")
def test_that_a_loop_and_a_crash_are_told_at_their_nodes_and_the_rest_is_checked(client):
    graph = chain("Fine", "Loop", "Crash")
    untrusted = client.request(Analyse(graph=graph)).result(60)
    assert found(untrusted) == [("U011", "fine"), ("U011", "loop"), ("U011", "crash")]
    first = client.pid
    answer = client.request(Analyse(graph=graph, trusted=True)).result(170)
    assert found(answer) == [("U015", "loop"), ("U016", "crash")]
    assert answer.nodes["fine"].outputs["output"].shape == ("N", 8)
    assert client.pid != first
    again = client.pid
    assert client.request(Analyse(graph=graph, trusted=True)).result(30) == answer
    assert client.pid == again, "what is known to hang is not run again"
    mended = client.request(
        Analyse(
            graph=Graph(
                nodes=graph.nodes,
                edges=graph.edges,
                code={"layers.py": CODE.replace("while True:\n            pass", "return x")},
            ),
            trusted=True,
        )
    ).result(60)
    assert ("U015", "loop") not in found(mended), "another text may run again"
