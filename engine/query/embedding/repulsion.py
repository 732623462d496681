"""Repulsion of t-SNE: the push of all samples on each, exact or interpolated on a grid.

With q = 1 / (1 + distance²) between two samples, a sample is pushed by the sum of q² times the
distance, over the sum of q over all pairs. Pair by pair that takes the square of the samples. From
some thousands on it is interpolated: their charges are put onto a grid, convolved with q and q² by
FFT, and read where the samples are (Linderman et al., "Fast interpolation-based t-SNE for improved
visualization of single-cell RNA-seq data", 2019). Then the time grows with the samples alone.
"""

import torch
from torch import Tensor

MOST_EXACT = 4000  # samples
_BLOCK = 1 << 18  # pairs
_FEWEST_BOXES, _MOST_BOXES = 50, 300  # across and up; of about one unit each
_BOXES_STEP = 25  # so that the FFT has sizes with small factors
_NODES = 3  # of a box, across and up
_LEAST = 1e-12


def repulsion(xy: Tensor) -> Tensor:
    """Return the push on each sample, (samples, 2)."""
    push, total = exact_push(xy) if len(xy) <= MOST_EXACT else interpolated_push(xy)
    return push / max(total, _LEAST)


def exact_push(xy: Tensor) -> tuple[Tensor, float]:
    """Return the sum of q² times the distance for each sample, (samples, 2), and that of q over all
    pairs; a block of samples at a time, so that memory grows with the samples.
    """
    ones = torch.ones(len(xy), 1)
    squares = xy.square().sum(dim=1, keepdim=True)
    # One product gives 1 + distance², another the sums of q² and of q² times the position.
    left = torch.cat([-2 * xy, squares + 1, ones], 1)
    right, summed = torch.cat([xy, ones, squares], 1).T, torch.cat([xy, ones], 1)
    push, total = torch.empty_like(xy), 0.0
    size = max(1, _BLOCK // len(xy))
    for start in range(0, len(xy), size):
        rows = slice(start, start + size)
        q = (left[rows] @ right).reciprocal_()
        total += float(q.sum()) - len(q)  # without each and itself
        sums = q.square_() @ summed
        push[rows] = sums[:, 2:] * xy[rows] - sums[:, :2]
    return push, total


def interpolated_push(xy: Tensor) -> tuple[Tensor, float]:
    """Return about what :func:`exact_push` does."""
    low = xy.amin()
    span = float(xy.amax() - low) or 1.0
    boxes = -(-int(span) // _BOXES_STEP) * _BOXES_STEP
    boxes = min(max(_FEWEST_BOXES, boxes), _MOST_BOXES)
    size, side = boxes * _NODES, span / boxes
    positions, weights = _grid_weights((xy - low) / side, boxes)
    charges = torch.cat([torch.ones(len(xy), 1), xy], 1)
    grids = torch.stack(
        [
            torch.bincount(
                positions.flatten(), (weights * charge).flatten(), minlength=size * size
            ).reshape(size, size)
            for charge in charges.T.unsqueeze(2)
        ]
    )
    q = _kernel(size, side / _NODES)
    room = (2 * size, 2 * size)
    spectra = torch.fft.rfft2(grids, s=room)
    once = spectra[:1] * torch.fft.rfft2(q)
    squared = spectra * torch.fft.rfft2(q.square())
    potentials = torch.fft.irfft2(torch.cat([once, squared]), s=room)[:, :size, :size]
    found = (potentials.flatten(1)[:, positions] * weights).sum(dim=2)
    total = float(found[0].sum()) - len(xy)
    return found[1].unsqueeze(1) * xy - found[2:].T, total


def _grid_weights(places: Tensor, boxes: int) -> tuple[Tensor, Tensor]:
    """Return the nodes of the grid around each sample (int64) and their Lagrange weights, both
    (samples, nodes); ``places`` are in boxes.
    """
    corner = places.floor().clamp_(0, boxes - 1)
    inner = (places - corner).unsqueeze(2)
    nodes = (torch.arange(_NODES) + 0.5) / _NODES
    weights = torch.ones(*places.shape, _NODES)
    for at in range(_NODES):
        others = nodes[torch.arange(_NODES) != at]
        weights[..., at] = ((inner - others) / (nodes[at] - others)).prod(dim=2)
    lines = corner.long().unsqueeze(2) * _NODES + torch.arange(_NODES)
    positions = lines[:, 1, :, None] * (boxes * _NODES) + lines[:, 0, None, :]
    return positions.flatten(1), (weights[:, 1, :, None] * weights[:, 0, None, :]).flatten(1)


def _kernel(size: int, apart: float) -> Tensor:
    """Return q between the first node and all nodes of a grid twice as large, whose far half stands
    for those on the other side.
    """
    steps = torch.arange(2 * size)
    distances = torch.minimum(steps, 2 * size - steps) * apart
    squares = distances.square()
    return 1 / (1 + squares[:, None] + squares[None, :])
