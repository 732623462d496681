"""What each line of a forward pass makes."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import apply
from engine.graph.node_state.freezing import FreezeNodes
from engine.model.source import generate_whole
from engine.query.trace.answer import trace_forward
from engine.query.trace.request import TraceForward, TraceLine
from tests.engine.graph.builder import model


def told(line: TraceLine) -> tuple[object, ...]:
    return line.name, line.shape, line.dtype, line.device, line.requires_grad, line.function


@pytest.mark.row("S298")
def test_that_each_line_tells_shape_dtype_device_and_whether_a_gradient_is_needed() -> None:
    graph = model(
        (1, 6, 6),
        ("Conv2d", {"out_channels": 2, "kernel_size": 3}, "conv"),
        ("Flatten", {}, "flat"),
    )
    lines = trace_forward(TraceForward(graph=graph)).lines
    assert [told(line) for line in lines] == [
        ("conv", (2, 2, 4, 4), "float32", "cpu", True, "ConvolutionBackward0"),
        ("flat", (2, 32), "float32", "cpu", True, "ViewBackward0"),
        ("return", (2, 32), "float32", "cpu", True, "ViewBackward0"),
    ]
    assert [line.text for line in lines][:2] == ["conv = self.conv(x)", "flat = self.flat(conv)"]
    assert [line.place for line in lines][:2] == ["conv", "flat"]


@pytest.mark.row("S298", "S036")
def test_that_behind_frozen_layers_no_gradient_is_needed() -> None:
    graph = model((4,), ("Linear", {"out_features": 3}, "a"), ("Linear", {"out_features": 2}, "b"))
    frozen = apply(FreezeNodes(ids=("a",)), graph)
    lines = trace_forward(TraceForward(graph=frozen)).lines
    assert [(line.name, line.requires_grad) for line in lines][:2] == [("a", False), ("b", True)]


def test_that_a_change_in_place_is_told_at_its_line() -> None:
    graph = model((4,), ("Linear", {"out_features": 3}, "a"), ("ReLU", {"inplace": True}, "act"))
    lines = trace_forward(TraceForward(graph=graph)).lines
    assert [(line.text, line.name) for line in lines][:3] == [
        ("a = self.a(x)", "a"),
        ("act = self.act(a)", "a"),
        ("act = self.act(a)", "act"),
    ]


def test_that_a_line_that_raises_is_named() -> None:
    graph = model((4,), ("Linear", {"out_features": 3, "in_features": 5}, "a"))
    with pytest.raises(DiagnosticError) as caught:
        trace_forward(TraceForward(graph=graph))
    (problem,) = caught.value.problems
    assert problem.code == "A030"
    source = generate_whole(graph).source.splitlines()
    assert "self.a(x)" in source[int(problem.params["line"]) - 1]
