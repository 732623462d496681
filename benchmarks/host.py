"""What the way through the host process costs: ``python -m benchmarks.host``.

One edit in the middle of a model of 100 nodes, analysed directly and through the host, in turn.
Limit: 50 ms for the whole way on a quiet machine.
"""

import statistics
import sys
import time

import msgspec

from benchmarks.graph import network
from engine.graph.model import Graph
from engine.model.analysis import Analyser
from engine.query.machine.request import WarmUp
from engine.query.model.request import Analyse
from engine.runtime import HostClient

ROUNDS = 30
LIMIT_MS = 50.0


def edited(graph: Graph, number: int) -> Graph:
    """Return a graph with one kernel changed that was never asked about before."""
    name = [node.id for node in graph.nodes.values() if node.type == "Conv2d"][16]
    node = graph.nodes[name]
    params = {**node.params, "kernel_size": 3, "padding": number + 2}
    changed = msgspec.structs.replace(node, params=params)
    return msgspec.structs.replace(graph, nodes={**graph.nodes, name: changed})


def main() -> int:
    graph = network(32)
    analyser, client = Analyser(), HostClient()
    client.start()
    client.request(WarmUp()).result()
    analyser.analyse(graph)
    client.request(Analyse(graph=graph)).result()
    direct: list[float] = []
    through: list[float] = []
    for number in range(ROUNDS):
        one, other = edited(graph, 2 * number), edited(graph, 2 * number + 1)
        begun = time.perf_counter()
        analyser.analyse(one)
        between = time.perf_counter()
        client.request(Analyse(graph=other)).result()
        through.append((time.perf_counter() - between) * 1e3)
        direct.append((between - begun) * 1e3)
    client.close()
    one, other = statistics.median(direct), statistics.median(through)
    print(f"nodes {len(graph.nodes)}  direct {one:.1f} ms  through the host {other:.1f} ms")
    print(f"ratio {other / one:.2f}  slowest {max(through):.1f} ms  limit {LIMIT_MS:.0f} ms")
    return 0 if other <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
