"""Outputs of a detector beside the true boxes of the data."""

from collections.abc import Sequence

from torch import Tensor

from engine.spec.data import FieldInfo
from engine.spec.output import FOUND
from engine.train.average_precision import FoundBoxes, TrueBoxes, mask_overlaps
from engine.train.losses import Batch, Outputs, bind

_MASK_AXES = 5  # pictures, rows, one, height, width


class BoxComparison:
    """What a model finds and where the data say what is there. ``boxes`` and ``labels`` are the
    fields, ``classes`` the names of the classes; a model without the outputs
    :data:`~engine.spec.output.FOUND` finds nothing. ``masks`` is the field of these and the output
    that finds some, empty where one of both is missing.
    """

    def __init__(
        self,
        output_names: Sequence[str],
        boxes: FieldInfo,
        labels: FieldInfo,
        masks: FieldInfo | None = None,
    ) -> None:
        self.masks = masks.name if masks is not None and masks.name in output_names else ""
        self._mask_getter = bind(f"model.{self.masks}", output_names, "") if self.masks else None
        self.boxes = boxes.name
        self.labels = labels.name
        self.classes = labels.classes
        self._getters = (
            [bind(f"model.{name}", output_names, "") for name in FOUND]
            if set(FOUND) <= set(output_names)
            else []
        )

    def found(self, outputs: Outputs) -> FoundBoxes | None:
        """Return what a model finds in a batch, detached; None for one of another kind."""
        if not self._getters:
            return None
        boxes, labels, scores = (getter(outputs, {}).detach() for getter in self._getters)
        is_alike = boxes.shape[:2] == labels.shape == scores.shape and boxes.ndim == 3
        return FoundBoxes(boxes, labels, scores) if is_alike else None

    def pick(self, outputs: Outputs, batch: Batch) -> tuple[FoundBoxes, TrueBoxes] | None:
        """Return what a model finds in a batch, and what is there."""
        found = self.found(outputs)
        if found is None:
            return None
        return found, self.truth(batch)

    def found_masks(self, outputs: Outputs) -> Tensor | None:
        """Return how likely each pixel is of what a model finds, (pictures, rows, 1, height,
        width), detached; None for one that finds no masks.
        """
        if self._mask_getter is None:
            return None
        masks = self._mask_getter(outputs, {}).detach()
        return masks if masks.ndim == _MASK_AXES else None

    def overlaps(self, outputs: Outputs, batch: Batch) -> Tensor | None:
        """Return how much each mask that a model finds in a batch shares with each true one, as
        :func:`~engine.train.average_precision.mask_overlaps` has it; None without masks, as in
        training, when none are found.
        """
        found, true = self.found_masks(outputs), batch.get(self.masks)
        boxes = self.found(outputs)
        if found is not None and boxes is not None and found.shape[1] != boxes.scores.shape[1]:
            return None
        if found is None or true is None or found.shape[-2:] != true.shape[-2:]:
            return None
        return mask_overlaps(found, true)

    def truth(self, batch: Batch) -> TrueBoxes:
        """Return the true boxes of a batch."""
        boxes: Tensor = batch[self.boxes]
        return TrueBoxes(boxes, batch[self.labels])


def box_comparison(
    output_names: Sequence[str], fields: Sequence[FieldInfo]
) -> BoxComparison | None:
    """Return how the outputs of a model compare with the boxes of the data; None without boxes."""
    targets = [field for field in fields if field.role == "target"]
    boxes = next((field for field in targets if field.kind == "boxes"), None)
    labels = next((field for field in targets if field.kind == "box_classes"), None)
    if boxes is None or labels is None:
        return None
    masks = next((field for field in targets if field.kind == "box_masks"), None)
    return BoxComparison(output_names, boxes, labels, masks)
