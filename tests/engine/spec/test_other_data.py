"""Model and losses after another choice of data: what is as it was proposed follows."""

import csv
import random

import pytest
from msgspec.structs import replace

from engine.graph.edit.edits import MoveNodes, SetParam, apply
from engine.query.ask import ask
from engine.query.data.request import ProposeData
from engine.spec.other_data import OtherData, following_model, following_spec
from engine.spec.proposal import Answers, Proposal
from engine.spec.run import Choice, LossTerm, RunSpec
from engine.spec.target_scale import without_idle_loss

TARGETS = ("price", "price,rooms,leak", "leak", "sold", "kind", "sold,old")


@pytest.fixture(scope="module")
def houses(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "houses.csv"
    draw = random.Random(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("size", "age", "price", "rooms", "leak", "sold", "old", "kind"))
        for _ in range(200):
            size, age = draw.uniform(30, 200), draw.uniform(0, 90)
            price = f"{300_000 + 2000 * size:.0f}"
            leak, sold = f"{age * 1e-7:.4g}", "yes" if size > age else "no"
            old = "yes" if age > 40 else "no"
            rooms = f"{size / 30 + draw.random():.2f}"
            writer.writerow(
                (f"{size:.1f}", f"{age:.1f}", price, rooms, leak, sold, old, "abc"[int(age) % 3])
            )
    return path


@pytest.fixture(scope="module")
def proposals(houses) -> dict[str, Proposal]:
    answers = Answers(source="table", params={"inputs": "size,age"})
    return {
        target: ask(ProposeData(path=str(houses), target=target, answers=answers))
        for target in TARGETS
    }


def followed(old: Proposal, new: Proposal, spec: RunSpec | None = None, graph=None):
    """Return model and losses of one proposal after the choice of the data of another one."""
    data = OtherData(before=old.info, info=new.info)
    graph = old.graph if graph is None else graph
    after = following_model(graph, data)
    return after, following_spec(spec or old.spec, graph, after, data)


@pytest.mark.parametrize("new", TARGETS)
@pytest.mark.parametrize("old", TARGETS)
def test_that_a_model_as_it_was_proposed_is_the_one_that_other_targets_have(proposals, old, new):
    moved = apply(MoveNodes(positions={"head": (900.0, 10.0)}), proposals[old].graph)
    graph, spec = followed(proposals[old], proposals[new], graph=moved)
    wanted = proposals[new]
    assert (spec.losses, spec.metrics) == (wanted.spec.losses, wanted.spec.metrics)
    assert graph.nodes.keys() == wanted.graph.nodes.keys()
    assert graph.code == wanted.graph.code
    for name, node in wanted.graph.nodes.items():
        assert graph.nodes[name].params == node.params


def test_that_files_of_the_user_stay_where_a_model_is_proposed_anew(proposals):
    old = proposals["price,rooms,leak"]
    own = replace(old.graph, code={**old.graph.code, "layers.py": "import torch\n"})
    graph, _ = followed(old, proposals["price"], graph=own)
    assert graph.code == {**proposals["price"].graph.code, "layers.py": "import torch\n"}


def test_that_layers_of_the_user_stay_and_the_scale_and_the_usual_loss_follow(proposals):
    old, new = proposals["price"], proposals["leak"]
    layer = next(name for name, node in old.graph.nodes.items() if node.type == "Linear")
    edited = apply(SetParam(id=layer, name="out_features", value=7), old.graph)
    graph, spec = followed(old, new, graph=edited)
    assert graph.nodes[layer].params["out_features"] == 7
    assert graph.nodes["scale"].params == new.graph.nodes["scale"].params
    assert spec.losses == new.spec.losses


def test_that_a_loss_for_several_numbers_goes_with_its_code_where_one_is_left(proposals):
    old, new = proposals["price,rooms,leak"], proposals["price"]
    layer = next(name for name, node in old.graph.nodes.items() if node.type == "Linear")
    edited = apply(SetParam(id=layer, name="out_features", value=7), old.graph)
    graph, spec = followed(old, new, graph=edited)
    assert spec.losses == new.spec.losses
    assert without_idle_loss(edited, old.spec.losses) == edited
    assert without_idle_loss(graph, spec.losses).code == {}
    own = replace(graph, code={**graph.code, "mine.py": "import scaled_error\n"})
    assert without_idle_loss(own, spec.losses) == own  # it is used


def test_that_embeddings_are_called_by_the_columns_that_are_there_now(houses):
    kinds = {"kinds": "sold=category,old=category,kind=category"}
    answers = [
        Answers(source="table", params={"inputs": f"size,age,{names}", **kinds})
        for names in ("sold,kind", "old,kind")
    ]
    old, new = (
        ask(ProposeData(path=str(houses), target="price", answers=each)) for each in answers
    )
    layer = next(name for name, node in old.graph.nodes.items() if node.type == "Linear")
    edited = apply(SetParam(id=layer, name="out_features", value=7), old.graph)
    graph, _ = followed(old, new, graph=edited)
    found = [node.name for node in graph.nodes.values() if node.type == "Embedding"]
    wanted = [node.name for node in new.graph.nodes.values() if node.type == "Embedding"]
    assert found == wanted
    assert "old_embedding" in found


def test_that_a_loss_of_the_user_stays(proposals):
    old = proposals["price"]
    (usual,) = old.spec.losses
    own = (LossTerm(loss=Choice(type="L1Loss"), inputs=usual.inputs),)
    _, spec = followed(old, proposals["leak"], replace(old.spec, losses=own))
    assert spec.losses == own
