"""Outputs of a detector beside the true boxes of the data."""

from collections.abc import Sequence

from torch import Tensor

from engine.spec.data import FieldInfo
from engine.spec.output import FOUND
from engine.train.average_precision import FoundBoxes, TrueBoxes
from engine.train.losses import Batch, Outputs, bind


class BoxComparison:
    """What a model finds and where the data say what is there. ``boxes`` and ``labels`` are the
    fields, ``classes`` the names of the classes; a model without the outputs
    :data:`~engine.spec.output.FOUND` finds nothing.
    """

    def __init__(self, output_names: Sequence[str], boxes: FieldInfo, labels: FieldInfo) -> None:
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
    return BoxComparison(output_names, boxes, labels)
