"""Surface of a model: its predictions over a plane of its inputs, once or while it learns."""

import math
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.data.seed import all_seeded
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.record.surface import SURFACES, Surface
from engine.spec.plane import MOST_NUMBERS, Plane, plane_kinds
from engine.train.predicted import predictions
from engine.train.training import Training
from engine.train.watch.embedded import kept_vectors
from engine.train.watch.plane import ColumnPlane, PlaneLayout, SamplePlane

_SIZES = (56, 40, 28, 20, 14)  # points of a side: the first of which all can be had in time
_LIGHT = 256  # numbers of a row of a table, of which all points are quickly had
_AT_ONCE = 4_000_000  # numbers of the points that go through the model together
_TRIED = (8, 64)  # points that tell how long all take: the more, the better
_TRYING = 0.1  # of the time for a surface that the more of them may take
_LIVE_S = 0.3  # that a run stands still for a surface at most
_MOST_CLASSES = 32
_FINE = 8  # so many outputs are kept in single precision


def lay_plane(training: Training, plane: Plane) -> PlaneLayout:
    """Return a plane of the inputs of a model. Raises :class:`DiagnosticError`: V005, V037 to V039
    and V047 for a model without a surface, V041 and V044 to V046 for a choice that it has not.
    """
    _require_answer(training)
    fields = [info for name in training.input_fields if (info := training.data.info.field(name))]
    kinds = plane_kinds(fields)
    if not kinds:
        raise DiagnosticError.of("V005")
    kind = plane.kind if plane.kind in kinds else kinds[0]
    layout = ColumnPlane if kind == "columns" else SamplePlane
    with _undisturbed(training):
        return layout(training, plane, fields)


def draw_surface(
    training: Training, step: int, layout: PlaneLayout, seconds: float = _LIVE_S
) -> Surface:
    """Return the predictions of a model as it is over a plane, in about so many ``seconds`` at
    most. Neither its mode nor a random state changes.

    Raises :class:`DiagnosticError`: V040 or V048 for a model that answers with other things than a
    class or a few numbers, V042 or V043 where there is no plane between the samples.
    """
    with _undisturbed(training), _evaluated(training.model), torch.no_grad():
        layout.begin()
        size = _size(training, layout, seconds)
        rows, is_classified = _rows(training, layout, size)
    classes: tuple[int, ...] = ()
    if is_classified and len(rows) > _MOST_CLASSES:
        true = [int(point.target) for point in layout.points if point.target is not None]
        classes = _frequent(rows, true)
        rows = rows[list(classes)]
    is_fine = len(rows) <= _FINE or not is_classified
    numbers = rows.to("cpu", torch.float32 if is_fine else torch.float16)
    return Surface(
        step=step,
        x=layout.x,
        y=layout.y,
        size=size,
        outputs=len(rows),
        is_classified=is_classified,
        values=numbers.contiguous().numpy().tobytes(),
        dtype="<f4" if is_fine else "<f2",
        plane=layout.plane,
        names=layout.names,
        points=layout.points,
        embedded=layout.embedded,
        held=layout.held,
        classes=classes,
    )


def _require_answer(training: Training) -> None:
    """Raise :class:`DiagnosticError` for a model that answers with no class and no number."""
    comparison = training.comparison
    if training.world.is_sharded:
        raise DiagnosticError.of("V047")
    if comparison.is_mask:
        raise DiagnosticError.of("V037")
    if comparison.boxes is not None:
        raise DiagnosticError.of("V038")
    target = training.data.info.field(comparison.field)
    if target is not None and target.kind == "sequence" and target.classes:
        raise DiagnosticError.of("V039")


def _rows(training: Training, layout: PlaneLayout, size: int) -> tuple[Tensor, bool]:
    """Return the answers (outputs, points), and whether these are probabilities of classes."""
    found = [_answers(training, layout, x, y) for x, y in _chunks(layout, size)]
    rows = torch.cat([each for each, _ in found])
    return rows.T, found[0][1]


def _answers(training: Training, layout: PlaneLayout, x: Tensor, y: Tensor) -> tuple[Tensor, bool]:
    """Return the answers (points, outputs) at some points, and whether they are probabilities."""
    rows = predictions(training, layout.outputs(x, y))
    is_classified = training.comparison.task != "regression" and not training.comparison.labels
    if len(rows) != len(x) and not len(rows) % len(x):  # each of several answers is yes or no
        rows, is_classified = rows[:, 1].reshape(len(x), -1), False
    wanted = training.comparison.classes
    if len(rows) != len(x) or (is_classified and wanted and rows.shape[1] != wanted):
        raise DiagnosticError.of("V048")
    if not is_classified and rows.shape[1] > MOST_NUMBERS:
        params: dict[str, str | int | float] = {"count": rows.shape[1], "most": MOST_NUMBERS}
        raise DiagnosticError(Diagnostic(code="V040", params=params))
    return rows, is_classified


def _frequent(rows: Tensor, true: list[int]) -> tuple[int, ...]:
    """Return the classes that are the likeliest somewhere on the plane, and the ``true`` ones of
    the samples.
    """
    order = rows.amax(dim=1).argsort(descending=True).tolist()
    chosen = dict.fromkeys([each for each in true if 0 <= each < len(rows)] + order)
    return tuple(sorted(list(chosen)[:_MOST_CLASSES]))


def _size(training: Training, layout: PlaneLayout, seconds: float) -> int:
    """Return how many points a side has: as many as can be had in time."""
    if layout.numbers <= _LIGHT and isinstance(layout, ColumnPlane):
        return _SIZES[0]
    x, y = _grid(layout, _SIZES[-1])
    each_s = 0.0
    for tried in _TRIED:
        count = max(min(tried, _AT_ONCE // max(layout.numbers, 1)), 1)
        if each_s * tried > seconds * _TRYING:
            break
        each_s = _seconds(training, layout, x[:count], y[:count]) / count
    fits = (size for size in _SIZES if each_s * size**2 <= seconds)
    return next(fits, _SIZES[-1])


def _seconds(training: Training, layout: PlaneLayout, x: Tensor, y: Tensor) -> float:
    """Return how long some points take."""
    took = math.inf
    for _ in range(2):  # the first time takes longer
        started = time.monotonic()
        rows, _ = _answers(training, layout, x, y)
        rows.sum().item()
        took = min(took, time.monotonic() - started)
    return took


def _chunks(layout: PlaneLayout, size: int) -> Iterator[tuple[Tensor, Tensor]]:
    x, y = _grid(layout, size)
    count = max(_AT_ONCE // max(layout.numbers, 1), 1)
    return zip(x.split(count), y.split(count), strict=True)


def _grid(layout: PlaneLayout, size: int) -> tuple[Tensor, Tensor]:
    """Return x and y of all points, row by row."""
    across = torch.linspace(*layout.x, size)
    up = torch.linspace(*layout.y, size)
    points = torch.cartesian_prod(up, across)
    return points[:, 1].contiguous(), points[:, 0].contiguous()


@contextmanager
def _undisturbed(training: Training) -> Generator[None]:
    """Leave every random state as it is."""
    devices = [training.device] if training.device.type == "cuda" else []
    with torch.random.fork_rng(devices), all_seeded(0):
        yield


@contextmanager
def _evaluated(model: nn.Module) -> Generator[None]:
    """Have a model in the mode of evaluation, and each of its layers in its own one afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    with kept_vectors(model):
        model.eval()
        try:
            yield
        finally:
            for module, was_training in modes:
                module.training = was_training


class SurfaceWatcher:
    """Draws a surface repeatedly while a view is open, for no more than the share ``limit`` of the
    time.
    """

    def __init__(self, training: Training, artefacts: Path, limit: float) -> None:
        self.limit = limit
        self._training = self._judged = training
        self._artefacts = artefacts
        self._every_s = 0.0
        self._due = 0.0
        self._plane = Plane()
        self._layout: PlaneLayout | None = None

    @property
    def is_on(self) -> bool:
        """Whether a view is open."""
        return self._every_s > 0

    def watch(self, every_s: float, plane: Plane = Plane()) -> None:  # noqa: B008
        """Draw a plane every ``every_s`` seconds from now on; 0: never."""
        if plane != self._plane:
            self._layout = None
        self._plane, self._every_s, self._due = plane, every_s, 0.0

    def step_done(self, step: int) -> float:
        """Draw when it is time; return how many seconds that took.

        Raises :class:`engine.files.FileWriteError` for a full disk, and once what
        :func:`lay_plane` and :func:`draw_surface` raise: then nothing is drawn any more.
        """
        if not self._every_s or time.monotonic() < self._due:
            return 0.0
        started = time.monotonic()
        try:
            SURFACES.write(self._artefacts, step, self._drawn(step))
        finally:
            now = time.monotonic()
            self._due = now + max(self._every_s, (now - started) / self.limit)
        return now - started

    def _drawn(self, step: int) -> Surface:
        try:
            if self._layout is None:
                self._judged = self._training.judging(self._plane.output)
                self._layout = lay_plane(self._judged, self._plane)
            return draw_surface(self._judged, step, self._layout)
        except DiagnosticError:
            self._every_s, self._layout = 0.0, None
            raise
