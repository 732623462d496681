"""First models for boxes: found boxes and what a loss looks at, for pictures of any size."""

import msgspec
import pytest
import torch

from engine.custom.trust import set_trust
from engine.data.load.load import describe_source, load_split
from engine.graph.check import check
from engine.graph.edit.edits import RenameNode, apply
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.data import DataInfo
from engine.spec.defaults import default_spec, fit_targets
from engine.spec.first_model import first_model
from engine.spec.output import FOUND
from engine.spec.proposal import ModelSize
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.spec.validate import validate
from engine.train.losses import LossTerms

SHAPES = DataSpec(
    source=Choice(type="shapes", params={"target": "boxes", "samples": 40, "classes": 3}),
    batch_size=8,
)


def described(size: int = 32) -> DataInfo:
    params = {**SHAPES.source.params, "size": size}
    data = DataSpec(source=Choice(type="shapes", params=params))
    return describe_source(data, *load_split(data))


def model_for(info: DataInfo, size: ModelSize = "small") -> Graph:
    graph = first_model(info, size)
    assert graph is not None
    set_trust(graph.code, trusted=True)
    return graph


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("side", [16, 50, 64, 128])
def test_that_a_model_finds_boxes_in_pictures_of_any_size(side: int, size: ModelSize) -> None:
    graph = model_for(described(side), size)
    assert not check(graph)
    analysis = analyse(graph)
    assert not analysis.problems
    truth = [torch.zeros(2, 0, 4), torch.zeros(2, 0, dtype=torch.int64)]
    inputs = [torch.rand(2, 3, side, side), *(truth if size == "large" else ())]
    boxes, labels, scores, *others = to_module(graph).eval()(*inputs)
    assert boxes.shape == (*labels.shape, 4)
    assert labels.shape == scores.shape
    assert all(len(each) == 2 for each in others)
    assert [node.name for node in graph.nodes.values() if node.type == "Output"][:3] == list(FOUND)


def test_that_the_loss_and_the_metrics_that_fit_are_chosen() -> None:
    info = described()
    graph = model_for(info)
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis, SHAPES)
    term = spec.losses[0]
    assert term.loss.type == "code.anchors.fcos_loss"
    assert term.inputs == {
        "answers": "model.answers",
        "labels": "data.labels",
        "boxes": "data.boxes",
    }
    assert (spec.checkpoint.monitor, spec.checkpoint.mode) == ("validation.map", "max")
    assert not validate(spec, graph, analysis, info)
    bare = LossTerm(loss=term.loss)
    fitted = fit_targets(default_spec(info, Graph()), info, graph)
    assert not fitted.losses  # there is none to fit
    spec = msgspec.structs.replace(spec, losses=(bare,))
    assert fit_targets(spec, info, graph).losses == (term,)


def test_that_a_picture_without_boxes_can_be_learnt_from() -> None:
    info = described()
    graph = model_for(info)
    terms = default_spec(info, graph).losses
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    loss = LossTerms(terms, names, torch.device("cpu"), graph.code)
    model = to_module(graph).train()
    nothing = {"boxes": torch.zeros(2, 0, 4), "labels": torch.zeros(2, 0, dtype=torch.int64)}
    value, _ = loss(model(torch.rand(2, 3, 32, 32)), nothing)
    value.backward()
    assert torch.isfinite(value)
    assert all(weight.grad is not None for weight in model.parameters())


def codes_of(graph: Graph, info: DataInfo, term: LossTerm | None = None) -> list[str]:
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis, SHAPES)
    if term is not None:
        spec = msgspec.structs.replace(spec, losses=(term,))
    return [problem.code for problem in validate(spec, graph, analysis, info)]


def test_that_a_model_of_fewer_classes_than_the_data_have_is_told() -> None:
    graph = model_for(described())
    info = described()
    more = tuple(
        msgspec.structs.replace(field, classes=(*field.classes, "star")) if field.classes else field
        for field in info.fields
    )
    assert codes_of(graph, msgspec.structs.replace(info, fields=more)) == ["R081"]


def test_that_a_model_without_the_outputs_of_a_detector_is_told() -> None:
    info = described()
    renamed = apply(RenameNode(id="scores", name="certain"), model_for(info))
    set_trust(renamed.code, trusted=True)
    assert codes_of(renamed, info) == ["R079"]
