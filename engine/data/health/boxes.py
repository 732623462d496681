"""Checks of boxes: tiny ones, those that are there twice, and those that were cut off."""

import numpy as np
import torch
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from engine.data.health.finding import MOST_SAMPLES, Shown, finding, listed
from engine.data.health.subject import Subject
from engine.data.read.fit import moved_boxes
from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.diagnostics import Diagnostic, Severity
from engine.spec.health import THUMBNAIL_SIDE, HealthFinding, SampleEvidence

_MOST_DRAWN = 100
_TINY = 4.0  # pixels of the shorter side, as the model gets it
_APART = 1.0  # pixels between the sides of boxes that are the same


def check_boxes(subject: Subject) -> tuple[HealthFinding, ...] | None:
    """Return D304 for boxes too small to see what is in them, D305 for those that are there twice,
    D291 for those that were cut off at the border of their picture; None without boxes.
    """
    table = subject.source.boxes()
    if table is None:
        return None
    owners = table.owners.numpy()
    is_looked_at = subject.is_included[owners]
    sides = _sides(subject, table)
    shorter = sides.amin(dim=1).numpy()
    found: list[HealthFinding] = []

    def add(code: str, severity: Severity, chosen: NDArray[np.bool_], **params: str) -> None:
        boxes = np.flatnonzero(chosen & is_looked_at)
        if len(boxes):
            problem = Diagnostic(
                code=code, severity=severity, params={"count": len(boxes), **params}
            )
            found.append(_of_boxes(problem, subject, table, boxes))

    tiny = shorter < _TINY
    if tiny.any():
        width, height = sides[int(np.argmin(shorter))].tolist()
        add("D304", Severity.HINT, tiny, size=f"{width:.3g} × {height:.3g}")
    add("D305", Severity.WARNING, _repeated(table))
    if isinstance(subject.source, DetectionFolderSource):
        is_clipped = subject.source.pictures.is_clipped
        names = listed(subject.source.sample_names(np.unique(owners[is_clipped]).tolist()))
        add("D291", Severity.WARNING, is_clipped, names=names)
    return tuple(found)


def _of_boxes(
    problem: Diagnostic, subject: Subject, table: BoxTable, boxes: NDArray[np.int64]
) -> HealthFinding:
    """Return a finding about some boxes, by their samples: those with the most first."""
    owners = table.owners.numpy()[boxes]
    samples, counts = np.unique(owners, return_counts=True)
    ordered = samples[np.argsort(-counts, kind="stable")]
    shown = Shown(indices=ordered[:MOST_SAMPLES].tolist())
    found = finding(problem, subject, shown, total=len(samples), surplus=samples.tolist())
    evidence = (
        replace(each, boxes=_drawn(subject, table, boxes[owners == each.index]))
        for each in found.samples
    )
    return replace(found, samples=tuple(evidence))


def with_boxes(found: HealthFinding, subject: Subject) -> HealthFinding:
    """Return a finding with the boxes of its samples, where it is not about some of them."""
    table = subject.source.boxes()
    wanted = [each.index for each in found.samples if not each.boxes]
    if table is None or not wanted:
        return found
    owners = table.owners.numpy()
    boxes = np.flatnonzero(np.isin(owners, wanted))
    owners = owners[boxes]

    def drawn(sample: SampleEvidence) -> SampleEvidence:
        own = boxes[owners == sample.index]
        if sample.boxes or not len(own):
            return sample
        return replace(sample, boxes=_drawn(subject, table, own))

    return replace(found, samples=tuple(map(drawn, found.samples)))


def _drawn(
    subject: Subject, table: BoxTable, boxes: NDArray[np.int64]
) -> tuple[tuple[float, float, float, float, int], ...]:
    """Return where boxes of a sample are on its small picture, as shares of that, with classes."""
    rows = torch.from_numpy(boxes[:_MOST_DRAWN])
    corners, source = table.boxes[rows], subject.source
    height, width = table.sizes[table.owners[rows[0]]].tolist()
    if isinstance(source, DetectionFolderSource) and source.size is not None:
        corners = moved_boxes(corners, (height, width), *source.size, source.fit)
        height, width = source.size
    side = THUMBNAIL_SIDE
    shares = (moved_boxes(corners, (height, width), side, side, "pad") / side).tolist()
    pairs = zip(shares, table.labels[rows].tolist(), strict=True)
    return tuple((left, top, right, bottom, label) for (left, top, right, bottom), label in pairs)


def _sides(subject: Subject, table: BoxTable) -> Tensor:
    """Return width and height of all boxes in pixels of the picture as the model gets it, where
    the source says its size.
    """
    sides = table.boxes[:, 2:] - table.boxes[:, :2]
    source = subject.source
    if not isinstance(source, DetectionFolderSource) or source.size is None:
        return sides
    scales = torch.tensor(source.size) / table.sizes
    if source.fit == "pad":
        scales = scales.amin(dim=1, keepdim=True).expand(-1, 2)
    elif source.fit == "crop":
        scales = scales.amax(dim=1, keepdim=True).expand(-1, 2)
    return sides * scales.flip(1)[table.owners]


def _repeated(table: BoxTable) -> NDArray[np.bool_]:
    """Return which boxes are as one before of the same class in the same picture."""
    rounded = (table.boxes / _APART).round().to(torch.int64)
    keys = torch.cat((table.owners[:, None], table.labels[:, None], rounded), dim=1).numpy()
    _, first = np.unique(keys, axis=0, return_index=True)
    is_repeated = np.ones(len(keys), bool)
    is_repeated[first] = False
    return is_repeated
