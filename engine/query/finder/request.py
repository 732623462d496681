"""Requests to the process that looks for a learning rate or a batch size, and its answers."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.query.reading.request import BatchSizeFound
from engine.spec.run import RunSpec

FEWEST_STEPS, MOST_STEPS = 10, 2_000


class FindRate(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Train a copy of a model for so many ``steps`` while the learning rate rises from ``lowest``
    to ``highest``, each time by the same factor, and look at the loss. Of several phases it is the
    rate and the loss of number ``phase``, from 0, and its steps; the others keep their rates, or
    stand still where they minimize another loss.
    ``project`` is the folder that weights to start from lie in; ``trusted``: the own code of the
    graph may run.
    """

    graph: Graph
    spec: RunSpec
    project: str
    lowest: float = 1e-7
    highest: float = 10.0
    steps: int = 100
    phase: int = 0
    trusted: bool = False


class RateMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The ``step``-th (from 1) of ``count`` was taken with a rate: its loss before the step, and
    the mean of the losses so far, of which later ones count more.
    """

    step: int
    count: int
    rate: float
    loss: float
    smoothed: float


class RateFound(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The rates that are suggested: where the loss falls fastest (``steepest``), and a tenth of the
    one with the lowest loss; None where it does not fall. ``is_diverged``: the loss grew so much
    that the search ended before its highest rate.
    """

    steepest: float | None = None
    tenth: float | None = None
    is_diverged: bool = False


class FindBatch(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Take steps with larger and larger batches of a recipe, until they do not fit the memory of
    its device. ``fits`` (0: none) and ``fails`` (0: none) are sizes of which that is known;
    ``trusted``: the own code of the graph may run.
    """

    graph: Graph
    spec: RunSpec
    fits: int = 0
    fails: int = 0
    trusted: bool = False


class BatchTried(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Batches of a size are about to be tried."""

    size: int


class BatchMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Of batches of a size: samples that are trained with in a second, and the bytes that a step
    took at most. ``problem``: why they cannot be used.
    """

    size: int
    samples_per_s: float = 0.0
    memory: int = 0
    problem: Diagnostic | None = None


class FinderDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All was measured."""


class FinderFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Nothing can be measured."""

    problems: tuple[Diagnostic, ...]


FinderMessage = (
    RateMeasured
    | RateFound
    | BatchSizeFound
    | BatchTried
    | BatchMeasured
    | FinderDone
    | FinderFailed
)
