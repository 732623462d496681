"""Repairs of missing edges and nodes."""

from collections.abc import Iterator

from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.block import block_name, block_of, body, entry_of
from engine.graph.check import missing_inputs, wire_findings
from engine.graph.edit.edits import AddNode, Batch, Connect, Disconnect, EditBlock, RemoveNodes
from engine.graph.model import Edge, Graph, Node
from engine.graph.query import (
    INPUT,
    OUTPUT,
    dependents,
    incoming,
    input_ports,
    make_node,
    outgoing,
    output_ports,
)
from engine.graph.repair.case import Case, RepairProposal, words

Found = Iterator[RepairProposal | None]
_GAP = 240.0
_MOST = 3


def missing_wire(case: Case) -> Found:
    """G023, G031, G033: nothing arrives at a port; what is to the left and unused comes first."""
    graph, node = case.graph, case.node
    name = _free_port(graph, node, str(case.problem.params.get("port")))
    after = dependents(graph, [node.id])
    loose = [
        other
        for other in reversed(graph.nodes.values())
        if other.id not in after and output_ports(graph, other)
    ]
    loose.sort(key=lambda other: (bool(outgoing(graph, other.id)), _distance(other, node)))
    for other in loose[:_MOST] if name else ():
        edge = Edge(
            source=other.id,
            source_port=output_ports(graph, other)[0].name,
            target=node.id,
            target_port=name,
        )
        yield RepairProposal(
            words=words("F024", source=other.name, name=node.name), edit=Connect(edge=edge)
        )
    if name and all(other.type != INPUT for other in graph.nodes.values()):
        yield _input_before(graph, node, name)


def _distance(a: Node, b: Node) -> float:
    return abs(a.position[0] - b.position[0]) + abs(a.position[1] - b.position[1])


def missing_output(graph: Graph) -> Found:
    """G024: a model without an output gets one behind what nothing else uses."""
    for node in reversed(graph.nodes.values()):
        ports = output_ports(graph, node)
        if not ports or outgoing(graph, node.id) or (node.type == INPUT and len(graph.nodes) > 1):
            continue
        made = make_node(graph, OUTPUT, (node.position[0] + _GAP, node.position[1]))
        port = input_ports(Graph(nodes={made.id: made}), made)[0].name
        edge = Edge(source=node.id, source_port=ports[0].name, target=made.id, target_port=port)
        edit = Batch(edits=(AddNode(node=made), Connect(edge=edge)))
        yield RepairProposal(words=words("F025", name=node.name), edit=edit)


def missing_input(graph: Graph) -> Found:
    """G025: a model without an input gets one before a node that waits for a wire, first before
    those that something else reads.
    """
    waiting: list[tuple[Node, str]] = []
    for node in graph.nodes.values():
        entry = entry_of(graph, node)
        ports = missing_inputs(node, entry, incoming(graph, node.id)) if entry else ()
        waiting += [(node, _free_port(graph, node, port.name)) for port in ports[:1]]
    waiting.sort(key=lambda item: not outgoing(graph, item[0].id))
    for node, port in waiting[:_MOST]:
        yield _input_before(graph, node, port)


def _input_before(graph: Graph, node: Node, port: str) -> RepairProposal:
    made = make_node(graph, INPUT, (node.position[0] - _GAP, node.position[1]))
    first = output_ports(graph, made)[0].name
    edge = Edge(source=made.id, source_port=first, target=node.id, target_port=port)
    edit = Batch(edits=(AddNode(node=made), Connect(edge=edge)))
    return RepairProposal(words=words("F026", name=node.name), edit=edit)


def _free_port(graph: Graph, node: Node, name: str) -> str:
    """Return the port that a problem names, or the first of those that it stands for; empty where
    there is none.
    """
    ports = [port.name for port in input_ports(graph, node)]
    return name if name in ports else next((port for port in ports if port.startswith(name)), "")


def stray_wire(problem: Diagnostic, graph: Graph) -> Found:
    """G010, G011, G021: wires that begin or end at what is not there are taken away. Of one with
    neither end the finding is at the use of the block that it is in.
    """
    key = (problem.code, problem.node)
    edges = tuple(
        edge for edge, finding in wire_findings(graph) if (finding.code, finding.node) == key
    )
    if edges:
        ends = {"source": _called(graph, edges[0].source), "name": _called(graph, edges[0].target)}
        one, several = words("F028", **ends), words("F029", count=len(edges))
        yield RepairProposal(
            words=one if len(edges) == 1 else several, edit=Disconnect(edges=edges)
        )
        return
    node = graph.nodes.get(problem.node or "")
    block = None if node is None else block_of(graph, node)
    if node is not None and block is not None:
        for proposal in stray_wire(replace(problem, node=None), body(graph, block)):
            assert proposal is not None
            assert proposal.edit is not None
            yield replace(proposal, edit=EditBlock(block=block_name(node), edit=proposal.edit))


def _called(graph: Graph, node_id: str) -> str:
    node = graph.nodes.get(node_id)
    return (node_id if node is None else node.name)[:60]


def unused(case: Case) -> Found:
    """G026: a node whose result goes nowhere is taken away; one that is fed may be an output."""
    node, graph = case.node, case.graph
    if node.type != INPUT:
        yield RepairProposal(words=words("F005", name=node.name), edit=RemoveNodes(ids=(node.id,)))
    if incoming(graph, node.id) and not outgoing(graph, node.id):
        yield from (
            proposal
            for proposal in missing_output(graph)
            if proposal and _is_at(proposal, node.name)
        )


def _is_at(proposal: RepairProposal, name: str) -> bool:
    return proposal.words.params.get("name") == name
