"""Low-rank blocks come into the place of layers and go again."""

import pytest

from engine.custom.trust import set_trust
from engine.graph.edit.block_edits import GroupNodes, RenameBlock, SetRepeat, ShareModule
from engine.graph.edit.edits import EditBlock, SetParam, apply
from engine.graph.edit.lora import AddLora, RemoveLora, lora_of, lora_paths, loras
from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.graph.node_state.bypass import BypassNodes
from engine.graph.node_state.freezing import FreezeNodes, all_trained
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from engine.query.ask import ask
from engine.query.model.request import FollowText
from tests.tiny_run import RANDOM_LAYERS, chain, iris_graph, node

IMAGE = node("Input", "image", shape=(3, 8, 8))


def trained(graph: Graph) -> set[str]:
    return {name for name, value in to_module(graph).named_parameters() if value.requires_grad}


def refused(edit, graph: Graph) -> str:
    """Return the code of why an edit is refused."""
    with pytest.raises(GraphError) as error:
        apply(edit, graph)
    return error.value.problems[0].code


def pairs(*names: str) -> set[str]:
    return {f"{name}.{part}.weight" for name in names for part in ("lora_A", "lora_B")}


def test_that_only_the_pairs_are_trained_and_taking_away_gives_the_layers_back() -> None:
    graph = iris_graph(*RANDOM_LAYERS)
    after = apply(AddLora(places=("hidden", "head"), rank=2), graph)
    assert trained(after) == pairs("hidden", "head")
    assert analyse(after).is_ok()
    back = apply(RemoveLora(places=("hidden", "head")), after)
    assert all_trained(back) == graph
    assert trained(back) == {"hidden.weight", "hidden.bias", "head.weight", "head.bias"}


def test_that_the_rest_is_trained_on_request() -> None:
    edit = AddLora(places=("hidden",), rank=2, freeze_rest=False)
    after = apply(edit, iris_graph(*RANDOM_LAYERS))
    rest = {"norm.weight", "norm.bias", "head.weight", "head.bias"}
    assert trained(after) == pairs("hidden") | rest


def test_that_a_second_edit_leaves_the_pairs_of_the_first_trained() -> None:
    after = apply(AddLora(places=("hidden",), rank=2), iris_graph())
    after = apply(AddLora(places=("head",), rank=3), after)
    assert trained(after) == pairs("hidden", "head")
    assert {name: lora.rank for name, lora in loras(after).items()} == {"hidden": 2, "head": 3}


def test_that_all_layers_of_a_block_with_repeats_get_one_and_one_definition_serves_them() -> None:
    layers = [node("Conv2d", name, out_channels=4, kernel_size=3, padding=1) for name in "cd"]
    graph = chain(IMAGE, *layers, node("Output", "y"))
    graph = apply(SetRepeat(id="d", repeat=3), graph)
    graph = apply(GroupNodes(ids=("c", "d"), name="Body"), graph)
    graph = apply(FreezeNodes(ids=("body",)), graph)
    after = apply(AddLora(places=("body",), rank=2), graph)
    assert trained(after) == pairs("body.c", "body.d.0", "body.d.1", "body.d.2")
    assert set(after.blocks) == {"Body", "LoRAConv2d"}
    assert analyse(after).is_ok()
    assert lora_paths(after, ("body",)) == ("body/c", "body/d")
    back = apply(RemoveLora(places=("body/d",)), after)
    assert set(loras(back)) == {"body.c"}


def test_that_what_a_frozen_block_holds_besides_stays_frozen() -> None:
    graph = apply(
        GroupNodes(ids=("hidden", "act", "norm"), name="Part"), iris_graph(*RANDOM_LAYERS)
    )
    graph = apply(FreezeNodes(ids=("part",)), graph)
    after = apply(AddLora(places=("part/hidden",), rank=2, freeze_rest=False), graph)
    assert trained(after) == pairs("part.hidden") | {"head.weight", "head.bias"}


def test_that_a_layer_called_twice_has_one_pair() -> None:
    twice = node("Linear", "again", out_features=8)
    graph = apply(
        ShareModule(id="again", source="more"),
        iris_graph(node("Linear", "more", out_features=8), twice),
    )
    after = apply(AddLora(places=("again",), rank=2), graph)
    assert trained(after) == pairs("more")
    assert analyse(after).is_ok()
    assert all_trained(apply(RemoveLora(places=("more",)), after)) == graph


@pytest.mark.parametrize(
    "layer",
    [
        node("Conv2d", "layer", out_channels=6, kernel_size=3, groups=3),
        node("Conv2d", "layer", out_channels=3, kernel_size=3, groups=3),
        node("ReLU", "layer"),
    ],
    ids=["groups", "depthwise", "no weights"],
)
def test_that_a_layer_without_a_fitting_pair_is_refused(layer) -> None:
    graph = chain(IMAGE, layer, node("Output", "y"))
    assert refused(AddLora(places=("layer",)), graph) == "V035"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rank": 0}, "V032"),
        ({"rank": 5_000}, "V032"),
        ({"alpha": 0.0}, "V033"),
        ({"alpha": float("inf")}, "V033"),
        ({"alpha": float("nan")}, "V033"),
        ({"dropout": 1.0}, "V034"),
        ({"dropout": float("nan")}, "V034"),
    ],
    ids=str,
)
def test_that_numbers_out_of_range_are_refused(changes, code) -> None:
    assert refused(AddLora(places=("hidden",), **changes), iris_graph()) == code


def test_that_what_was_changed_inside_is_no_low_rank_block_any_more() -> None:
    graph = apply(AddLora(places=("hidden",), rank=2, dropout=0.1), iris_graph())
    use = graph.nodes["hidden"]

    def edited(edit) -> Graph:
        return apply(EditBlock(block="LoRALinear", edit=edit), graph)

    assert lora_of(edited(SetParam(id="lora_dropout", name="p", value=0.5)), use) is not None
    smaller = edited(SetParam(id="scaling", name="other", value=0.5))
    assert lora_of(smaller, use).scale == 0.5  # type: ignore[union-attr]
    for edit in (
        SetParam(id="lora_A", name="bias", value=True),
        BypassNodes(ids=("lora_B",)),
    ):
        assert lora_of(edited(edit), use) is None
        assert refused(RemoveLora(places=("hidden",)), edited(edit)) == "V036"
    renamed = apply(RenameBlock(name="LoRALinear", new_name="Adapted"), graph)
    assert set(loras(renamed)) == {"hidden"}


def test_that_a_block_typed_as_text_is_one_and_can_be_taken_away() -> None:
    graph = apply(AddLora(places=("hidden",), rank=2, dropout=0.1), iris_graph())
    text = to_source(graph)
    shown = to_source(iris_graph())
    typed = ask(FollowText(graph=iris_graph(), text=text, shown=shown)).graph
    assert typed is not None
    assert {name: lora.rank for name, lora in loras(typed).items()} == {"hidden": 2}
    (place,) = lora_paths(typed, tuple(typed.nodes))
    back = apply(RemoveLora(places=(place,)), typed)
    set_trust(back.code, trusted=True)
    assert trained(back) == {"hidden.weight", "hidden.bias"}
    assert "LoRALinear" not in to_source(back)
    again = apply(AddLora(places=(place,), rank=3), back)
    assert trained(again) == pairs("hidden")
    assert analyse(again).is_ok()
