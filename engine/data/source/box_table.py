"""Boxes of all samples of a source with their classes, in three tensors: small enough to be there
at once for any number of pictures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class BoxTable:
    """``boxes`` (float32, (boxes, 4)) are left, top, right and bottom in pixels of the stored
    picture, ``labels`` (int64, (boxes,)) their class numbers; those of sample ``i`` stand from
    ``starts[i]`` to ``starts[i + 1]`` (int64, (samples + 1,)). ``sizes`` (int64, (samples, 2))
    are the height and width of each picture.
    """

    boxes: Tensor
    labels: Tensor
    starts: Tensor
    sizes: Tensor

    @property
    def samples(self) -> int:
        """The number of samples, with boxes or without."""
        return len(self.starts) - 1

    @property
    def counts(self) -> Tensor:
        """The number of boxes of each sample, int64."""
        return self.starts.diff()

    @property
    def owners(self) -> Tensor:
        """The sample of each box, int64."""
        return torch.repeat_interleave(torch.arange(self.samples), self.counts)

    def boxes_of(self, index: int) -> Tensor:
        """Return the boxes of a sample, (any, 4)."""
        return self.boxes[self.starts[index] : self.starts[index + 1]]

    def shares_of(self, index: int) -> Tensor:
        """Return the boxes of a sample as shares of the width and height of its picture."""
        return self.boxes_of(index) / self.sizes[index].flip(0).repeat(2)

    def labels_of(self, index: int) -> Tensor:
        """Return the classes of the boxes of a sample, (any,)."""
        return self.labels[self.starts[index] : self.starts[index + 1]]

    def class_counts(self, indices: Tensor, classes: int) -> Tensor:
        """Return how many boxes some samples (int64 indices) have of each class, int64."""
        is_chosen = torch.zeros(self.samples, dtype=torch.bool)
        is_chosen[indices] = True
        return self.labels[is_chosen[self.owners]].bincount(minlength=classes)

    def read(self, indices: Sequence[int]) -> dict[str, Tensor | list[Tensor]]:
        """Return the fields ``boxes`` and ``labels`` of some samples."""
        return {
            "boxes": [self.boxes_of(index) for index in indices] or torch.empty(0, 0, 4),
            "labels": [self.labels_of(index) for index in indices]
            or torch.empty(0, 0, dtype=torch.int64),
        }

    def key(self, index: int) -> bytes:
        """Return what is equal only for the same boxes of the same classes in the same order."""
        boxes, labels = self.boxes_of(index), self.labels_of(index)
        return boxes.numpy().tobytes() + labels.numpy().tobytes()


def box_table(boxes: Tensor, labels: Tensor, owners: Tensor, sizes: Tensor) -> BoxTable:
    """Return the table of boxes (boxes, 4) with classes and samples (boxes,), in any order; those
    of a sample stay in theirs. ``sizes`` are those of all pictures.
    """
    order = owners.argsort(stable=True)
    counts = owners.bincount(minlength=len(sizes))
    return BoxTable(
        boxes=boxes[order].to(torch.float32),
        labels=labels[order].to(torch.int64),
        starts=torch.cat((torch.zeros(1, dtype=torch.int64), counts.cumsum(0))),
        sizes=sizes,
    )
