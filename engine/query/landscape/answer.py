"""The loss of a model over a plane through its weights: real forward passes over real data."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import torch
from torch import nn

from engine.archive.weights import start_from
from engine.data.load.loader import in_order
from engine.data.load.order import epoch_order
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import confined
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.landscape.plane import (
    Plane,
    Weights,
    principal_plane,
    put,
    random_plane,
    weights_of,
)
from engine.query.landscape.request import (
    DrawLandscape,
    LandscapeMessage,
    LandscapePlane,
    LandscapeProgress,
    LandscapeValues,
    Way,
    WayAxis,
)
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.spec.run import RunSpec
from engine.spec.weight_name import names_in_file
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.devices import run_settings
from engine.train.losses import Batch
from engine.train.tensor_file import start_from_files
from engine.train.training import Training

Tell = Callable[[LandscapeMessage], object]
Point = tuple[float, float]
_Route = tuple[list[tuple[int, Weights]], tuple[Diagnostic, ...]]
"""The weights of a run by steps, and why the first of them are not there."""

_TELL_S = 0.2
_MARGIN = 0.25  # of the extent of the ways, on each side
_NARROWEST = 0.4  # of the longer axis
_FEWEST_POINTS, _MOST_POINTS = 3, 40  # of a way
_MEMORY = 1 << 30  # bytes of the weights at all points
_BATCH = 256  # samples at once, or as many as the run trains with
_BATCH_BYTES = 1 << 20  # of it: what layers make of large samples takes many times as much
_KEPT_BYTES = 1 << 28  # of samples that are not read anew for each point


class LossField:
    """The mean loss of a model over some of its training data, with dropout off and batch norm
    fixed, for any weights. ``samples`` 0: all of them; else an even choice drawn by a fixed seed.
    """

    def __init__(self, training: Training, samples: int) -> None:
        self._training = training
        there = training.data.samples("train")
        self._order = epoch_order(there, 0, 0, shuffle=True)[: min(samples or there, there)]
        self.samples = len(self._order)
        self._kept: list[Batch] | None = None

    def _batches(self) -> Iterator[Batch]:
        """Yield the batches: those of the first time where they fit into memory, else read anew."""
        if self._kept is not None:
            yield from self._kept
            return
        training = self._training
        part = training.data.parts["train"]
        kept: list[Batch] | None = []
        left = _KEPT_BYTES
        for read in in_order(part, _batch_size(training), self._order):
            batch = {name: values.to(training.device) for name, values in read.items()}
            left -= sum(values.nbytes for values in batch.values())
            if left < 0:
                kept = None
            if kept is not None:
                kept.append(batch)
            yield batch
        self._kept = kept

    @torch.no_grad()
    def value(self, weights: Weights) -> float:
        """Return the loss; the model keeps the weights."""
        training = self._training
        put(training.model, weights)
        training.model.eval()
        total = 0.0
        for batch in self._batches():
            inputs = [batch[field] for field in training.input_fields]
            outputs = training.precision.forward(training.model, inputs)
            loss, _ = training.loss(outputs, batch)
            total += float(loss) * len(inputs[0])
        return total / self.samples


def _batch_size(training: Training) -> int:
    """Return how many samples go through the model at once: few where each is large."""
    part = training.data.parts["train"]
    forms = [part.form(name) for name in part.names]
    size = sum(form.element_size() * math.prod(form.shape[1:]) for form in forms)
    return max(training.spec.data.batch_size, min(_BATCH, _BATCH_BYTES // max(size, 1)))


class Teller:
    """Tells of progress, a few times a second."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._told = time.monotonic()

    def is_due(self) -> bool:
        """Return whether it is time to say something again; then it counts as said."""
        now = time.monotonic()
        if now - self._told < _TELL_S:
            return False
        self._told = now
        return True

    def say(self, *messages: LandscapeMessage) -> None:
        """Say it now."""
        for message in messages:
            self._tell(message)


def draw_landscape(request: DrawLandscape, tell: Tell) -> None:
    """Draw the loss around a checkpoint of a run, with the way that its checkpoints tell of.

    Raises :class:`DiagnosticError` for a run or a checkpoint that cannot be opened.
    """
    tell(LandscapeProgress(phase="load"))
    run = RunFolder.open(request.run_folder)
    trained = open_trained(run, request.checkpoint)
    with trained.in_use() as training:
        origin = weights_of(training.model)
        way, missing = _way(trained, origin)
        generator = torch.Generator().manual_seed(trained.spec.seed)
        if request.directions == "path":
            plane = principal_plane(origin, [weights for _, weights in way], generator)
        else:
            plane = random_plane(origin, generator)
        points = [plane.place(weights) for _, weights in way]
        x, y = axes(plane, points, request.reach)
        field = LossField(training, request.samples)
        announced = LandscapePlane(
            size=request.size,
            x=x,
            y=y,
            ways=(seen_way(tuple(step for step, _ in way), points),),
            run=run.document.name,
            step=trained.info.step,
            samples=field.samples,
            missing=missing,
        )
        draw_plane(plane, field, announced, Teller(tell))


def draw_plane(plane: Plane, field: LossField, announced: LandscapePlane, teller: Teller) -> None:
    """Tell of a plane and compute its values, row by row."""
    x, y, size = announced.x, announced.y, announced.size
    teller.say(announced)
    across = torch.linspace(x.low, x.high, size, dtype=torch.float64).tolist()
    up = torch.linspace(y.low, y.high, size, dtype=torch.float64).tolist()
    points = [(a, b) for b in up for a in across]
    waiting: list[float | None] = []
    for done, (a, b) in enumerate(points, 1):
        value = field.value(plane.weights(a, b))
        waiting.append(value if math.isfinite(value) else None)
        if teller.is_due() or done == len(points):
            teller.say(
                LandscapeValues(start=done - len(waiting), values=tuple(waiting)),
                LandscapeProgress(phase="grid", done=done, total=len(points)),
            )
            waiting = []


def axes(plane: Plane, points: Sequence[Point], reach: float) -> tuple[WayAxis, WayAxis]:
    """Return what is shown of a plane: the ways with room around them, or ``reach`` each way where
    the directions are random.
    """
    first, second = plane.shares
    if first is None or second is None:
        axis = WayAxis(low=-reach, high=reach, kind="random")
        return axis, axis
    ends = [_extent([point[index] for point in points]) for index in (0, 1)]
    widest = max(high - low for low, high in ends)
    way_axes: list[WayAxis] = []
    for (low, high), share in zip(ends, (first, second), strict=True):
        middle, extent = (low + high) / 2, max(high - low, _NARROWEST * widest)
        room = extent * (0.5 + _MARGIN)
        kind = "principal" if share > 0 else "random"
        way_axes.append(WayAxis(low=middle - room, high=middle + room, kind=kind, share=share))
    return way_axes[0], way_axes[1]


def seen_way(steps: tuple[int, ...], points: Sequence[Point], racer: int = -1) -> Way:
    """Return a way as it lies in the plane."""
    x, y = (tuple(point[index] for point in points) for index in (0, 1))
    return Way(steps=steps, x=x, y=y, racer=racer)


def begin_like_run(model: nn.Module, graph: Graph, spec: RunSpec, project: Path) -> None:
    """Give a new model the weights that a run of a project begins from.

    Raises :class:`DiagnosticError` for a file of weights that is not there or does not fit.
    """
    start_from_files(model, graph, project)
    if spec.weights:
        start_from(model, confined(project, spec.weights), names_in_file(spec, graph))


def most_points(model: nn.Module, ways: int = 1) -> int:
    """Return how many points of each of so many ways are kept, so that all fit into memory."""
    size = 4 * sum(value.numel() for value in model.parameters()) * ways
    return max(_FEWEST_POINTS, min(_MOST_POINTS, _MEMORY // max(size, 1)))


def _extent(values: list[float]) -> tuple[float, float]:
    return min((*values, 0.0)), max((*values, 0.0))


def _way(trained: Trained, origin: Weights) -> _Route:
    """Return the weights of a run at its start and in its checkpoints, by steps, up to those that
    are looked at: as many as fit into memory.
    """
    run, last = trained.run, trained.info.step
    files = {info.step: info.file for info in read_state(run).checkpoints if info.step < last}
    there = sorted(step for step in files if (run.checkpoints / files[step]).is_file())
    chosen = evenly([*there, last], most_points(trained.training.model))[:-1]
    read = [(step, _still_there(run, files[step])) for step in chosen]
    kept = [
        (step, {name: weights[name] for name in origin if name in weights})
        for step, weights in read
        if weights is not None
    ]
    has_start = 0 in (last, *(step for step, _ in kept))
    start, missing = ([], ()) if has_start else _start(trained)
    return [*start, *kept, (last, origin)], missing


def _still_there(run: RunFolder, file: str) -> Weights | None:
    """Return the weights of a checkpoint; None where the run, going on, has deleted it since."""
    try:
        return open_checkpoint(run, file).model
    except DiagnosticError:
        if (run.checkpoints / file).is_file():
            raise
        return None


def _start(trained: Trained) -> _Route:
    """Return the weights at step 0, made anew from the seed; none where the files that they came
    from are gone: the way begins at the first checkpoint then.
    """
    graph, spec = trained.run.document.graph, trained.spec
    with run_settings(spec):
        model = to_module(graph)
    try:
        begin_like_run(model, graph, spec, trained.run.project)
    except DiagnosticError as error:
        return [], error.problems
    return [(0, weights_of(model))], ()


def evenly(steps: list[int], most: int) -> list[int]:
    """Return at most so many of the steps, with the first and the last."""
    if len(steps) <= most:
        return steps
    last = len(steps) - 1
    return [steps[round(index * last / (most - 1))] for index in range(most)]
