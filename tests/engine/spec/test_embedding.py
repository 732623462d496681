"""Rows that an embedding does not have: found before the run, mended, and explained after it."""

from pathlib import Path

import pytest

from engine.api import check
from engine.diagnostics import Diagnostic
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.model import Node
from engine.graph.repair.proposals import proposals
from engine.runs.record.state import RunStatus
from engine.spec.defaults import bind_losses
from engine.spec.run import Choice, DataSpec, RunSpec
from tests.tiny_run import chain, iris_spec, make_run, node, train

WORDS = DataSpec(
    source=Choice(
        type="random",
        params={
            "kind": "sequence",
            "shape": (6,),
            "vocabulary": 20,
            "samples": 64,
            "target": "classes",
        },
    )
)


def words(rows: int, *between: Node) -> tuple[Node, ...]:
    return (
        node("Input", "text", field="sequence", shape=(6,), dtype="int64"),
        *between,
        node("Embedding", "table", num_embeddings=rows, embedding_dim=4),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )


def findings(*nodes: Node) -> list[Diagnostic]:
    spec = RunSpec(data=WORDS)
    graph = chain(*nodes)
    return [p for p in check(graph, spec).problems if p.code in ("R075", "R076")]


@pytest.mark.row("S342")
def test_that_too_few_rows_are_found_before_the_run_and_the_fix_gives_enough() -> None:
    (found,) = findings(*words(10))
    assert (found.code, found.node, found.field) == ("R075", "table", "num_embeddings")
    assert found.params["needed"] == 20
    graph = chain(*words(10))
    (fix,) = proposals(found, graph, check(graph, RunSpec(data=WORDS)).analysis)
    assert fix.edit is not None
    assert findings(*words(20)) == []
    assert len(findings(*words(19, node("unsqueeze", "more", dim=1)))) == 1


@pytest.mark.row("S342")
def test_that_too_few_rows_inside_a_block_are_found_there_and_mended() -> None:
    spec = RunSpec(data=WORDS)
    graph = apply(GroupNodes(ids=("table", "flat"), name="Encoder"), chain(*words(10)))
    found = [p for p in check(graph, spec).problems if p.code == "R075"]
    assert [(p.node, p.field) for p in found] == [("encoder/table", "num_embeddings")]
    (fix,) = proposals(found[0], graph, check(graph, spec).analysis)
    assert fix.edit is not None
    mended = check(apply(fix.edit, graph), spec)
    assert "R075" not in [p.code for p in mended.problems]


@pytest.mark.row("S342")
@pytest.mark.parametrize("is_inside", [False, True])
def test_that_a_row_that_is_not_there_is_explained_where_a_run_met_it(
    tmp_path: Path, is_inside: bool
) -> None:
    # what is added is not looked through beforehand
    graph = chain(*words(20, node("add", "beyond", other=7)))
    assert findings(*graph.nodes.values()) == []
    if is_inside:
        graph = apply(GroupNodes(ids=("table", "flat"), name="Encoder"), graph)
    spec = bind_losses(iris_spec(data=WORDS), graph, graph, check(graph, RunSpec(data=WORDS)).data)
    folder = make_run(tmp_path, graph, data=WORDS, losses=spec.losses, metrics=(), epochs=1)
    state = train(folder)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == (
        "R146",
        "encoder/table" if is_inside else "table",
    )
