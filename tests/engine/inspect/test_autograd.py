from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import Node
from torch.utils._pytree import tree_leaves

from engine.custom.source_module import load_source
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.inspect.autograd import capture, capture_functions
from engine.inspect.origin import watched
from engine.model.module import to_module
from tests.resources.test_templates import NAMES, document_of

SOURCE = """from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
    def forward(self, x):
        x = self.fc(x)
        return x.relu() + 1
"""


def walked(root: Node) -> set[tuple[Node, Node | None, int]]:
    """Walk another way: depth first, the Functions themselves by their edges."""
    edges: set[tuple[Node, Node | None, int]] = {(root, None, 0)}
    seen: set[Node] = {root}
    stack = [root]
    while stack:
        function = stack.pop()
        for following, number in function.next_functions:
            if following is not None:
                edges |= {(function, following, number), (following, None, 0)}
                if following not in seen:
                    seen.add(following)
                    stack.append(following)
    return edges


def told(loss: Tensor, module: nn.Module) -> set[tuple[Node, Node | None, int]]:
    """Return what was captured, with the Functions in the place of their ids."""
    graph, functions = capture_functions(loss, module)
    known = {str(number): function for function, number in functions.items()}
    for node in graph.nodes:
        assert node.name == type(known[node.id]).__name__
    alone = {(known[node.id], None, 0) for node in graph.nodes}
    return alone | {(known[source], known[target], n) for source, target, n in graph.edges}


def resnet() -> tuple[nn.Module, tuple[Tensor, ...]]:
    from torchvision.models import resnet18

    return resnet18(weights=None), (torch.randn(2, 3, 32, 32),)


def vision_transformer() -> tuple[nn.Module, tuple[Tensor, ...]]:
    from torchvision.models import vit_b_16

    with torch.device("meta"):  # 86 million weights that nobody needs to compute
        return vit_b_16(weights=None), (torch.randn(1, 3, 224, 224),)


def recurrent() -> tuple[nn.Module, tuple[Tensor, ...]]:
    return nn.LSTM(3, 4, 2), (torch.randn(5, 2, 3),)


def first(value: object) -> Tensor:
    """Return the first tensor that has a graph: what a detector finds has none."""
    found = [tensor for tensor in tree_leaves(value) if tensor.grad_fn is not None]
    return found[0]


@pytest.mark.row("S039", "S042", "N01")
@pytest.mark.parametrize("make", [resnet, vision_transformer, recurrent])
def test_that_the_graph_is_the_walk_of_next_functions(make) -> None:
    module, inputs = make()
    loss = first(module(*inputs)).sum()
    graph = capture(loss, module)
    assert loss.grad_fn is not None
    assert told(loss, module) == walked(loss.grad_fn)
    leaves = {node.parameter for node in graph.nodes if node.name == "AccumulateGrad"}
    assert leaves == {name for name, _ in module.named_parameters()}
    assert graph.roots == (graph.nodes[0].id,)


def test_that_a_function_that_is_read_twice_is_in_the_graph_once() -> None:
    value = torch.ones(2, requires_grad=True)
    doubled = value * 2
    graph = capture((doubled * doubled + doubled).sum())
    names = [node.name for node in graph.nodes]
    assert sorted(names) == ["AccumulateGrad", "AddBackward0", "MulBackward0", "MulBackward0",
                             "SumBackward0"]  # fmt: skip
    assert len(graph.edges) == 6


def test_that_a_function_counts_its_inputs_without_a_gradient() -> None:
    layer = nn.Linear(3, 2)
    nodes = {node.name: node.constants for node in capture(layer(torch.ones(4, 3))).nodes}
    assert nodes == {"AddmmBackward0": 1, "AccumulateGrad": 0, "TBackward0": 0}


@pytest.mark.row("S040")
def test_that_the_worked_example_has_its_functions_and_leaves() -> None:
    given = torch.ones(2, 2)
    names = {"w1": 2.0, "w2": 3.0, "w3": 4.0}
    module = nn.ParameterDict({name: torch.full((2, 2), value) for name, value in names.items()})
    l1 = given * module["w1"]
    l2, l3 = l1 + module["w2"], l1 * module["w3"]
    loss = (l2 * l3).mean()
    graph = capture(loss, module)
    assert loss.item() == 40.0
    assert {node.parameter for node in graph.nodes if node.parameter} == {"w1", "w2", "w3"}
    saved = {value.name: value for value in graph.nodes[1].saved}
    assert graph.nodes[1].name == "MulBackward0"
    assert saved["self"].tensor is not None
    assert saved["self"].tensor.shape == (2, 2)
    assert saved["self"].size == 16


def test_that_every_function_knows_the_module_and_the_line_that_made_it() -> None:
    module = load_source(SOURCE).Model()
    with watched(module):
        output = module(torch.ones(1, 2))
    made = {node.name: node for node in capture(output, module).nodes if not node.parameter}
    assert (made["AddmmBackward0"].layer, made["AddmmBackward0"].line) == ("fc", 7)
    assert (made["ReluBackward0"].layer, made["ReluBackward0"].line) == ("", 8)
    assert made["AddmmBackward0"].sequence < made["ReluBackward0"].sequence


def test_that_without_watching_layers_are_known_by_their_parameters() -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    graph = capture(module(torch.ones(1, 2)), module)
    layers = {node.layer for node in graph.nodes if node.name == "AddmmBackward0"}
    assert layers == {"0", "2"}


def test_that_a_graph_after_backward_is_told_as_freed_and_negative_numbers_are_read() -> None:
    module = nn.Linear(2, 2)
    loss = module(torch.ones(1, 2)).softmax(-1).mean()
    whole = capture(loss)
    assert not whole.is_freed
    values = {value.name: value.text for node in whole.nodes for value in node.saved}
    assert values["dim"] in {"-1", "1", "()"}
    assert "18446744073709551615" not in str(values)
    loss.backward()
    assert capture(loss).is_freed


@pytest.mark.row("S050")
def test_that_a_tensor_changed_after_it_was_saved_is_told_with_both_versions() -> None:
    value = torch.zeros(3, requires_grad=True)
    kept = value.exp()
    kept.add_(1)
    graph = capture(kept.sum())
    assert not graph.is_freed
    changed = [node for node in graph.nodes if node.is_changed]
    assert [node.name for node in changed] == ["ExpBackward0"]
    saved = changed[0].saved[0]
    assert (saved.name, saved.version, saved.expected) == ("result", 1, 0)
    assert saved.tensor is not None
    assert (saved.tensor.shape, saved.tensor.dtype) == ((3,), "float32")


def test_that_what_others_wrote_into_a_function_is_told() -> None:
    doubled = torch.ones(2, requires_grad=True) * 2
    written: Any = doubled.grad_fn
    written.metadata["owner"] = "me"
    assert capture(doubled).nodes[0].metadata == {"owner": "me"}


class Doubling(torch.autograd.Function):
    """Keeps what it is given."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        ctx.save_for_backward(value)
        return value * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient * 2


def test_that_a_function_written_in_python_tells_what_it_saved_and_that_it_was_freed() -> None:
    doubled = Doubling.apply(torch.ones(2, requires_grad=True)).sum()
    saved = [node for node in capture(doubled).nodes if node.name == "DoublingBackward"]
    assert [value.name for value in saved[0].saved] == ["0"]
    doubled.backward()
    assert [node.name for node in capture(doubled).nodes if node.is_freed] == ["DoublingBackward"]


def test_that_a_tensor_without_a_graph_is_told() -> None:
    with pytest.raises(DiagnosticError) as found:
        capture(torch.ones(2))
    assert found.value.problems[0].code == "A001"


def test_that_several_terms_of_a_loss_are_several_roots() -> None:
    weight = torch.ones(2, requires_grad=True)
    graph = capture([(weight * 2).sum(), (weight * 3).sum()])
    assert len(graph.roots) == 2
    assert sum(node.name == "AccumulateGrad" for node in graph.nodes) == 1


def example(graph: Graph) -> list[Tensor]:
    """Return two samples for each input of a model: ones, or the index 1."""
    found: list[Tensor] = []
    for node in graph.nodes.values():
        if node.type == "Input":
            shape, dtype = node.params.get("shape", ()), str(node.params.get("dtype", "float32"))
            assert isinstance(shape, tuple | list)
            found.append(torch.ones((2, *map(int, shape)), dtype=getattr(torch, dtype)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_that_the_graph_of_a_template_is_the_walk_and_every_function_has_its_place(name) -> None:
    made = document_of(name).graph
    module = to_module(made)
    with watched(module):
        output = first(module(*example(made)))
    graph = capture(output, module)
    assert output.grad_fn is not None
    assert told(output, module) == walked(output.grad_fn)
    assert all(node.layer or node.line or node.parameter for node in graph.nodes)


@pytest.mark.row("N19")
def test_that_every_function_names_the_operator_that_the_dispatcher_ran():
    from torch.utils._python_dispatch import TorchDispatchMode

    ran: set[str] = set()

    class Noted(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            ran.add(function._schema.name.replace("::_", "::").removesuffix("_forward"))
            return function(*args, **(kwargs or {}))

    model = nn.Sequential(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(18, 3), nn.LogSoftmax(1),
    )  # fmt: skip
    with Noted():
        loss = nn.functional.nll_loss(model(torch.randn(2, 1, 8, 8)), torch.tensor([0, 1]))
    nodes = capture(loss, model).nodes
    leaves = {node.operator for node in nodes if node.name == "AccumulateGrad"}
    assert leaves == {""}
    told = {node.name: node.operator for node in nodes if node.name != "AccumulateGrad"}
    assert set(told.values()) <= ran
    assert told["MaxPool2DWithIndicesBackward0"] == "aten::max_pool2d_with_indices"
    assert told["LogSoftmaxBackward0"] == "aten::log_softmax"


@pytest.mark.row("N19")
def test_that_a_function_of_own_code_has_no_operator():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x * 2

        @staticmethod
        def backward(context, gradient):
            return gradient * 2

    (made, _) = capture(Twice.apply(torch.ones(1, requires_grad=True))).nodes
    assert (made.name, made.operator) == ("TwiceBackward", "")


def test_that_parameters_that_the_gradient_does_not_reach_are_told() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2, affine=False), nn.Linear(2, 1))
    module[0].requires_grad_(requires_grad=False)
    assert capture(module(torch.ones(3, 2)).sum(), module).unreached == ("0.weight", "0.bias")
