"""Request to the process that measures how fast a run would be, and its answers."""

import msgspec

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.run import RunSpec


class BenchmarkSpeed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Measure which settings make the steps of a run faster. ``compiles``: try ``torch.compile``
    too, which may take minutes; ``trusted``: the own code of the graph may run.
    """

    graph: Graph
    spec: RunSpec
    compiles: bool = False
    trusted: bool = False


class SpeedTrial(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Setting ``name`` is about to be tried with ``value``: the ``number``-th (from 1) of
    ``count``.
    """

    name: str
    value: Value
    number: int
    count: int


class SpeedMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a setting did: milliseconds of a step without and with it, in turn, and how far the
    first loss is off, as a share of it. ``problem``: it cannot be used here.
    """

    name: str
    value: Value
    before_ms: float = 0.0
    after_ms: float = 0.0
    difference: float = 0.0
    is_kept: bool = False
    problem: Diagnostic | None = None


class SpeedDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All was tried."""


class SpeedFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Nothing can be measured."""

    problems: tuple[Diagnostic, ...]


SpeedMessage = SpeedTrial | SpeedMeasured | SpeedDone | SpeedFailed
