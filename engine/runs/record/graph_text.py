"""Text of a captured autograd graph for other programs: Graphviz's DOT, and JSON."""

import json

import msgspec

from engine.runs.record.autograd_graph import AutogradGraph, AutogradNode


def graph_dot(graph: AutogradGraph) -> bytes:
    """Return the graph in the DOT language; an edge is labelled with the number of the output that
    its gradient is of, its shape and dtype. Layers of the model are clusters.
    """
    lines = ["digraph autograd {", "  rankdir=LR;", "  node [shape=box];"]
    layers: dict[str, list[AutogradNode]] = {}
    for node in graph.nodes:
        layers.setdefault(node.layer, []).append(node)
    for layer, nodes in layers.items():
        if layer:
            lines += [
                f"  subgraph {_quoted(f'cluster_{layer}')} {{",
                f"    label={_quoted(layer)};",
            ]
        lines += [f"    {_quoted(node.id)} [label={_quoted(_label(node))}];" for node in nodes]
        if layer:
            lines.append("  }")
    nodes = {node.id: node for node in graph.nodes}
    for source, target, number in graph.edges:
        label = _gradient(nodes[target], number)
        lines.append(f"  {_quoted(source)} -> {_quoted(target)} [label={_quoted(label)}];")
    return ("\n".join([*lines, "}"]) + "\n").encode()


def graph_json(graph: AutogradGraph) -> bytes:
    """Return all that was captured as JSON; what is not a number in it (NaN) is null."""
    return msgspec.json.format(msgspec.json.encode(graph), indent=1) + b"\n"


def _gradient(node: AutogradNode, number: int) -> str:
    if number >= len(node.outputs):
        return str(number)
    meta = node.outputs[number]
    return f"{number}: {'×'.join(map(str, meta.shape))} {meta.dtype}"


def _label(node: AutogradNode) -> str:
    shape = "×".join(map(str, node.shape))
    return "\n".join(part for part in (node.name, node.parameter, shape) if part)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
