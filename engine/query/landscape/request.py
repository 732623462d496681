"""Requests to the process that draws loss landscapes and races optimizers, and its answers."""

from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.run import Choice, RunSpec

MOST_RACERS = 6

Directions = Literal["path", "random"]
Phase = Literal["load", "race", "grid"]
FunctionName = Literal["bowl", "rosenbrock", "beale", "himmelblau", "rastrigin", "saddle"]
FUNCTIONS: tuple[FunctionName, ...] = (
    "bowl",
    "rosenbrock",
    "beale",
    "himmelblau",
    "rastrigin",
    "saddle",
)


class Racer(msgspec.Struct, frozen=True, kw_only=True):
    """An optimizer that takes part. One that ``is_recipe`` trains as the run would, with its
    parameter groups and its schedule; the others with a constant rate for all parameters.
    """

    optimizer: Choice
    is_recipe: bool = False


class DrawLandscape(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Draw the loss around a checkpoint of a run, on ``size`` by ``size`` points, as the mean over
    ``samples`` of the training data (0: all of them). ``reach`` is how far random directions go,
    in lengths of the weights; a path decides that itself.
    """

    run_folder: str
    checkpoint: str = "last"
    directions: Directions = "path"
    size: int = 31
    samples: int = 512
    reach: float = 1.0
    trusted: bool = False


class RaceModel(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Train a model with several optimizers from the same start on the same batches, then draw the
    landscape that their ways lie in. Of several phases number ``phase``, from 0, has the optimizer
    of the racer. ``project`` is the folder that the recipe's files are in.
    """

    graph: Graph
    spec: RunSpec
    racers: tuple[Racer, ...]
    project: str = ""
    phase: int = 0
    steps: int = 200
    size: int = 31
    samples: int = 512
    trusted: bool = False


class RaceFunction(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Let optimizers look for the minimum of a function of two numbers."""

    function: FunctionName
    racers: tuple[Racer, ...]
    steps: int = 200
    size: int = 81


LandscapeRequest = DrawLandscape | RaceModel | RaceFunction


class LandscapeProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """``done`` of ``total`` steps of a phase are made; ``total`` 0: not known."""

    phase: Phase
    done: int = 0
    total: int = 0


class RaceLosses(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The losses from step ``first`` (from 1) on, a row a racer, as long as it is in the race. Of a
    model it is the loss of the batch of that step, before the weights are changed by it.
    """

    first: int
    losses: tuple[tuple[float, ...], ...]


class RacerOut(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Racer ``number`` (from 0) cannot go on after ``step`` steps."""

    number: int
    step: int
    problem: Diagnostic


class WayAxis(msgspec.Struct, frozen=True, kw_only=True):
    """A direction of the plane, shown from ``low`` to ``high``. ``share`` is how much of the
    squared distances on the ways lies along it (None: it was not made from ways).
    """

    low: float
    high: float
    kind: Literal["principal", "random", "number"]
    share: float | None = None


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """Where weights were after ``steps``, seen in the plane; ``racer`` is its number, or -1 for the
    run. The plane holds the way itself only as far as the shares of its axes tell.
    """

    steps: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    racer: int = -1


class LandscapePlane(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The plane that is about to be drawn, with the ways in it. It lies around the weights that
    ``run`` had after ``step`` steps ("": around those of a race). ``minima`` are known places;
    ``samples`` is how many the loss is the mean of (0: it is a function); ``missing`` says why the
    way of a run does not begin at step 0.
    """

    size: int
    x: WayAxis
    y: WayAxis
    ways: tuple[Way, ...] = ()
    run: str = ""
    step: int = 0
    minima: tuple[tuple[float, float], ...] = ()
    samples: int = 0
    missing: tuple[Diagnostic, ...] = ()


class LandscapeValues(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Values from point ``start`` on, row by row from the lowest ``y``; None: not finite."""

    start: int
    values: tuple[float | None, ...]


class LandscapeDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All was computed."""


class LandscapeFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Nothing more can be computed."""

    problems: tuple[Diagnostic, ...]


LandscapeMessage = (
    LandscapeProgress
    | RaceLosses
    | RacerOut
    | LandscapePlane
    | LandscapeValues
    | LandscapeDone
    | LandscapeFailed
)
