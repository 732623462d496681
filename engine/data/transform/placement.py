"""Where the transforms of evaluation put the pixels of a picture."""

import torch

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.read.placement import Placement
from engine.data.transform.chain import Chain
from engine.data.transform.container_step import ContainerStep, leaves
from engine.data.transform.step import CatalogStep, Step
from engine.diagnostics import Diagnostic, DiagnosticError, Severity

_UNMOVED = ("Color", "Blur and noise")
"""The categories of random transforms that leave each pixel where it is."""

_FLIPS = ("RandomHorizontalFlip", "RandomVerticalFlip")
_CLOSE = 1e-3  # pixels


def chain_placement(chain: Chain, name: str, size: tuple[int, int]) -> Placement:
    """Return where a picture of the field ``name`` lies after a chain, from its ``size`` (height,
    width): found by sending points through the transforms, as boxes without extent, which each of
    them moves as it moves the pixels.

    Raises :class:`DiagnosticError` P066 for a transform that draws where it puts the pixels, or
    bends them, so that there is no way back, P068 for one of the user's code, and D100 for one that
    does not fit.
    """
    from torchvision.transforms.v2 import functional
    from torchvision.tv_tensors import BoundingBoxes, BoundingBoxFormat

    height, width = size
    ends = torch.tensor([[0, 0], [width / 2, height / 2], [width, height]], dtype=torch.float64)
    points = BoundingBoxes(  # pyright: ignore[reportCallIssue] - made by __new__
        ends.repeat(1, 2), format=BoundingBoxFormat.XYXY, canvas_size=size, clamping_mode=None
    )
    for step in chain.steps:
        if step.changes(name, "image") and _moves(step):
            points = step.apply({name: points}, 0)[name]
            _require_straight(step, points)
    start, _, end = points.as_subclass(torch.Tensor)[:, :2].tolist()
    x, y = (end[0] - start[0]) / width, (end[1] - start[1]) / height
    rows, columns = functional.get_size(points)
    return Placement(picture=size, result=(rows, columns), scale=(x, y), shift=(start[0], start[1]))


def _moves(step: Step) -> bool:
    """Return whether a transform moves pixels. Raises :class:`DiagnosticError` P066 for one that
    draws how.
    """
    if isinstance(step, ContainerStep):
        if any(_moves(each) for each in leaves(step.steps)):
            raise DiagnosticError(_no_way_back(step))
        return False
    if not isinstance(step, CatalogStep):
        raise DiagnosticError(_no_way_back(step, "P068"))
    if not step.is_random:
        return True
    entry = catalog().entry(EntryGroup.TRANSFORM, step.name)
    share = getattr(step.module, "p", None)  # how often it does something
    if (entry is not None and entry.category in _UNMOVED) or share == 0:
        return False
    if step.name in _FLIPS and share == 1:
        return True
    raise DiagnosticError(_no_way_back(step))


def _require_straight(step: Step, points: torch.Tensor) -> None:
    """Raise P066 where points do not stay in proportion, or nothing is between them any more."""
    start, middle, end = points.as_subclass(torch.Tensor)[:, :2]
    is_even = (middle - (start + end) / 2).abs().max() < _CLOSE
    if not is_even or (end - start).abs().min() < _CLOSE:
        raise DiagnosticError(_no_way_back(step))


def _no_way_back(step: Step, code: str = "P066") -> Diagnostic:
    return Diagnostic(
        code=code,
        severity=Severity.WARNING,
        field=f"data.transforms.{step.number}",
        params={"number": step.number + 1, "name": step.name.rpartition(".")[2]},
    )
