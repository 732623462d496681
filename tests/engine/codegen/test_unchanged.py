"""What is kept of a block from analysis to analysis is what would be written anew."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog.spec import Value
from engine.codegen import generated
from engine.graph import check as check_module
from engine.graph.edit.block_edits import DescribeBlock, GroupNodes, SetRepeat
from engine.graph.edit.edits import Edit, EditBlock, RemoveNodes, RenameNode, SetParam, apply
from engine.graph.error import GraphError
from engine.graph.memory import Memory
from engine.graph.model import BlockStyle, Graph
from engine.model.source import generate
from engine.shape.propagate import Propagator
from engine.shape.survey import survey
from tests.engine.graph.builder import model

CONV: dict[str, Value] = {"out_channels": 4, "kernel_size": 3, "padding": 1}


def nested() -> Graph:
    """Return ``stem``, then ``Outer`` with ``Inner`` inside, then a head."""
    graph = model(
        (4, 8, 8),
        ("Conv2d", CONV, "stem"),
        ("Conv2d", CONV, "conv"),
        ("BatchNorm2d", {}, "norm"),
        ("ReLU", {}, "act"),
        ("Flatten", {}, "flat"),
        ("Linear", {"out_features": 3}, "head"),
    )
    graph = apply(GroupNodes(ids=("conv", "norm", "act"), name="Outer"), graph)
    grouped = GroupNodes(ids=("conv", "norm"), name="Inner")
    return apply(EditBlock(block="Outer", edit=grouped), graph)


def inner(edit: Edit) -> Edit:
    return EditBlock(block="Inner", edit=edit)


WIDTHS: list[Value] = [3, 4, 6]
EDITS: list[Edit] = [
    *(SetParam(id="stem", name="out_channels", value=width) for width in WIDTHS),
    *(inner(SetParam(id="conv", name="out_channels", value=width)) for width in WIDTHS),
    inner(SetParam(id="conv", name="out_channels", value=-1)),
    inner(RenameNode(id="norm", name="bn")),
    inner(RenameNode(id="norm", name="norm")),
    EditBlock(block="Outer", edit=RenameNode(id="act", name="relu")),
    EditBlock(block="Outer", edit=RemoveNodes(ids=("act",))),
    DescribeBlock(name="Inner", style=BlockStyle.SEQUENTIAL),
    DescribeBlock(name="Inner", style=BlockStyle.CLASS),
    DescribeBlock(name="Outer", style=BlockStyle.SEQUENTIAL),
    SetRepeat(id="outer", repeat=2),
    SetRepeat(id="outer", repeat=1),
    RemoveNodes(ids=("stem",)),
]


def forget(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(generated, "_parts", Memory(9))
    patch.setattr(generated, "_lines", Memory(9))
    patch.setattr(check_module, "_levels", Memory(9))


@given(edits=st.lists(st.sampled_from(EDITS), max_size=12))
@settings(deadline=None, max_examples=30)
def test_that_what_is_kept_is_what_would_be_written_anew(edits: list[Edit]) -> None:
    graph = nested()
    propagator = Propagator()
    for edit in edits:
        try:
            graph = apply(edit, graph)
        except GraphError:
            continue
        resolved = survey(graph, propagator).resolved
        kept = generate(graph, resolved), check_module.check(graph)
        with pytest.MonkeyPatch.context() as patch:
            forget(patch)
            assert kept == (generate(graph, resolved), check_module.check(graph))


def test_that_a_block_is_written_once_while_the_rest_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forget(monkeypatch)
    graph = nested()
    propagator = Propagator()
    generate(graph, survey(graph, propagator).resolved)

    def refuse(*_: object) -> None:
        pytest.fail("a block was looked at again")

    monkeypatch.setattr("engine.codegen.generated._Source._block_parts", refuse)
    changed = apply(SetParam(id="head", name="out_features", value=5), graph)
    source = generate(changed, survey(changed, propagator).resolved).source
    assert "nn.Linear(256, 5)" in source
