"""Rows of the notes about own layers, functions and losses: the template's code, with numbers."""

import pytest
import torch
from msgspec.structs import replace

from engine.custom.module import load_custom_object
from engine.custom.trust import set_trust
from engine.graph.model import Edge, Graph, Node
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.project.project import read_template
from engine.query.gradient.answer import check_gradient
from engine.query.gradient.request import CheckGradient
from engine.spec.run import Choice, LossTerm
from engine.train.losses import BoundTerm
from studio.cli import main

CODE = read_template("custom-code").graph.code


@pytest.fixture(autouse=True)
def _trusted():
    set_trust(CODE, trusted=True)
    yield
    set_trust(CODE, trusted=False)


def single(key: str, shape: tuple[int, ...], port: str = "x", **params) -> Graph:
    """Return a model of one own node between its input and its output."""
    return Graph(
        nodes={
            "x": Node(id="x", type="Input", name="x", params={"shape": shape}),
            "own": Node(id="own", type=key, name="own", params=params),
            "y": Node(id="y", type="Output", name="y"),
        },
        edges=(
            Edge(source="x", source_port="output", target="own", target_port=port),
            Edge(source="own", source_port="output", target="y", target_port="input"),
        ),
        code=CODE,
    )


def found(name: str):
    return load_custom_object(CODE, f"code:{name}")[0]


@pytest.mark.row("S089")
def test_that_a_layer_without_parameters_normalises():
    model = to_module(single("code.layers.Norm", (11,)))
    result = model(torch.arange(11.0).unsqueeze(0))[0]
    assert round(result[0].item(), 4) == -1.5076
    assert round(result[-1].item(), 4) == 1.5076
    assert not list(model.parameters())


@pytest.mark.row("S090")
def test_that_a_layer_with_its_own_weights_multiplies_and_clamps():
    graph = single("code.layers.TwoLayerNet", (1000,), hidden=100, out_features=10)
    analysis = analyse(graph)
    assert analysis.nodes["own"].resolved == {"in_features": 1000}
    assert analysis.parameters == 1000 * 100 + 100 * 10
    model = to_module(graph)
    assert list(model.state_dict()) == ["own.w1", "own.w2"]
    x = torch.randn(64, 1000)
    weights = model.state_dict()
    expected = x.mm(weights["own.w1"]).clamp(min=0).mm(weights["own.w2"])
    assert torch.equal(model(x), expected)


@pytest.mark.row("S091")
def test_that_a_linear_model_from_scratch_has_a_weight_and_a_bias():
    model = to_module(single("code.layers.LinearModel", (2,)))
    assert {name: tuple(value.shape) for name, value in model.state_dict().items()} == {
        "own.weight": (2, 1),
        "own.bias": (1,),
    }


@pytest.mark.row("S093")
def test_that_exp_gives_itself_as_its_derivative():
    x = torch.tensor([[1.0]], requires_grad=True)
    y = to_module(single("code.functions.Exp", (1,)))(x)
    y.sum().backward()
    assert round(y.item(), 4) == 2.7183
    assert round(x.grad.item(), 4) == 2.7183


@pytest.mark.row("S094")
def test_that_a_function_with_a_number_turns_the_gradient_round():
    x = torch.tensor([[2.0]], requires_grad=True)
    y = to_module(single("code.functions.GradCoeff", (1,), coeff=-0.1))(x) ** 2
    y.sum().backward()
    assert y.item() == 4.0
    assert round(x.grad.item(), 6) == -0.4


@pytest.mark.row("S095")
@pytest.mark.parametrize("has_bias", [True, False])
def test_that_the_linear_function_passes_the_check_of_gradients(has_bias):
    nodes = {
        "x": Node(id="x", type="Input", name="x", params={"shape": (3,)}),
        "w": Node(id="w", type="Parameter", name="w", params={"shape": (2, 3)}),
        "b": Node(id="b", type="Parameter", name="b", params={"shape": (2,)}),
        "own": Node(id="own", type="code.functions.LinearFunction", name="own"),
        "y": Node(id="y", type="Output", name="y"),
    }
    wires = [("x", "own", "x"), ("w", "own", "weight"), ("own", "y", "input")]
    wires += [("b", "own", "bias")] if has_bias else []
    edges = tuple(
        Edge(source=source, source_port="output", target=target, target_port=port)
        for source, target, port in wires
    )
    graph = Graph(nodes=nodes, edges=edges, code=CODE)
    report = check_gradient(CheckGradient(graph=graph, place="own"))
    assert report.passed, report
    assert report.checked == ("x", "weight", "bias")[: 3 if has_bias else 2]


@pytest.mark.row("S095")
def test_that_a_wrong_backward_pass_is_told_with_the_place_where_it_differs():
    code = {"functions.py": CODE["functions.py"].replace("grad_output * result", "grad_output")}
    set_trust(code, trusted=True)
    graph = replace(single("code.functions.Exp", (3,)), code=code)
    report = check_gradient(CheckGradient(graph=graph, place="own"))
    set_trust(code, trusted=False)
    assert not report.passed
    worst = report.differences[0]
    assert (worst.of, worst.by, worst.given) == ("output", "x", 1.0)
    assert worst.output_index == worst.input_index
    assert abs(worst.expected - 1.0) > 0.1


def test_that_the_gradients_of_a_layers_parameters_are_checked_too():
    graph = single("code.layers.TwoLayerNet", (3,), hidden=4, out_features=2)
    report = check_gradient(CheckGradient(graph=graph, place="own"))
    assert report.checked == ("x", "w1", "w2")
    assert report.passed, report


def term(key: str, **params) -> BoundTerm:
    inputs = {"input": "model.y", "target": "data.t"}
    return BoundTerm(
        LossTerm(loss=Choice(type=key, params=params), inputs=inputs), "l", ["y"], CODE
    )


@pytest.mark.row("S097")
def test_that_a_function_is_a_loss():
    scores, labels = torch.randn(8, 3), torch.randint(3, (8,))
    value = term("code.losses.picked_log_softmax")(scores, {"t": labels})
    assert torch.allclose(value, torch.nn.functional.cross_entropy(scores, labels))


@pytest.mark.row("S098")
def test_that_classes_are_losses_with_their_parameters():
    x, y = torch.rand(4, 5), torch.rand(4, 5).round()
    assert torch.allclose(
        term("code.losses.MyLoss")(x, {"t": y}), torch.nn.functional.mse_loss(x, y)
    )
    dice = term("code.losses.DiceLoss", smooth=2.0)(x, {"t": y})
    expected = 1 - (2 * (x * y).sum() + 2) / (x.sum() + y.sum() + 2)
    assert torch.allclose(dice, expected)


@pytest.mark.row("S049")
def test_that_a_loop_that_looks_at_values_has_a_shape_and_runs():
    text = "def halve(x):\n    while x.abs().sum() > 1:\n        x = x / 2\n    return x\n"
    code = {"loops.py": text}
    set_trust(code, trusted=True)
    graph = replace(single("code.loops.halve", (3,)), code=code)
    assert analyse(graph).nodes["own"].outputs["output"].shape == ("N", 3)
    result = to_module(graph)(torch.full((1, 3), 8.0))
    set_trust(code, trusted=False)
    assert result.tolist() == [[0.25, 0.25, 0.25]]


@pytest.mark.real
@pytest.mark.row("S092")
def test_that_the_printed_source_is_a_module_that_stands_alone(tmp_path, capsys):
    project = tmp_path / "own"
    assert main(["new", str(project), "--template", "custom-code"]) == 0
    capsys.readouterr()
    assert main(["code", str(project), "--trust"]) == 0
    source = capsys.readouterr().out
    assert "class TwoLayerNet(nn.Module):" in source
    assert "GradCoeff.apply(net, 1.0)" in source
    assert "trellis" not in source.casefold()
