"""Surface of a model: its predictions over the plane of two inputs, once or while it learns."""

import time
from pathlib import Path

import torch
from torch import Tensor

from engine.diagnostics import DiagnosticError
from engine.runs.record.surface import SURFACES, Surface
from engine.train.training import Training, predictions

_SIZE = 56
_MARGIN = 0.12  # of the width of the data, on each side
_SAMPLES = 600  # that the width is taken from where samples are read one by one


def plane_field(training: Training) -> str | None:
    """Return the field that the model reads where it is one pair of numbers, else None."""
    if len(training.input_fields) != 1:
        return None
    info = training.data.info.field(training.input_fields[0])
    return info.name if info is not None and info.shape == (2,) else None


def draw_surface(training: Training, step: int) -> Surface:
    """Return the predictions of a model as it is. Neither its mode nor a random state changes.

    Raises :class:`DiagnosticError` (V005) where it does not read one pair of numbers.
    """
    name = plane_field(training)
    if name is None:
        raise DiagnosticError.of("V005")
    model, was_training = training.model, training.model.training
    points, bounds = _grid(training, name)
    devices = [training.device] if training.device.type == "cuda" else []
    model.eval()
    try:
        with torch.no_grad(), torch.random.fork_rng(devices):
            rows = predictions(training, model(points)).T
    finally:
        model.train(was_training)
    return Surface(
        step=step,
        x=bounds[0],
        y=bounds[1],
        size=_SIZE,
        outputs=len(rows),
        is_classified=training.comparison.task != "regression",
        values=rows.to("cpu", torch.float32).contiguous().numpy().tobytes(),
        dtype="<f4",
    )


def _grid(
    training: Training, name: str
) -> tuple[Tensor, tuple[tuple[float, float], tuple[float, float]]]:
    """Return the points (normalised, row by row) and the bounds before normalisation."""
    values = training.data.source.column(name)
    if values is None:  # of samples that are read one by one, such as those of own code
        values = training.data.examples("train", _SAMPLES)[name]
    low, high = values.amin(dim=0), values.amax(dim=0)
    margin = (high - low) * _MARGIN
    low, high = low - margin, high + margin
    across = torch.linspace(float(low[0]), float(high[0]), _SIZE)
    up = torch.linspace(float(low[1]), float(high[1]), _SIZE)
    points = torch.cartesian_prod(up, across).flip(dims=(1,))
    points = training.normalized(name, points)
    return points, ((float(low[0]), float(high[0])), (float(low[1]), float(high[1])))


class SurfaceWatcher:
    """Draws a surface repeatedly while a view is open, for no more than the share ``limit`` of the
    time.
    """

    def __init__(self, training: Training, artefacts: Path, limit: float) -> None:
        self.limit = limit
        self._training = training
        self._artefacts = artefacts
        self._every_s = 0.0
        self._due = 0.0

    @property
    def is_on(self) -> bool:
        """Whether a view is open."""
        return self._every_s > 0

    def watch(self, every_s: float) -> None:
        """Draw every ``every_s`` seconds from now on; 0: never."""
        self._every_s = every_s if plane_field(self._training) else 0.0
        self._due = 0.0

    def step_done(self, step: int) -> float:
        """Draw when it is time; return how many seconds that took.

        Raises :class:`engine.files.FileWriteError` for a full disk.
        """
        if not self._every_s or time.monotonic() < self._due:
            return 0.0
        started = time.monotonic()
        try:
            SURFACES.write(self._artefacts, step, draw_surface(self._training, step))
        finally:
            now = time.monotonic()
            self._due = now + max(self._every_s, (now - started) / self.limit)
        return now - started
