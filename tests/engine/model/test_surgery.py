"""Surgery on models: what is left computes what it computed, under the names that it had."""

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from engine.graph.block import SEPARATOR
from engine.graph.edit.block_edits import GroupNodes, SetRepeat, ShareModule
from engine.graph.edit.edits import AddNode, Connect, RemoveNodes, apply
from engine.graph.edit.head import heads
from engine.graph.edit.surgery import CutAfter, DissolveNodes, ReplaceHeads, ReplaceNode, TapOutput
from engine.graph.edit.widening import SetWidth, widths
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.freezing import FreezeNodes
from engine.importer.module import from_module
from engine.model.analysis import analyse
from engine.model.module import to_module
from tests.tiny_run import chain, node


class Residual(nn.Module):
    """Two convolutions and what went around them."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, size, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(size)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(size, size, 3, padding=1)
        self.around = nn.Conv2d(inputs, size, 1)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.conv2(y) + self.around(x))


class Net(nn.Module):
    """A small residual network, its parts named as in the large ones."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.layer1 = nn.Sequential(Residual(4, 6), Residual(6, 6))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.fc = nn.Linear(6, 7)

    def forward(self, x):
        return self.fc(self.flatten(self.pool(self.layer1(self.stem(x)))))


IMAGE = torch.randn(2, 3, 8, 8)


@pytest.fixture(scope="module")
def net():
    torch.manual_seed(0)
    return Net().eval()


@pytest.fixture(scope="module")
def graph(net):
    return from_module(net, (IMAGE,))


def place(graph, *names):
    """Return the path of a node by the names that lead to it."""
    flat = {*expand(graph).graph.nodes, *expand(graph).owners}
    (found,) = [path for path in flat if path.split(SEPARATOR) == list(names)]
    return found


def same_weights(graph, net):
    """Return the model of a graph with the weights of another one, by name and shape."""
    model = to_module(graph).eval()
    own = model.state_dict()
    state = net.state_dict()
    fitting = {key: state[key] for key in own if own[key].shape == state[key].shape}
    model.load_state_dict(fitting, strict=False)
    return model, sorted(own.keys() - fitting.keys())


@pytest.mark.row("S123")
def test_that_a_model_cut_after_a_layer_gives_what_that_layer_gave(graph, net):
    cut = apply(CutAfter(id="layer1"), graph)
    model, new = same_weights(cut, net)
    assert new == []
    assert [node.name for node in cut.nodes.values()] == ["x", "stem", "layer1", "output"]
    assert torch.equal(model(IMAGE), net.layer1(net.stem(IMAGE)))
    assert analyse(cut).is_ok()


def test_that_there_is_nothing_to_cut_off_behind_the_last_layer(graph):
    for node_id, code in (("fc", "G122"), ("output", "G121")):
        with pytest.raises(GraphError) as caught:
            apply(CutAfter(id=node_id), graph)
        assert caught.value.problems[0].code == code


def test_that_a_branch_that_led_only_to_what_is_cut_off_goes_as_well():
    graph = Graph()
    kinds = {"a": "Input", "left": "ReLU", "right": "Tanh", "sum": "add", "out": "Output"}
    for name, kind in kinds.items():
        params = {"shape": (3,)} if kind == "Input" else {}
        graph = apply(AddNode(node=Node(id=name, type=kind, name=name, params=params)), graph)
    for source, target, port in (
        ("a", "left", "input"),
        ("a", "right", "input"),
        ("left", "sum", "input"),
        ("right", "sum", "other"),
        ("sum", "out", "input"),
    ):
        edge = Edge(source=source, source_port="output", target=target, target_port=port)
        graph = apply(Connect(edge=edge), graph)
    assert set(apply(CutAfter(id="left"), graph).nodes) == {"a", "left", "out"}


@pytest.mark.row("S124")
@pytest.mark.row("S125")
def test_that_what_a_layer_deep_inside_gives_is_a_further_output_under_the_same_names(graph, net):
    tapped = apply(TapOutput(place=place(graph, "layer1", "1", "bn1")), graph)
    tapped = apply(TapOutput(place="pool", name="pooled"), tapped)
    model, new = same_weights(tapped, net)
    assert new == []
    assert list(to_module(tapped).state_dict()) == list(net.state_dict())
    seen = {}
    net.layer1[1].bn1.register_forward_hook(lambda *a: seen.update(bn1=a[2].clone()))
    whole = net(IMAGE)
    outputs = model(IMAGE)
    assert [torch.equal(a, b) for a, b in zip(outputs, (whole, seen["bn1"]), strict=False)] == [
        True,
        True,
    ]
    assert outputs[2].shape == (2, 6, 1, 1)
    assert not [p for p in analyse(tapped).problems if p.code == "S026"]


def test_that_what_is_an_output_already_is_not_led_out_again(graph):
    assert apply(TapOutput(place="fc"), graph) is graph


def test_that_nothing_is_led_out_of_a_repeated_block(graph):
    inside = apply(GroupNodes(ids=("pool", "flatten"), name="Part"), graph)
    (use,) = inside.nodes.keys() - graph.nodes.keys()
    repeated = apply(SetRepeat(id=use, repeat=2), inside)
    with pytest.raises(GraphError) as caught:
        apply(TapOutput(place=f"{use}/pool"), repeated)
    assert caught.value.problems[0].code == "G123"


@pytest.mark.row("S121")
def test_that_another_number_of_classes_keeps_all_names_and_the_other_weights(graph, net):
    assert {head.place: head.size for head in heads(graph).values()} == {"fc": 7}
    frozen = apply(FreezeNodes(ids=("fc", "stem")), graph)
    changed = apply(ReplaceHeads(size=3), frozen)
    model, new = same_weights(changed, net)
    assert new == ["fc.bias", "fc.weight"]
    assert model(IMAGE).shape == (2, 3)
    assert (changed.nodes["fc"].frozen, changed.nodes["stem"].frozen) == (False, True)


def test_that_the_head_inside_a_block_used_twice_is_changed_for_the_model_alone(graph):
    grouped = apply(GroupNodes(ids=("flatten", "fc"), name="Head"), graph)
    (use,) = grouped.nodes.keys() - graph.nodes.keys()
    twice = apply(AddNode(node=Node(id="other", type="block.Head", name="other")), grouped)
    changed = apply(ReplaceHeads(size=3), twice)
    assert to_module(apply(RemoveNodes(ids=("other",)), changed))(IMAGE).shape == (2, 3)
    assert changed.blocks["Head"] == grouped.blocks["Head"]
    assert changed.nodes[use].type != "block.Head"


@pytest.mark.row("S121")
def test_that_a_layer_is_taken_out_and_the_gap_closed(graph, net):
    model, new = same_weights(apply(DissolveNodes(ids=("layer1",)), graph), net)
    assert new == ["fc.weight"]
    assert model(IMAGE).shape == (2, 7)
    with pytest.raises(GraphError):
        apply(DissolveNodes(ids=("x",)), graph)


@pytest.mark.row("S121")
def test_that_another_type_takes_the_place_with_its_wires_and_what_both_know(graph):
    changed = apply(ReplaceNode(id="stem", type_key="ConvTranspose2d"), graph)
    node = changed.nodes["stem"]
    assert (node.type, node.name) == ("ConvTranspose2d", "stem")
    assert (node.params["out_channels"], node.params["kernel_size"]) == (4, 3)
    assert to_module(changed)(IMAGE).shape == (2, 7)
    assert set(changed.edges) == set(graph.edges)


def test_that_those_who_used_the_weights_of_a_replaced_layer_keep_them():
    graph = Graph()
    for name in ("a", "b"):
        params = {"out_features": 3}
        node = Node(id=name, type="Linear", name=name, params=params)
        graph = apply(AddNode(node=node), graph)
    graph = apply(ShareModule(id="b", source="a"), graph)
    changed = apply(ReplaceNode(id="a", type_key="Identity"), graph)
    assert (changed.nodes["b"].shares, changed.nodes["b"].params) == ("", {"out_features": 3})


def test_that_neither_an_input_nor_an_unknown_type_takes_the_place_of_a_layer(graph):
    for key, code in (("Input", "G126"), ("Nonsense", "G022")):
        with pytest.raises(GraphError) as caught:
            apply(ReplaceNode(id="stem", type_key=key), graph)
        assert caught.value.problems[0].code == code


def test_that_the_width_of_a_layer_changes_with_all_that_is_added_to_it(graph):
    first = place(graph, "layer1", "0", "conv2")
    own = ("layer1/0/around", "layer1/1/conv2", "layer1/1/around")  # one block, used twice
    assert set(widths(graph, first)) == set(own)
    changed = apply(SetWidth(place=first, size=9), graph)
    assert to_module(changed)(IMAGE).shape == (2, 7)
    assert analyse(changed).is_ok()
    sizes = {p: n.params.get("out_channels") for p, n in expand(changed).graph.nodes.items()}
    assert {path for path, size in sizes.items() if size == 9} == {first, *own}


def test_that_a_width_that_is_written_in_by_hand_behind_follows_too():
    graph = chain(
        node("Input", "x", shape=(4,)),
        node("Linear", "first", out_features=5),
        node("BatchNorm1d", "norm", num_features=5),
        node("Linear", "last", in_features=5, out_features=2),
        node("Output", "out"),
    )
    changed = apply(SetWidth(place="first", size=11), graph)
    assert to_module(changed)(torch.zeros(2, 4)).shape == (2, 2)


def test_that_a_width_goes_on_behind_axes_in_another_order():
    layers = (
        node("Input", "x", shape=(3, 6, 6)),
        node("Conv2d", "first", out_channels=5, kernel_size=3),
        node("permute", "last_axis", dims=(0, 2, 3, 1)),
        node("LayerNorm", "norm", normalized_shape=(5,)),
        node("LayerNorm", "norm2", normalized_shape=(5,)),
        node("Linear", "mix", out_features=5),
        node("add", "add"),
        node("Output", "out"),
    )
    around = Edge(source="norm", source_port="output", target="add", target_port="other")
    graph = apply(Connect(edge=around), chain(*layers))
    assert widths(graph, "first") == ("mix",)
    changed = apply(SetWidth(place="first", size=7), graph)
    assert to_module(changed)(torch.zeros(2, 3, 6, 6)).shape == (2, 4, 4, 7)


@pytest.mark.parametrize("written", [{"size": 5}, {"size": 1, "shape": (2, 5)}])
def test_that_a_layer_before_code_that_holds_its_size_cannot_change(written):
    text = "def scaled(x, by=None, *, size: int):\n    return x * size\n"
    shape = written.get("shape", (3,))
    graph = chain(
        node("Input", "x", shape=(4,)),
        node("Linear", "first", out_features=5),
        node("code.own.scaled", "scaled", size=written["size"]),
        node("Output", "out"),
    )
    graph = replace(graph, code={"own.py": text})
    held = apply(AddNode(node=node("Parameter", "held", shape=shape)), graph)
    edge = Edge(source="held", source_port="output", target="scaled", target_port="by")
    with pytest.raises(GraphError) as caught:
        apply(SetWidth(place="first", size=9), apply(Connect(edge=edge), held))
    assert caught.value.problems[0].code == "G131"


def test_that_a_layer_whose_output_is_added_to_the_input_cannot_change(graph):
    edge = Edge(source="x", source_port="output", target="sum", target_port="other")
    inside = apply(AddNode(node=Node(id="sum", type="add", name="sum")), graph)
    wire = Edge(source="stem", source_port="output", target="sum", target_port="input")
    inside = apply(Connect(edge=edge), apply(Connect(edge=wire), inside))
    for node_id, code in (("stem", "G125"), ("pool", "G124")):
        with pytest.raises(GraphError) as caught:
            apply(SetWidth(place=node_id, size=9), inside)
        assert caught.value.problems[0].code == code
