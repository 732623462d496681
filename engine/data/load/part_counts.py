"""How many samples of each class, or with a target in each interval, a part has."""

from collections.abc import Iterable
from typing import cast

from torch import Tensor

from engine.data.load.value_counts import value_counts
from engine.data.source.source import Source
from engine.spec.data import PartName, SplitInfo

_EVEN = 0.5


def count_parts(
    source: Source, parts: Iterable[tuple[str, Tensor]]
) -> tuple[tuple[float, ...], tuple[SplitInfo, ...]]:
    """Return the edges of the intervals in which a number to predict is counted, and the samples of
    each part; ``parts`` are their names with the indices (int64) of their samples.
    """
    indices = dict(parts)
    edges, counts = value_counts(source, indices)
    return edges, tuple(
        SplitInfo(
            name=cast("PartName", part),
            samples=len(index),
            class_counts=_class_counts(source, index),
            label_counts=_label_counts(source, index),
            value_counts=counts.get(part, ()),
        )
        for part, index in indices.items()
    )


def _class_counts(source: Source, index: Tensor) -> tuple[int, ...]:
    """Return how many of some samples, or of their boxes, are of each class; none without them."""
    table = source.boxes()
    if table is not None:
        classes = next(len(info.classes) for info in source.infos if info.kind == "box_classes")
        return tuple(table.class_counts(index, classes).tolist())
    info = next((info for info in source.infos if info.kind == "class"), None)
    values = None if info is None else source.column(info.name)
    if info is None or values is None:
        return ()
    labels = values.index_select(0, index)
    valid = labels[(labels >= 0) & (labels < len(info.classes))]
    return tuple(valid.bincount(minlength=len(info.classes)).tolist())


def _label_counts(source: Source, index: Tensor) -> tuple[int, ...]:
    """Return how many of some samples have each label; none where the target is something else."""
    targets = [info for info in source.infos if info.role == "target"]
    is_vector = len(targets) == 1 and targets[0].kind == "vector" and len(targets[0].columns) > 1
    values = source.column(targets[0].name) if source.task == "binary" and is_vector else None
    if values is None:
        return ()
    return tuple((values.index_select(0, index) > _EVEN).sum(dim=0).tolist())
