"""Curriculum: training begins with the easiest samples and takes in more of them each epoch."""

import math
from typing import Literal

import msgspec

RUN_FIELD = "data.curriculum.run"
Pacing = Literal["linear", "root", "exponential", "step"]
"""How the share of the samples that are taken grows."""


class CurriculumSpec(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the training samples an epoch has, in the order of a column that says how
    difficult each of them is.

    The first epoch has the share ``start`` of them, the easiest; after ``epochs`` epochs all are
    in. Between them the share grows by ``pacing``: ``linear`` as much each epoch, ``root`` faster
    at first (its square grows evenly: Platanios et al., 2019), ``exponential`` by the same factor,
    ``step`` not at all until it is 1 (Hacohen and Weinshall, 2019). Instead of a column a ``run``
    of the project may say how difficult they are (``run-0003``, ``run-0003:last``; its best
    checkpoint where none is named): by the losses of the samples under its model.
    """

    start: float = 0.25
    epochs: int = 5
    pacing: Pacing = "linear"
    easiest: Literal["lowest", "highest"] = "lowest"
    run: str = ""

    def taken(self, samples: int, epoch: int) -> int:
        """Return how many of so many samples the epoch with this number (from 0) has."""
        return taken_samples(samples, epoch, self.start, self.epochs, self.pacing)


def taken_samples(samples: int, epoch: int, start: float, epochs: int, pacing: Pacing) -> int:
    """Return how many of so many samples an epoch (from 0) of a curriculum has, one at least."""
    done = min(epoch / epochs, 1.0)
    shares = {
        "linear": start + (1 - start) * done,
        "root": math.sqrt(start**2 + (1 - start**2) * done),
        "exponential": start ** (1 - done),
        "step": 1.0 if done >= 1 else start,
    }
    return min(samples, max(1, round(shares[pacing] * samples)))
