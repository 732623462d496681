"""How fast a model is edited, analysed and laid out: ``python -m benchmarks.graph``.

Limits on one core: 1,000 edits of 2,000 nodes 100 ms; analysis of 100 nodes 150 ms at first and
20 ms after an edit; undo of a 1,000-node delete 100 ms; layout of 1,000 nodes 300 ms. With blocks:
16 copies of a block of 30 layers 60 ms at first and 30 ms after an edit inside; 16 uses of a block
of 11 layers, as large as resnet50, 10 ms after an edit outside; 1,000 edits inside a block, taken
back again, 500 ms.
"""

import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise

from engine.catalog.spec import Value
from engine.graph.edit.edits import (
    AddNode,
    Connect,
    Edit,
    EditBlock,
    MoveNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.history import History
from engine.graph.layout.layered import arrange
from engine.graph.model import Block, Edge, Graph, Node
from engine.graph.query import make_node
from engine.model.analysis import Analyser, warm_up

ROUNDS = 5


def link(source: str, target: str) -> Edge:
    return Edge(source=source, source_port="output", target=target, target_port="input")


def row(count: int) -> Graph:
    nodes = {f"n{i}": Node(id=f"n{i}", type="ReLU", name=f"n{i}") for i in range(count)}
    edges = tuple(link(f"n{i}", f"n{i + 1}") for i in range(count - 1))
    return Graph(nodes=nodes, edges=edges)


def network(blocks: int) -> Graph:
    conv: dict[str, Value] = {"out_channels": 16, "kernel_size": 3, "padding": 1}
    parts: list[tuple[str, dict[str, Value]]] = [("Input", {"shape": (3, 32, 32)})]
    for _ in range(blocks):
        parts += [("Conv2d", conv), ("BatchNorm2d", {}), ("ReLU", {})]
    parts += [("Flatten", {}), ("Linear", {"out_features": 10}), ("Output", {})]
    graph = Graph()
    for key, params in parts:
        graph = apply(AddNode(node=make_node(graph, key, params=params)), graph)
    for source, target in pairwise(graph.nodes):
        graph = apply(Connect(edge=link(source, target)), graph)
    return graph


def block_of(count: int) -> Block:
    conv: dict[str, Value] = {"out_channels": 16, "kernel_size": 3, "padding": 1}
    parts = [("Conv2d", conv), ("BatchNorm2d", {}), ("ReLU", {})]
    nodes = {"x": Node(id="x", type="BlockInput", name="x")}
    for number in range(count):
        key, params = parts[number % 3]
        nodes[f"l{number}"] = Node(id=f"l{number}", type=key, name=f"l{number}", params=params)
    nodes["output"] = Node(id="output", type="BlockOutput", name="output")
    return Block(nodes=nodes, edges=tuple(link(*pair) for pair in pairwise(nodes)))


def model_of_blocks(layers: int, *, uses: int = 1, repeat: int = 1) -> Graph:
    image: dict[str, Value] = {"shape": (3, 32, 32)}
    nodes = {"input": Node(id="input", type="Input", name="input", params=image)}
    for number in range(uses):
        use = f"use{number}"
        nodes[use] = Node(id=use, type="block.Part", name=use, repeat=repeat)
    nodes["end"] = Node(id="end", type="Output", name="end")
    edges = tuple(
        Edge(
            source=source,
            source_port="output",
            target=target,
            target_port="x" if target.startswith("use") else "input",
        )
        for source, target in pairwise(nodes)
    )
    return Graph(nodes=nodes, edges=edges, blocks={"Part": block_of(layers)})


def edit_block_and_undo() -> None:
    history = History(model_of_blocks(30, uses=16))
    for number in range(1000):
        edit = MoveNodes(positions={"l3": (float(number), 0.0)})
        history.push(apply(EditBlock(block="Part", edit=edit), history.present), "move")
    while history.can_undo:
        history.undo()


def edit_many() -> None:
    graph = row(2000)
    for i in range(250):
        edits: tuple[Edit, ...] = (
            MoveNodes(positions={f"n{i}": (float(i), 1.0)}),
            SetParam(id=f"n{i}", name="inplace", value=True),
            RenameNode(id=f"n{i}", name=f"act{i}"),
            Connect(edge=link(f"n{2 * i}", f"n{2 * i + 1}")),
        )
        for edit in edits:
            graph = apply(edit, graph)


def delete_and_undo() -> None:
    history = History(row(2000))
    ids = tuple(f"n{i}" for i in range(1000))
    history.push(apply(RemoveNodes(ids=ids), history.present), "delete")
    history.undo()


def measure(name: str, limit_ms: float, work: Callable[[], object]) -> bool:
    work()
    times: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    median = statistics.median(times)
    print(f"{name:<40} {median:8.1f} ms  limit {limit_ms:6.0f}  ratio {median / limit_ms:.2f}")
    return median <= limit_ms


def main() -> int:
    warm_up()
    graph, analyser = network(32), Analyser()
    analyser.analyse(graph)
    widths = iter(range(17, 1000))

    def analyse_edit() -> None:
        edit = SetParam(id="conv9", name="out_channels", value=next(widths))
        analyser.analyse(apply(edit, graph))

    thousand = row(1000)
    repeated, used = model_of_blocks(30, repeat=16), model_of_blocks(11, uses=16)
    analyser.analyse(repeated)
    analyser.analyse(used)

    def analyse_block_edit() -> None:
        edit = SetParam(id="l9", name="out_channels", value=next(widths))
        analyser.analyse(apply(EditBlock(block="Part", edit=edit), repeated))

    def analyse_beside_blocks() -> None:
        analyser.analyse(apply(RenameNode(id="end", name=f"end{next(widths)}"), used))

    passed = (
        measure("1,000 edits of 2,000 nodes", 100, edit_many),
        measure("delete 1,000 nodes and undo", 100, delete_and_undo),
        measure("analyse 100 nodes for the first time", 150, lambda: Analyser().analyse(graph)),
        measure("analyse 100 nodes after an edit", 20, analyse_edit),
        measure(
            "analyse 16 × 30 layers for the first time", 60, lambda: Analyser().analyse(repeated)
        ),
        measure("analyse 16 × 30 layers after an edit", 30, analyse_block_edit),
        measure("analyse 177 layers in blocks after an edit", 10, analyse_beside_blocks),
        measure("1,000 edits inside a block and undo", 500, edit_block_and_undo),
        measure("lay out 1,000 nodes", 300, lambda: arrange(thousand, {})),
    )
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
