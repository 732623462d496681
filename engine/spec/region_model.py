"""Larger first model for boxes: a small Faster R-CNN (Ren et al., 2015) from layers of the canvas,
with masks a Mask R-CNN (He et al., 2017).

Where the picture may hold something is proposed first, then each proposal is looked at. It is
trained on proposals that are drawn with the true boxes in sight, so these come in beside the
pictures; where they are not known it finds the same.
"""

from engine.graph.draft import Draft, sequential
from engine.graph.model import Block, Graph
from engine.graph.shipped_code import shipped_files
from engine.spec.box_backbone import Backbone
from engine.spec.data import FieldInfo
from engine.spec.output import FOUND

_CODE, _MASK_CODE = "regions.py", "region_masks.py"
_SIDES = (3, 5)  # of the anchors, in cells of their level
_RATIOS = (0.5, 1.0, 2.0)
_SIDE, _MASK_SIDE = 5, 8  # of what is cut out for a proposal, and for a mask of twice its side
_POINTS = 2
_HIDDEN = 128
_PROPOSALS, _SAMPLES = 100, 64  # of a picture
_SIZES = "scaled.output.1"  # of the scaled pictures
_TRUTH = {"true_boxes": "true_boxes", "true_labels": "true_labels"}
_MASKS = ("masks", "loss_mask")
_PROPOSED, _LOOKED_AT = ("loss_objectness", "loss_rpn_box_reg"), ("loss_classifier", "loss_box_reg")


def region_model(
    field: FieldInfo, classes: int, backbone: Backbone, masks: FieldInfo | None = None
) -> Graph:
    """Return a model that finds boxes in pictures (channels, height, width) in two steps, and
    computes the four losses of both; where there is a field of ``masks`` it finds these too, with a
    loss more.
    """
    levels = backbone.levels
    count = len(_SIDES) * len(_RATIOS)
    blocks = {**backbone.blocks, "ProposalHead": _proposal_head(backbone.width, count)}
    blocks["ProposalHeads"] = _proposal_heads(blocks, levels)
    blocks["Hidden"] = _hidden()
    blocks["BoxHead"] = _box_head(blocks, classes)
    if masks is not None:
        blocks["MaskHead"] = _mask_head(backbone.width, classes)
    draft = Draft(blocks, shipped_files(_CODE if masks is None else _MASK_CODE))
    draft.put("image", "Input", field=field.name, shape=field.shape)
    draft.put("true_boxes", "Input", field="boxes", shape=(-1, 4))
    draft.put("true_labels", "Input", field="labels", shape=(-1,), dtype="int64")
    if masks is not None:
        draft.put("true_masks", "Input", field=masks.name, shape=masks.shape, dtype=masks.dtype)
    draft.add(backbone.scaled(), "image")
    draft.put("pyramid", "block.Pyramid", after="scaled.output.0")
    features = [f"pyramid.features{level}" for level in range(1, levels + 1)]
    heads = {f"features{at}": name for at, name in enumerate(features, 1)}
    draft.put("heads", "block.ProposalHeads", after=heads)
    _add_proposals(draft, backbone)
    _add_boxes(draft, features)
    if masks is not None:
        _add_masks(draft, features)
    ends = ["whole", "found.output.1", "found.output.2", "found.output.3", "found.output.4"]
    ends += ["proposals.output.1", "proposals.output.2"]
    for name, end in zip((*FOUND, *_LOOKED_AT, *_PROPOSED), ends, strict=True):
        draft.put(name, "Output", after=end)
    for at, name in enumerate(_MASKS if masks is not None else ()):
        draft.put(name, "Output", after=f"shapes.output.{at}")
    return draft.model()


def _add_proposals(draft: Draft, backbone: Backbone) -> None:
    """Add what says where something may be, and what chooses of it in training."""
    maps = {
        f"{kind}.{at}": f"heads.{kind}{at + 1}"
        for kind in ("objectness", "deltas")
        for at in range(backbone.levels)
    }
    draft.put(
        "proposals",
        "code.regions.RegionProposals",
        after={"images": "image", "scaled": "scaled.output.0", "sizes": _SIZES, **maps, **_TRUTH},
        anchor_sizes=tuple(float(side * cell) for cell in backbone.cells for side in _SIDES),
        aspect_ratios=_RATIOS,
        candidates=2 * _PROPOSALS,
        proposals=_PROPOSALS,
        training_candidates=4 * _PROPOSALS,
        training_proposals=2 * _PROPOSALS,
        fg_iou_thresh=0.6,
        samples=2 * _SAMPLES,
    )
    proposals = {"images": "image", "sizes": _SIZES, "proposals": "proposals.output.0", **_TRUTH}
    draft.put("samples", "code.regions.RegionSamples", after=proposals, samples=_SAMPLES)


def _add_boxes(draft: Draft, features: list[str]) -> None:
    """Add what looks at the proposals and says what they are."""
    cut = {"sizes": _SIZES, "boxes": "samples.output.0"}
    cut |= {f"features.{at}": name for at, name in enumerate(features)}
    draft.put(
        "cut",
        "code.regions.region_features",
        after=cut,
        output_size=_SIDE,
        sampling_ratio=_POINTS,
    )
    draft.put("box_head", "block.BoxHead", after="cut")
    ports = {
        "sizes": _SIZES,
        "proposals": "samples.output.0",
        "logits": "box_head.classes",
        "deltas": "box_head.deltas",
        "held_classes": "samples.output.1",
        "held_deltas": "samples.output.2",
    }
    draft.put("found", "code.regions.RegionBoxes", after=ports, detections=50, first_label=0)
    whole = {"images": "image", "sizes": _SIZES, "boxes": "found.output.0"}
    draft.put("whole", "code.regions.boxes_of_pictures", after=whole)


def _add_masks(draft: Draft, features: list[str]) -> None:
    """Add what says which pixels are of what was found, and of the proposals that are learnt."""
    rows = {"proposals": "samples.output.0", "held_classes": "samples.output.1"}
    draft.put(
        "regions", "code.region_masks.mask_regions", after={"boxes": "found.output.0", **rows}
    )
    cut = {"sizes": _SIZES, "boxes": "regions"}
    cut |= {f"features.{at}": name for at, name in enumerate(features)}
    draft.put(
        "mask_cut",
        "code.regions.region_features",
        after=cut,
        output_size=_MASK_SIDE,
        sampling_ratio=_POINTS,
    )
    draft.put("mask_head", "block.MaskHead", after="mask_cut")
    ports = {
        "images": "image",
        "sizes": _SIZES,
        "boxes": "found.output.0",
        "labels": "found.output.1",
        **rows,
        "held": "samples.output.3",
        "logits": "mask_head",
        **_TRUTH,
        "true_masks": "true_masks",
    }
    draft.put("shapes", "code.region_masks.RegionMasks", after=ports, first_label=0)


def _mask_head(width: int, classes: int) -> Block:
    """Return what says for each class which pixels of what was cut out are of it."""
    draft = Draft().put("cut", "BlockInput")
    draft.put("conv1", "Conv2d", out_channels=width, kernel_size=3, padding=1).put("relu1", "ReLU")
    draft.put("conv2", "Conv2d", out_channels=width, kernel_size=3, padding=1).put("relu2", "ReLU")
    draft.put("larger", "ConvTranspose2d", out_channels=width, kernel_size=2, stride=2)
    draft.put("relu3", "ReLU").put("pixels", "Conv2d", out_channels=classes + 1, kernel_size=1)
    draft.put("masks", "BlockOutput")
    return draft.block("A small mask for each class; the first class is the background.")


def _proposal_head(width: int, anchors: int) -> Block:
    """Return what says for each anchor how likely it holds something, and how it is moved."""
    draft = Draft().put("features", "BlockInput")
    draft.put("conv", "Conv2d", out_channels=width, kernel_size=3, padding=1).put("relu", "ReLU")
    draft.put("something", "Conv2d", after="relu", out_channels=anchors, kernel_size=1)
    draft.put("moves", "Conv2d", after="relu", out_channels=4 * anchors, kernel_size=1)
    draft.put("objectness", "BlockOutput", after="something")
    draft.put("deltas", "BlockOutput", after="moves")
    return draft.block("Whether something is there, for each anchor at each point.")


def _proposal_heads(blocks: dict[str, Block], levels: int) -> Block:
    """Return the head of the proposals at each level, with the same weights."""
    draft = Draft(blocks)
    for level in range(1, levels + 1):
        draft.put(f"features{level}", "BlockInput")
    for level in range(1, levels + 1):
        shares = "" if level == 1 else "head1"
        draft.put(f"head{level}", "block.ProposalHead", after=f"features{level}", shares=shares)
    for kind in ("objectness", "deltas"):
        for level in range(1, levels + 1):
            draft.put(f"{kind}{level}", "BlockOutput", after=f"head{level}.{kind}")
    return draft.block("Where something may be, in the features of every size.")


def _box_head(blocks: dict[str, Block], classes: int) -> Block:
    """Return what says for each proposal which class it is, and how it is moved for each class."""
    draft = Draft(blocks).put("cut", "BlockInput")
    draft.put("hidden", "block.Hidden")
    draft.put("class_scores", "Linear", after="hidden", out_features=classes + 1)
    draft.put("box_deltas", "Linear", after="hidden", out_features=4 * (classes + 1))
    draft.put("classes", "BlockOutput", after="class_scores")
    draft.put("deltas", "BlockOutput", after="box_deltas")
    return draft.block("What each proposal is; the first class is the background.")


def _hidden() -> Block:
    return sequential(
        ("flatten", "Flatten", {}),
        ("linear1", "Linear", {"out_features": _HIDDEN}),
        ("relu1", "ReLU", {}),
        ("linear2", "Linear", {"out_features": _HIDDEN}),
        ("relu2", "ReLU", {}),
        note="Two layers over all that was cut out.",
    )
