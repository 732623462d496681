"""A run captures the autograd graph of a step when it is asked to."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.events import CaptureGraph
from engine.runs.record.autograd_graph import AutogradGraph
from engine.runs.record.graph_files import KEPT, graph_files, read_graph, step_of, write_graph
from tests.tiny_run import make_run, train


def test_that_a_run_captures_the_graph_of_its_next_step(tmp_path) -> None:
    run = make_run(tmp_path, epochs=1)
    run.send(CaptureGraph())
    plain = train(make_run(tmp_path / "other", epochs=1))
    state = train(run)
    assert state.graph is not None
    graph = read_graph(run.artefacts / state.graph.file)
    assert state.graph.functions == len(graph.nodes)
    nodes = run.document.graph.nodes
    assert {node.place for node in graph.nodes if node.place} <= nodes.keys()
    assert any(node.place and nodes[node.place].type == "Linear" for node in graph.nodes)
    assert {call.id for call in graph.calls} == {node.id for node in graph.nodes}
    assert graph.is_freed
    assert step_of(run.artefacts / state.graph.file) == state.graph.step == 1
    assert state.metrics == plain.metrics  # looking changes nothing


def test_that_only_the_newest_graphs_are_kept(tmp_path) -> None:
    empty = AutogradGraph(nodes=(), edges=(), roots=())
    for step in range(KEPT + 3):
        write_graph(tmp_path, step, empty)
    assert [step_of(path) for path in graph_files(tmp_path)] == list(range(3, KEPT + 3))


@pytest.mark.parametrize("content", [b"", b"\x81", b"{}", b"\x93\x01\x02\x03" * 9])
def test_that_a_broken_graph_file_is_told(tmp_path, content: bytes) -> None:
    path = tmp_path / "000000001.graph"
    path.write_bytes(content)
    with pytest.raises(DiagnosticError) as found:
        read_graph(path)
    assert found.value.problems[0].code == "A002"
