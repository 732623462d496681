"""t-SNE of samples, a few iterations at a time, so that it can be watched and left.

As in "Visualizing Data using t-SNE" (van der Maaten and Hinton, 2008) with the settings of
scikit-learn and openTSNE: similarities of the nearest neighbours alone, early exaggeration, a start
from the principal components, a learning rate that grows with the samples.
"""

import torch
from torch import Tensor

from engine.data.seed import one_thread
from engine.query.embedding.repulsion import repulsion

PERPLEXITY = 30.0
NEIGHBORS = 90  # three times the perplexity
_EARLY, _LATE = 250, 500  # iterations
_EXAGGERATION = 12.0
_SEARCHES = 50  # halvings for the bandwidth of a sample
_LEAST_GAIN = 0.01
_LEAST_RATE = 50.0
_LEAST = 1e-12


class Tsne:
    """Positions ``xy`` (samples, 2) that come closer with :meth:`advance` to where neighbours lie
    together; ``done`` of ``total`` iterations. ``neighbors`` (int64) and squared ``distances`` are
    (samples, k), ``start`` (samples, 2).
    """

    total = _EARLY + _LATE

    def __init__(self, neighbors: Tensor, distances: Tensor, start: Tensor) -> None:
        size = len(start)
        self.done = 0
        spread = start.std(dim=0)[0].clamp_min(_LEAST)
        self.xy = (start / spread * 1e-4).contiguous()
        self._speed = torch.zeros_like(self.xy)
        self._gains = torch.ones_like(self.xy)
        self._rate = max(size / _EXAGGERATION / 4, _LEAST_RATE)
        perplexity = min(PERPLEXITY, neighbors.shape[1] / 3)
        chances = conditional_chances(distances, perplexity)
        # Both directions of a pair: its similarity is their mean, so each takes half of both.
        self._neighbors = neighbors
        self._similarity = chances / (2 * size)

    def advance(self) -> None:
        """Make one iteration, in one thread: several that compete with a run wait for each other,
        and they would round in another order.
        """
        with one_thread():
            self._advance()

    def _advance(self) -> None:
        is_early = self.done < _EARLY
        pull = self._attraction() * (_EXAGGERATION if is_early else 1.0)
        gradient = 4 * (pull - repulsion(self.xy))
        is_turned = gradient.sign() != self._speed.sign()
        self._gains = torch.where(is_turned, self._gains + 0.2, self._gains * 0.8)
        self._gains.clamp_min_(_LEAST_GAIN)
        momentum = 0.5 if is_early else 0.8
        self._speed = momentum * self._speed - self._rate * self._gains * gradient
        self.xy += self._speed
        self.xy -= self.xy.mean(dim=0)
        self.done += 1

    def _attraction(self) -> Tensor:
        """Return the pull of its neighbours on each sample, and of those whose neighbour it is."""
        apart = self.xy.unsqueeze(1) - self.xy[self._neighbors]
        near = self._similarity / (1 + apart.square().sum(dim=2))
        force = apart * near.unsqueeze(2)
        targets = self._neighbors.flatten()
        back = [
            torch.bincount(targets, force[..., axis].flatten(), minlength=len(force))
            for axis in (0, 1)
        ]
        return force.sum(dim=1) - torch.stack(back, dim=1)


def conditional_chances(distances: Tensor, perplexity: float) -> Tensor:
    """Return the chances (samples, k) that a sample picks each of its neighbours, by a Gaussian so
    wide that their entropy is the logarithm of ``perplexity``.
    """
    distances = (distances - distances[:, :1]).double()
    low = torch.zeros(len(distances), 1, dtype=torch.float64)
    high = torch.full_like(low, torch.inf)
    precision = 1 / distances.mean(dim=1, keepdim=True).clamp_min(_LEAST)
    wanted = torch.tensor(perplexity, dtype=torch.float64).log()
    chances = distances
    for _ in range(_SEARCHES):
        chances = torch.softmax(-distances * precision, dim=1)
        entropy = torch.special.entr(chances).sum(dim=1, keepdim=True)
        is_wide = entropy > wanted
        low = torch.where(is_wide, precision, low)
        high = torch.where(is_wide, high, precision)
        precision = torch.where(high.isinf(), precision * 2, (low + high) / 2)
    return chances.float()
