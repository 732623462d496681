"""Metrics that are counted over all samples of a part, in a class that trains itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.catalog.spec import Value
from engine.export.box_text import BOX_COUNTS, BOX_METRIC, SHAPE_COUNTS, box_methods
from engine.export.ignored_text import IGNORED_COUNTS, IGNORED_METRIC, ignored_methods
from engine.export.job import ExportJob
from engine.export.mask_text import MASK_COUNTS, MASK_METRIC, mask_methods
from engine.export.source_parts import SourceParts
from engine.spec.data import BOX_KINDS
from engine.spec.output import FOUND

OVERLAP = "mean IoU"
PRECISION = "mAP"
ACCURACY = "accuracy"


@dataclass(frozen=True, kw_only=True)
class CountedOutputs:
    """``outputs`` are the names of those of the model, ``bound`` what stands at the ports of the
    first term of the loss, as it is written; ``target`` is the field that it compares with and
    ``ignored`` the class that it leaves out; ``is_custom`` tells that it is own code, and
    ``has_classes`` that the target is numbers of classes.
    """

    outputs: Sequence[str]
    bound: Mapping[str, str]
    target: str
    ignored: Value
    is_custom: bool
    has_classes: bool


class Counting(NamedTuple):
    """The name of a metric, the lines that give it for a batch, what the result of a batch holds
    besides, and the methods that count.
    """

    name: str
    metric: str
    more: str
    methods: str


def counting(job: ExportJob, looked_at: CountedOutputs, source: SourceParts) -> Counting | None:
    """Return how masks, boxes, or classes of which one is left out are counted; None where others
    are predicted.
    """
    outputs = list(looked_at.outputs)
    if len(job.boxes) == len(BOX_KINDS) and set(FOUND) <= set(outputs):
        bound = {name: f"outputs[{outputs.index(name)}]" for name in FOUND}
        boxes, labels = (f'batch["{field}"]' for field in job.boxes)
        bound |= {"true_boxes": boxes, "true_labels": labels}
        bound["box_iou"] = source.imported("torchvision.ops", "box_iou")
        more = BOX_COUNTS
        if finds_masks(job, outputs):
            bound["masks"] = f"outputs[{outputs.index(job.object_masks)}]"
            bound["true_masks"] = f'batch["{job.object_masks}"]'
            more += SHAPE_COUNTS
        return Counting(PRECISION, BOX_METRIC, more, box_methods(bound))
    given, target = looked_at.bound.get("input"), looked_at.bound.get("target")
    is_mask = looked_at.target in job.masks and not looked_at.is_custom
    if given is None or target is None:
        return None
    if not is_mask:
        return _classes(given, target, looked_at)
    methods = mask_methods(given, target, looked_at.ignored)
    return Counting(OVERLAP, MASK_METRIC, MASK_COUNTS, methods)


def _classes(given: str, target: str, looked_at: CountedOutputs) -> Counting | None:
    ignored = looked_at.ignored
    if looked_at.is_custom or not looked_at.has_classes:
        return None
    if not isinstance(ignored, int) or ignored < 0:
        return None
    methods = ignored_methods(given, target, ignored)
    return Counting(ACCURACY, IGNORED_METRIC, IGNORED_COUNTS, methods)


def finds_masks(job: ExportJob, outputs: Sequence[str]) -> bool:
    """Return whether a detector with these outputs finds the masks of objects, too."""
    return bool(job.object_masks) and job.object_masks in outputs
