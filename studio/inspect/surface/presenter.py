"""What a model answers over the plane, as colours."""

import numpy as np
from numpy.typing import NDArray

from engine.runs.record.surface import Surface
from studio.i18n import translate
from widgets.plots.curve_data import finite_bounds
from widgets.plots.diverging import number_colors
from widgets.plots.view_model import ShadesView

Span = tuple[float, float]
_STRENGTH = 0.72  # of a class that the model is sure of


def present_shades(
    surface: Surface, colors: tuple[tuple[int, int, int], ...], span: Span | None = None
) -> ShadesView:
    """Return the plane in the colours of the classes, each as strong as the model is sure; numbers
    from blue over nothing to red, from end to end of ``span`` (None: of those on the plane).
    ``colors`` are those of the series.
    """
    values = _values(surface)
    if surface.is_classified:
        pixels = _of_classes(values, colors)
    else:
        pixels = number_colors(values[0], span or _own_span(values))
    return ShadesView(pixels=pixels, x=surface.x, y=surface.y)


def present_step(surface: Surface, span: Span | None) -> str:
    """Return of which step a surface is, and which numbers its colours mean."""
    step = f"{surface.step:,}"
    if surface.is_classified:
        return translate("Surface", "Step {step}").format(step=step)
    low, high = span or _own_span(_values(surface))
    text = translate("Surface", "Step {step}: from {low} (blue) to {high} (red)")
    return text.format(step=step, low=f"{low:.4g}", high=f"{high:.4g}")


def _values(surface: Surface) -> NDArray[np.float64]:
    shape = (surface.outputs, surface.size, surface.size)
    return np.frombuffer(surface.values, surface.dtype).reshape(shape).astype(np.float64)


def _own_span(values: NDArray[np.float64]) -> Span:
    return finite_bounds(values[0].ravel()) or (0.0, 0.0)


def _of_classes(
    values: NDArray[np.float64], colors: tuple[tuple[int, int, int], ...]
) -> NDArray[np.uint8]:
    count = len(values)
    named = np.asarray([colors[index % len(colors)] for index in range(count)], np.float64)
    values = np.nan_to_num(values)
    blended = np.einsum("kyx,kc->yxc", values, named)
    even = 1 / count
    sure = np.clip((values.max(axis=0) - even) / max(1 - even, 1e-6), 0, 1)
    alpha = (0.15 + 0.85 * sure) * _STRENGTH * 255
    return np.dstack((blended, alpha)).clip(0, 255).astype(np.uint8)
