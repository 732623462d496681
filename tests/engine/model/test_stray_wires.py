"""Wires that begin or end at what is not there, as a bad merge of a project leaves them: findings
with a fix, whatever the model, and never an exception.
"""

import ast
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.data.preview import describe
from engine.diagnostics import Diagnostic, Severity, sentence
from engine.graph.analysis import Analysis
from engine.graph.edit.edits import Connect, Disconnect, RemoveNodes, apply
from engine.graph.edit.surgery import ReplaceHeads, TapOutput
from engine.graph.error import GraphError
from engine.graph.insert.flattening import flattened
from engine.graph.model import Edge, Graph
from engine.graph.templates import templates
from engine.model.analysis import Analyser
from engine.model.repair import Repairer
from engine.project.document import ProjectDocument
from engine.project.project import read_template
from engine.spec.repair import repaired
from tests.engine.graph.builder import model

ANALYSER = Analyser()
STRAY = {"G010", "G011", "G021"}
DAMAGES: dict[str, Callable[[Edge], Edge]] = {
    "source": lambda edge: replace(edge, source="nosuch"),
    "target": lambda edge: replace(edge, target="nosuch"),
    "source port": lambda edge: replace(edge, source_port="nosuch"),
    "target port": lambda edge: replace(edge, target_port="nosuch"),
    "both": lambda edge: replace(edge, source="nosuch", target="neither"),
}
MOST = 2  # damaged models of a template and of each kind of damage


def documents() -> list[ProjectDocument]:
    found = [read_template(info.name) for info in templates()]
    for document in found:
        set_trust(document.graph.code, trusted=True)  # it comes with the program
    return found


def damaged(graph: Graph, damage: Callable[[Edge], Edge]) -> Iterator[Graph]:
    """Yield the model with each wire damaged in turn, of itself and of its blocks."""
    for at, edge in enumerate(graph.edges):
        wires = (*graph.edges[:at], damage(edge), *graph.edges[at + 1 :])
        yield replace(graph, edges=wires)
    for name, block in graph.blocks.items():
        for at, edge in enumerate(block.edges):
            wires = (*block.edges[:at], damage(edge), *block.edges[at + 1 :])
            yield replace(graph, blocks={**graph.blocks, name: replace(block, edges=wires)})


def analysed(sources: list[str], graph: Graph) -> Analysis:
    analysis = ANALYSER.analyse(graph)
    sources.append(analysis.source)
    return analysis


def stray(problems: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [problem for problem in problems if problem.code in STRAY]


@pytest.mark.fault("B08")
@pytest.mark.parametrize("document", documents(), ids=[info.name for info in templates()])
def test_that_a_wire_of_a_template_that_leads_nowhere_is_found_and_can_be_removed(
    document: ProjectDocument,
) -> None:
    info = describe(document.spec.data)
    draw = random.Random(7)
    for kind, damage in DAMAGES.items():
        every = list(damaged(document.graph, damage))
        for graph in draw.sample(every, min(MOST, len(every))):
            sources: list[str] = []
            repairer = Repairer(graph, partial(analysed, sources), document.spec, info)
            ast.parse(sources[0])
            (found,) = stray(repairer.problems)
            assert found.severity is Severity.ERROR
            first = repairer.repairs(found)[0]
            assert "{" not in sentence(first.words, "en") + sentence(first.words, "zh_CN")
            after, _ = repaired(first, graph, document.spec, info)
            assert stray(ANALYSER.analyse(after).problems) == [], kind


def with_wires(graph: Graph, *wires: str) -> Graph:
    names = ("source", "source_port", "target", "target_port")
    parts = [wire.replace(" -> ", ".").split(".") for wire in wires]
    edges = [Edge(**dict(zip(names, part, strict=True))) for part in parts]
    return replace(graph, edges=(*graph.edges, *edges))


def words(graph: Graph, code: str) -> list[str]:
    repairer = Repairer(graph, ANALYSER.analyse)
    problem = next(problem for problem in repairer.problems if problem.code == code)
    return [sentence(fix.words) for fix in repairer.repairs(problem)]


SOUND = model((8,), ("Linear", {"out_features": 4}, "first"), ("ReLU", {}, "last"))


def test_that_the_fix_names_both_ends_and_leaves_the_other_wires() -> None:
    graph = with_wires(SOUND, "nosuch.output -> first.input")
    assert words(graph, "G021") == ["Remove the wire from “nosuch” to “first”"]
    repairer = Repairer(graph, ANALYSER.analyse)
    (fix,) = repairer.repairs(stray(repairer.problems)[0])
    assert repaired(fix, graph, read_template("digits-mlp").spec)[0] == SOUND


def test_that_several_wires_of_one_node_go_with_one_fix() -> None:
    graph = with_wires(SOUND, "first.output -> gone.input", "first.output -> lost.input")
    assert words(graph, "G021") == ["Remove the 2 wires"]


def test_that_a_port_whose_wire_comes_from_nowhere_is_told_to_wait_for_one() -> None:
    wires = tuple(edge for edge in SOUND.edges if edge.target != "first")
    graph = with_wires(replace(SOUND, edges=wires), "nosuch.output -> first.input")
    assert {problem.code for problem in ANALYSER.analyse(graph).problems} >= {"G021", "G033"}
    assert words(graph, "G033")[0] == "Connect “x” to “first”"


@pytest.mark.parametrize("wire", ["nosuch.output -> {node}.input", "{node}.output -> nosuch.input"])
@pytest.mark.parametrize("document", documents(), ids=[info.name for info in templates()])
def test_that_a_model_with_such_a_wire_can_be_worked_on(
    document: ProjectDocument, wire: str
) -> None:
    for node in document.graph.nodes.values():
        if node.type in ("Input", "Output"):
            continue
        graph = with_wires(document.graph, wire.format(node=node.id))
        for edit in (TapOutput(place=node.id), ReplaceHeads(size=7), RemoveNodes(ids=(node.id,))):
            with suppress(GraphError):  # a model may have no head, for one
                ANALYSER.analyse(apply(flattened(edit, graph, {}, (180.0, 48.0)), graph))


def test_that_a_layer_called_again_is_analysed_while_the_first_call_leads_nowhere() -> None:
    graph = read_template("lenet").graph
    again = next(node.id for node in graph.nodes.values() if node.shares)
    first = next(edge for edge in graph.edges if graph.nodes[edge.source].type == "Input")
    analysis = ANALYSER.analyse(apply(Connect(edge=replace(first, target=again)), graph))
    assert "self.pool(" in analysis.source


def test_that_a_layer_called_again_is_not_left_out_unsaid_while_its_owner_has_no_wire() -> None:
    graph = read_template("lenet").graph
    owner = next(node.shares for node in graph.nodes.values() if node.shares)
    gone = tuple(edge for edge in graph.edges if owner in (edge.source, edge.target))
    after = Connect(edge=replace(gone[0], target=gone[1].target, target_port=gone[1].target_port))
    analysis = ANALYSER.analyse(apply(after, apply(Disconnect(edges=gone), graph)))
    assert ("G033", owner) in {(p.code, p.node) for p in analysis.problems}
