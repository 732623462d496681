"""Detectors of torchvision become graphs that find the same to the last bit."""

from collections import OrderedDict
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.graph.check import check
from engine.graph.edit.edits import EditBlock, SetParam, apply
from engine.graph.model import Graph
from engine.importer.detector import without_thresholds
from engine.importer.module import follow_module, require_same_results
from engine.model.analysis import analyse
from engine.model.module import to_module

_PICTURES = torch.rand(2, 3, 40, 56, generator=torch.Generator().manual_seed(1))
_INPUTS = (
    _PICTURES,
    torch.zeros(2, 0, 4),
    torch.zeros(2, 0, dtype=torch.int64),
    torch.zeros(2, 0, *_PICTURES.shape[-2:], dtype=torch.bool),
)
_SCALES = {"min_size": 64, "max_size": 96}
_WIDTH = 64  # of the heads, which have as many layers as torchvision's but fewer channels


class Backbone(nn.Module):
    """Two levels of features."""

    out_channels = 32

    def __init__(self) -> None:
        from torchvision.ops import FrozenBatchNorm2d

        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 3, 4, 1), FrozenBatchNorm2d(32), nn.ReLU())
        self.down = nn.Conv2d(32, 32, 3, 2, 1)
        self.stem[1].running_var.uniform_(0.5, 2)  # pyright: ignore[reportCallIssue]

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        fine = self.stem(x)
        return OrderedDict([("0", fine), ("1", self.down(fine))])


def _regions(name: str, **more: object) -> nn.Module:
    from torchvision.models import detection
    from torchvision.models.detection import faster_rcnn as faster_rcnn_kinds
    from torchvision.models.detection.anchor_utils import AnchorGenerator

    kind = getattr(detection, name)
    anchors = AnchorGenerator(((16,), (32,)), ((0.5, 1.0),) * 2)
    parts = {
        "rpn_anchor_generator": anchors,
        "box_roi_pool": _pool(7),
        "box_head": faster_rcnn_kinds.TwoMLPHead(32 * 7 * 7, _WIDTH),
        "box_predictor": faster_rcnn_kinds.FastRCNNPredictor(_WIDTH, 4),
        "box_detections_per_img": 9,
    }
    return kind(Backbone(), rpn_post_nms_top_n_test=12, **parts, **_SCALES, **more)


def _pool(side: int) -> nn.Module:
    from torchvision.ops import MultiScaleRoIAlign

    return MultiScaleRoIAlign(["0", "1"], side, 2)


def faster_rcnn() -> nn.Module:
    return _regions("FasterRCNN")


def mask_rcnn() -> nn.Module:
    from torchvision.models.detection.mask_rcnn import MaskRCNNHeads, MaskRCNNPredictor

    head, predictor = MaskRCNNHeads(32, (_WIDTH,) * 4, 1), MaskRCNNPredictor(_WIDTH, _WIDTH, 4)
    parts = {"mask_roi_pool": _pool(14), "mask_head": head, "mask_predictor": predictor}
    return _regions("MaskRCNN", **parts)


def keypoint_rcnn() -> nn.Module:
    from torchvision.models.detection.keypoint_rcnn import KeypointRCNNHeads, KeypointRCNNPredictor

    parts = {
        "keypoint_roi_pool": _pool(14),
        "keypoint_head": KeypointRCNNHeads(32, (_WIDTH,) * 8),
        "keypoint_predictor": KeypointRCNNPredictor(_WIDTH, 5),
    }
    return _regions("KeypointRCNN", **parts)


def retinanet() -> nn.Module:
    return _anchors("RetinaNet", ((16, 20), (32, 40)), (0.5, 1.0))


def fcos() -> nn.Module:
    return _anchors("FCOS", ((4,), (8,)), (1.0,))


def _anchors(name: str, sizes: object, ratios: tuple[float, ...]) -> nn.Module:
    from torchvision.models import detection
    from torchvision.models.detection.anchor_utils import AnchorGenerator

    anchors = AnchorGenerator(sizes, (ratios,) * 2)
    kind = getattr(detection, name)
    return kind(Backbone(), 4, anchor_generator=anchors, detections_per_img=9, **_SCALES)


def ssd() -> nn.Module:
    from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
    from torchvision.models.detection.ssd import SSD

    boxes = DefaultBoxGenerator([[2], [2, 3]], scales=[0.1, 0.4, 0.8], steps=[4, 8])
    backbone = Backbone()
    backbone.out_channels = [32, 32]  # pyright: ignore[reportAttributeAccessIssue]
    return SSD(backbone, boxes, (64, 48), 4, detections_per_img=9)


@pytest.mark.row("P11")
@pytest.mark.parametrize("kind", [faster_rcnn, mask_rcnn, keypoint_rcnn, retinanet, fcos, ssd])
def test_that_a_detector_finds_the_same_to_the_last_bit(kind: Callable[[], nn.Module]) -> None:
    torch.manual_seed(0)
    module = kind()
    followed = follow_module(module, [_PICTURES])
    require_same_results(followed.graph, module, [_PICTURES])
    built = to_module(followed.graph)
    assert set(built.state_dict()) == set(module.state_dict())
    assert followed.is_detector
    assert not check(followed.graph)


@pytest.fixture(scope="module")
def graph() -> Graph:
    torch.manual_seed(0)
    return follow_module(mask_rcnn(), [_PICTURES]).graph


def test_that_the_sizes_of_what_is_found_are_known_without_values(graph: Graph) -> None:
    analysis = analyse(graph)
    found = to_module(without_thresholds(graph)).eval()(*_INPUTS)
    told = [
        analysis.nodes[key].outputs["input"].shape
        for key, node in graph.nodes.items()
        if node.type == "Output"
    ]
    assert [tuple(part.shape[1:]) for part in found] == [shape[1:] for shape in told]
    assert not analysis.problems


def test_that_rows_in_which_nothing_was_found_have_the_score_0(graph: Graph) -> None:
    edit = SetParam(id="region_boxes", name="score_thresh", value=0.99)
    strict = apply(EditBlock(block="RegionHeads", edit=edit), graph)
    names = [node.name for node in strict.nodes.values() if node.type == "Output"]
    for name, found in zip(names, to_module(strict).eval()(*_INPUTS), strict=True):
        assert name.startswith("loss_") or not found.any()


def test_that_its_layers_can_be_changed_like_those_of_any_model(graph: Graph) -> None:
    predictor = graph.blocks["FastRCNNPredictor"]
    assert {"cls_score", "bbox_pred"} <= set(predictor.nodes)
    for name, size in (("cls_score", 7), ("bbox_pred", 28)):
        edit = SetParam(id=name, name="out_features", value=size)
        graph = apply(EditBlock(block="FastRCNNPredictor", edit=edit), graph)
    weights = to_module(graph).state_dict()
    assert weights["roi_heads.box_predictor.cls_score.weight"].shape[0] == 7


def test_that_a_difference_in_what_is_unlikely_is_found(graph: Graph) -> None:
    torch.manual_seed(0)
    edit = SetParam(id="region_boxes", name="nms_thresh", value=0.99)
    broken = apply(EditBlock(block="RegionHeads", edit=edit), graph)
    with pytest.raises(DiagnosticError) as caught:
        require_same_results(broken, mask_rcnn(), [_PICTURES])
    assert caught.value.problems[0].code == "I009"
