"""The losses of detectors of torchvision on the canvas are torchvision's own."""

from collections.abc import Callable

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from engine.data.source.field import box_infos, box_mask_info
from engine.importer.module import follow_module
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.box_rule import check_boxes
from engine.spec.data import IGNORED, DataInfo, FieldInfo
from engine.spec.defaults import default_spec, fit_inputs
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm
from engine.spec.validate import validate
from engine.train.losses import LossTerms
from tests.engine.importer.test_detector import (
    faster_rcnn,
    fcos,
    keypoint_rcnn,
    mask_rcnn,
    retinanet,
    ssd,
)

_PICTURES = torch.rand(3, 3, 40, 56, generator=torch.Generator().manual_seed(1))
_BOXES = [
    torch.tensor([[4.0, 3.0, 30.0, 25.0], [20.0, 10.0, 55.0, 38.0], [1.0, 1.0, 9.0, 7.5]]),
    torch.empty(0, 4),
    torch.tensor([[10.0, 10.0, 40.0, 39.0]]),
]
_LABELS = [torch.tensor([0, 2, 1]), torch.empty(0, dtype=torch.int64), torch.tensor([2])]


_MASKS = [
    torch.rand(len(boxes), 40, 56, generator=torch.Generator().manual_seed(len(boxes))) > 0.5
    for boxes in _BOXES
]


def _padded() -> dict[str, Tensor]:
    boxes, labels = torch.zeros(3, 3, 4), torch.full((3, 3), IGNORED)
    for row, (one, classes) in enumerate(zip(_BOXES, _LABELS, strict=True)):
        boxes[row, : len(one)], labels[row, : len(one)] = one, classes
    masks = pad_sequence(_MASKS, batch_first=True)
    return {"image": _PICTURES, "boxes": boxes, "labels": labels, "masks": masks}


def _info() -> DataInfo:
    boxes, labels = box_infos(("a", "b", "c"))
    image = FieldInfo(name="image", role="input", kind="image", shape=(3, 40, 56), dtype="float32")
    fields = (image, boxes, labels, box_mask_info((40, 56)))
    return DataInfo(source="shapes", samples=3, task="classification", fields=fields)


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


def _taught(kind: Callable[[], nn.Module]) -> tuple[nn.Module, nn.Module, LossTerms, list[str]]:
    """Return a detector of torchvision that takes the true boxes itself, the one on the canvas, the
    loss that it gets by default, and the names of its outputs.
    """
    torch.manual_seed(0)
    module = kind()
    graph = follow_module(module, [_PICTURES]).graph
    built = to_module(graph)
    built.load_state_dict(module.state_dict())
    terms = default_spec(_info(), graph, analyse(graph)).losses
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    return module, built, LossTerms(terms, names, torch.device("cpu"), graph.code), names


def _fields(kind: Callable[[], nn.Module]) -> tuple[str, ...]:
    """Return what of the data enters a detector that takes the true boxes itself."""
    return ("image", "boxes", "labels", *(("masks",) if kind is mask_rcnn else ()))


@pytest.mark.parametrize("kind", [faster_rcnn, mask_rcnn])
def test_that_losses_of_two_steps_are_those_of_torchvision_to_the_last_bit(
    kind: Callable[[], nn.Module],
) -> None:
    module, built, loss, names = _taught(kind)
    # torchvision draws a scale for each picture first, of which there is one.
    module.transform.torch_choice = lambda sizes: sizes[0]
    targets = [
        {"boxes": boxes, "labels": labels + 1, "masks": masks.to(torch.uint8)}
        for boxes, labels, masks in zip(_BOXES, _LABELS, _MASKS, strict=True)
    ]
    torch.manual_seed(5)
    expected = module.train()(list(_PICTURES), targets)
    sum(expected.values()).backward()

    batch = _padded()
    torch.manual_seed(5)
    outputs = built.train()(*(batch[name] for name in _fields(kind)))
    value, parts = loss(outputs, batch)
    value.backward()

    found = dict(zip(names, outputs, strict=True))
    assert loss.part_names == [f"loss.{name}" for name in expected]
    for name, part in expected.items():
        assert torch.equal(found[name], part.expand(len(_PICTURES)))
    assert not found["scores"].any()  # nothing is found in training
    torch.testing.assert_close(value, sum(expected.values()))
    torch.testing.assert_close(torch.stack(parts).sum(), value)
    own = dict(built.named_parameters())
    for name, weight in module.named_parameters():
        assert weight.grad is not None
        torch.testing.assert_close(own[name].grad, weight.grad, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", [faster_rcnn, mask_rcnn, keypoint_rcnn])
def test_that_true_boxes_decide_losses_and_not_what_is_found(
    kind: Callable[[], nn.Module],
) -> None:
    _, built, _, names = _taught(kind)
    batch = _padded()
    with torch.no_grad():
        fields = _fields(kind)
        known = built.eval()(*(batch[name] for name in fields))
        again = built(*(batch[name] for name in fields))
        alone = built(batch["image"], *(batch[name][:, :0] for name in fields[1:]))
        first = built(*(batch[name][:1] for name in fields))
    for name, one, same, other, part in zip(names, known, again, alone, first, strict=True):
        assert torch.equal(one, same)  # no chance in evaluation
        if name.startswith("loss_"):
            assert torch.isfinite(one).all()
            torch.testing.assert_close(one[:1], part)  # a loss of its own for each picture
        else:
            assert torch.equal(one, other)
    at = names.index("loss_rpn_box_reg")
    assert not torch.equal(known[at], alone[at])


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
    info = _info()
    graph = fit_inputs(graph, info)
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis)
    assert spec.losses[0].loss.type == f"code.anchors.{kind.__name__}_loss"
    found = [problem.code for problem in check_boxes(spec, graph, analysis, info)]
    # SSD counts the background as 0 until it is told to count as the data do.
    assert found == (["R080"] if kind is ssd else [])


def test_that_faster_rcnn_takes_pictures_and_true_boxes_of_the_data() -> None:
    info = _info()
    graph = fit_inputs(follow_module(faster_rcnn(), [_PICTURES]).graph, info)
    inputs = [node.params["field"] for node in graph.nodes.values() if node.type == "Input"]
    assert inputs == ["image", "boxes", "labels"]
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis)
    assert {term.loss.type for term in spec.losses} == {MODEL_OUTPUT}
    (problem,) = validate(spec, graph, analysis, info)
    assert (problem.code, problem.node) == ("R080", "roi_heads/region_boxes")
    more = tuple(replace(f, classes=(*f.classes, "d")) if f.classes else f for f in info.fields)
    found = validate(spec, graph, analysis, replace(info, fields=more))
    assert {each.code for each in found} == {"R080", "R081"}
