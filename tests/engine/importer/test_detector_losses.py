"""The losses of detectors of torchvision on the canvas are torchvision's own."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.data.source.field import box_infos
from engine.importer.module import follow_module
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.box_rule import check_boxes
from engine.spec.data import IGNORED, DataInfo, FieldInfo
from engine.spec.defaults import default_spec, fit_inputs
from engine.spec.run import Choice, LossTerm
from engine.train.losses import LossTerms
from tests.engine.importer.test_detector import fcos, retinanet, ssd

_PICTURES = torch.rand(3, 3, 40, 56, generator=torch.Generator().manual_seed(1))
_BOXES = [
    torch.tensor([[4.0, 3.0, 30.0, 25.0], [20.0, 10.0, 55.0, 38.0], [1.0, 1.0, 9.0, 7.5]]),
    torch.empty(0, 4),
    torch.tensor([[10.0, 10.0, 40.0, 39.0]]),
]
_LABELS = [torch.tensor([0, 2, 1]), torch.empty(0, dtype=torch.int64), torch.tensor([2])]


def _padded() -> dict[str, Tensor]:
    boxes, labels = torch.zeros(3, 3, 4), torch.full((3, 3), IGNORED)
    for row, (one, classes) in enumerate(zip(_BOXES, _LABELS, strict=True)):
        boxes[row, : len(one)], labels[row, : len(one)] = one, classes
    return {"image": _PICTURES, "boxes": boxes, "labels": labels}


def _losses(kind: Callable[[], nn.Module]) -> tuple[nn.Module, nn.Module, LossTerms]:
    """Return a detector of torchvision, the one on the canvas and its loss."""
    torch.manual_seed(0)
    module = kind()
    graph = follow_module(module, [_PICTURES]).graph
    built = to_module(graph)
    built.load_state_dict(module.state_dict())
    term = LossTerm(
        loss=Choice(type=f"code.anchors.{kind.__name__}_loss"),
        inputs={"answers": "model.answers", "labels": "data.labels", "boxes": "data.boxes"},
    )
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    return module, built, LossTerms([term], names, torch.device("cpu"), graph.code)


@pytest.mark.parametrize("kind", [retinanet, fcos, ssd])
def test_that_losses_are_those_of_torchvision_to_the_last_bit_and_gradients_up_to_rounding(
    kind: Callable[[], nn.Module],
) -> None:
    module, built, loss = _losses(kind)
    first = 1 if kind is ssd else 0  # SSD has a class for the background before the others
    targets = [
        {"boxes": boxes, "labels": labels + first}
        for boxes, labels in zip(_BOXES, _LABELS, strict=True)
    ]
    parts = module.train()(list(_PICTURES), targets)
    expected = sum(parts[name] for name in ("classification", "bbox_regression"))
    expected = expected + parts.get("bbox_ctrness", 0)
    expected.backward()

    value, _ = loss(built.train()(_PICTURES), _padded())
    value.backward()

    assert torch.equal(value, expected)
    own = dict(built.named_parameters())
    for name, weight in module.named_parameters():
        assert weight.grad is not None
        # Gradients that meet in a layer are added up in another order.
        torch.testing.assert_close(own[name].grad, weight.grad, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", [retinanet, fcos, ssd])
def test_that_a_loss_exists_in_evaluation_and_rows_without_a_box_do_not_count(
    kind: Callable[[], nn.Module],
) -> None:
    _, built, loss = _losses(kind)
    batch = _padded()
    with torch.no_grad():
        outputs = built.eval()(_PICTURES)
        value, _ = loss(outputs, batch)
        wider = {**batch, "boxes": nn.functional.pad(batch["boxes"], (0, 0, 0, 4))}
        wider["labels"] = nn.functional.pad(batch["labels"], (0, 4), value=IGNORED)
        flat = wider["boxes"].clone()
        flat[1, 0], wider["labels"][1, 0] = torch.tensor([5.0, 5.0, 5.0, 9.0]), 1  # of no width
        again, _ = loss(outputs, {**wider, "boxes": flat})
    assert torch.isfinite(value)
    assert torch.equal(value, again)


def test_that_ssd_counts_classes_as_the_data_do_where_it_is_told_so() -> None:
    from engine.graph.edit.edits import SetParam, apply
    from engine.importer.detector import without_thresholds

    torch.manual_seed(0)
    graph = without_thresholds(follow_module(ssd(), [_PICTURES]).graph)
    edited = apply(SetParam(id="ssd_boxes", name="first_label", value=0), graph)
    torch.manual_seed(0)
    before = to_module(graph).eval()
    after = to_module(edited).eval()
    after.load_state_dict(before.state_dict())
    with torch.no_grad():
        labels, fewer = before(_PICTURES)[1], after(_PICTURES)[1]
    assert torch.equal(fewer, labels - 1)


@pytest.mark.parametrize("kind", [retinanet, fcos, ssd])
def test_that_an_imported_detector_gets_its_loss_for_data_with_boxes(
    kind: Callable[[], nn.Module],
) -> None:
    graph = follow_module(kind(), [_PICTURES]).graph
    boxes, labels = box_infos(("a", "b", "c"))
    image = FieldInfo(name="image", role="input", kind="image", shape=(3, 40, 56), dtype="float32")
    info = DataInfo(source="", samples=3, task="classification", fields=(image, boxes, labels))
    graph = fit_inputs(graph, info)
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis)
    assert spec.losses[0].loss.type == f"code.anchors.{kind.__name__}_loss"
    found = [problem.code for problem in check_boxes(spec, graph, analysis, info)]
    # SSD counts the background as 0 until it is told to count as the data do.
    assert found == (["R080"] if kind is ssd else [])
