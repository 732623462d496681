"""Latent variables in the Playground: a point among them is moved, and the model draws there."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.latent.request import Decode, Decoded, DescribeLatent, LatentSpace
from engine.query.results.request import ModelInput, ModelInputs
from studio.i18n import translate
from studio.inspect.playground.latent_panel import MOST_SLIDERS, SPAN, LatentPanel, LatentView
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from widgets.images.class_color import box_color
from widgets.images.latent_plane import PlaneView
from widgets.images.view_model import ImageView

_PLANE = 2  # latent variables of a plane
_CELLS = 15  # pictures a side of it
_WALK = 9  # pictures from one sample to another
Taking = Callable[[Decoded], None]
_NO_POINTS = np.empty((0, _PLANE), np.float32)


@dataclass(frozen=True, kw_only=True)
class LatentState:
    """Where one is: ``drawn`` is what the model draws at ``point``, ``plane`` at all places of a
    plane and ``walk`` between two samples.
    """

    inputs: ModelInputs | None = None
    space: LatentSpace | None = None
    point: tuple[float, ...] = ()
    drawn: Decoded | None = None
    plane: ImageView | None = None
    walk: tuple[ImageView, ...] = ()
    error: str = ""


class LatentController(PageController[LatentPanel, LatentState]):
    """Glue between the panel and the host process."""

    def __init__(self, services: Services, panel: LatentPanel, chooser: RunChooser) -> None:
        super().__init__(services, panel, LatentState())
        self._chooser = chooser
        self._is_waiting = False
        self._is_stale = False
        panel.moved.connect(self._move)
        panel.random_requested.connect(self._draw_random)
        panel.sample_requested.connect(self._go_to_sample)
        panel.walk_requested.connect(self._walk)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_view(present_latent(self._state))

    def offer(self, inputs: ModelInputs) -> None:
        """Show the panel for a model with latent variables that draws pictures."""
        folder = self._chooser.folder
        if folder is None or inputs.drawn is None:
            self._change(inputs=None)
            return
        self._change(inputs=inputs, error="")
        self._ask_host(
            DescribeLatent(run_folder=str(folder.path), checkpoint=self._chooser.checkpoint),
            self._on_space,
            self._on_problems,
            is_wanted=lambda: self._state.inputs is inputs,
        )

    def reset(self) -> None:
        """Forget what was drawn: there is another model."""
        self._is_waiting = False
        self._set(LatentState())

    def _on_space(self, space: LatentSpace) -> None:
        point = self._state.point if len(self._state.point) == space.size else (0.0,) * space.size
        self._change(space=space, point=point, walk=())
        self._draw()
        if space.size == _PLANE:
            self._decode(_cells(), self._on_plane)

    def _move(self, point: tuple[float, ...]) -> None:
        self._change(point=point)
        self._draw()

    def _draw(self) -> None:
        """Ask for what is at the point, one question at a time; the last point is never lost."""
        if self._is_waiting:
            self._is_stale = True
            return
        self._is_waiting, self._is_stale = True, False
        self._decode(np.array([self._state.point], np.float32), self._on_drawn)

    def _on_drawn(self, drawn: Decoded) -> None:
        self._is_waiting = False
        self._change(drawn=drawn, error="")
        if self._is_stale:
            self._draw()

    def _draw_random(self) -> None:
        if self._state.space is not None:
            drawn = np.random.default_rng().standard_normal(self._state.space.size)
            self._move(tuple(drawn.tolist()))

    def _go_to_sample(self, number: int) -> None:
        if self._state.space is not None:
            self._move(tuple(means_of(self._state.space)[number].tolist()))

    def _walk(self, first: int, last: int) -> None:
        space, inputs = self._state.space, self._state.inputs
        if space is None or inputs is None:
            return
        means, shares = means_of(space), np.linspace(0, 1, _WALK)[:, None]
        points = (1 - shares) * means[first] + shares * means[last]
        self._decode(points, lambda drawn: self._on_walk(inputs, space, drawn, (first, last)))

    def _on_walk(
        self, inputs: ModelInputs, space: LatentSpace, drawn: Decoded, ends: tuple[int, int]
    ) -> None:
        self._change(walk=present_walk(inputs, space, drawn, ends), error="")

    def _on_plane(self, drawn: Decoded) -> None:
        inputs = self._state.inputs
        field = None if inputs is None else inputs.drawn
        if field is not None:
            pixels = _samples(drawn.values, drawn.shape)
            self._change(plane=_image(field, _tiled(pixels)))

    def _decode(self, points: NDArray[np.float64 | np.float32], take: Taking) -> None:
        space, folder = self._state.space, self._chooser.folder
        if space is None or folder is None:
            return
        self._ask_host(
            Decode(
                run_folder=str(folder.path),
                checkpoint=space.checkpoint,
                latents=points.astype(np.float32).tobytes(),
            ),
            take,
            self._on_problems,
            is_wanted=lambda: self._state.space is space,
        )

    def _on_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        self._is_waiting = False
        self._change(error=self._words(problems[:1]))


def present_latent(state: LatentState) -> LatentView:
    """Return the panel."""
    inputs, space = state.inputs, state.space
    field = None if inputs is None else inputs.drawn
    if inputs is None or field is None or space is None:
        return LatentView(is_offered=field is not None, error=state.error)
    drawn = state.drawn
    image = None if drawn is None else _image(field, _samples(drawn.values, drawn.shape)[0])
    note = translate("Playground", "Decoded from the latent variables, weights of step {step}")
    if space.size > MOST_SLIDERS:
        note = translate("Playground", "The first {most} of {size} latent variables have sliders.")
    is_plane = space.size == _PLANE
    return LatentView(
        is_offered=True,
        point=state.point,
        image=image,
        plane=_plane(state.plane, space, state.point) if is_plane else None,
        legend=_legend(space) if is_plane else (),
        walk=state.walk,
        samples=len(means_of(space)),
        note=note.format(step=f"{space.step:,}", most=MOST_SLIDERS, size=space.size),
        error=state.error,
    )


def means_of(space: LatentSpace) -> NDArray[np.float32]:
    """Return where samples of the data lie: (samples, latent variables)."""
    return np.frombuffer(space.means, np.float32).reshape(-1, space.size)


def present_walk(
    inputs: ModelInputs, space: LatentSpace, drawn: Decoded, ends: tuple[int, int]
) -> tuple[ImageView, ...]:
    """Return the pictures on the way between two samples, and these before and after."""
    field = inputs.drawn
    if field is None:
        return ()
    originals = _samples(space.values, space.shape)
    pixels = _samples(drawn.values, drawn.shape)
    last = max(len(pixels) - 1, 1)
    between = [
        _image(field, each, f"{100 * index / last:.0f} %") for index, each in enumerate(pixels)
    ]
    first, final = (_image(field, originals[end], _name(space, end)) for end in ends)
    return (first, *between, final)


def _name(space: LatentSpace, number: int) -> str:
    """Return the class of a sample; its number where there are no classes."""
    return space.classes[space.labels[number]] if space.labels else str(number + 1)


def _plane(ground: ImageView | None, space: LatentSpace, point: tuple[float, ...]) -> PlaneView:
    means = means_of(space) if space.means else _NO_POINTS
    labels = space.labels or (0,) * len(means)
    x, y = point
    return PlaneView(
        span=SPAN, point=(x, y), ground=ground, xy=means, classes=np.array(labels, np.int64)
    )


def _legend(space: LatentSpace) -> tuple[tuple[str, tuple[int, int, int]], ...]:
    """Return the names of the classes with the colors of their points."""
    return tuple((name, box_color(number)) for number, name in enumerate(space.classes))


def _cells() -> NDArray[np.float32]:
    """Return the middles of the cells of the plane, (cells, 2), row by row from the top."""
    half = SPAN * (1 - 1 / _CELLS)
    x, y = np.meshgrid(np.linspace(-half, half, _CELLS), np.linspace(half, -half, _CELLS))
    return np.stack((x.ravel(), y.ravel()), axis=1).astype(np.float32)


def _tiled(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the pictures (cells, channels, height, width) of a plane as one."""
    channels, height, width = pixels.shape[1:]
    tiles = pixels.reshape(_CELLS, _CELLS, channels, height, width).transpose(2, 0, 3, 1, 4)
    return np.ascontiguousarray(tiles.reshape(channels, _CELLS * height, _CELLS * width))


def _image(field: ModelInput, pixels: NDArray[np.float32], label: str = "") -> ImageView:
    return ImageView(pixels=pixels, label=label, minimum=field.low, maximum=field.high)


def _samples(values: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 bytes as samples (n, ...)."""
    return np.frombuffer(values, np.float32).reshape(-1, *shape)
