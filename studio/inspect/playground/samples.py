"""Samples of a model in the Playground: a diffusion model makes them in steps, a GAN at once."""

from dataclasses import dataclass
from dataclasses import replace as replace_view

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.diffusion.request import Denoise, DenoisingStep
from engine.query.generator.request import Sampled, SampleGenerator
from engine.query.results.request import ModelInputs
from studio.i18n import filled, translate
from studio.inspect.playground.samples_panel import (
    NO_POINTS,
    SamplesPanel,
    SamplesView,
)
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from studio.view.wording import number_text
from widgets.images.view_model import ImageView
from widgets.plots.view_model import PointsView

_PLANE = 2  # numbers of a point
_CHANNELS = (1, 3)
_PICTURE_AXES = 3
_DIGITS = 2


@dataclass(frozen=True, kw_only=True)
class SamplesState:
    """Samples that are made: ``question`` is asked again with each ``step`` until it is done, of a
    generator once. ``held_out`` are those of the data, float32 bytes.
    """

    inputs: ModelInputs | None = None
    question: Denoise | SampleGenerator | None = None
    step: DenoisingStep | Sampled | None = None
    held_out: bytes = b""
    error: str = ""


class SamplesController(PageController[SamplesPanel, SamplesState]):
    """Glue between the panel and the host process."""

    def __init__(self, services: Services, panel: SamplesPanel, chooser: RunChooser) -> None:
        super().__init__(services, panel, SamplesState())
        self._chooser = chooser
        panel.start_requested.connect(self._start)
        panel.stop_requested.connect(self._stop)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_view(present_samples(self._state))

    def offer(self, inputs: ModelInputs) -> None:
        """Show the panel for a model that makes samples; those that were made stay."""
        self._change(inputs=inputs if inputs.diffuses or inputs.generates else None)

    def reset(self) -> None:
        """Forget what was made: there is another model."""
        self._change(inputs=None, question=None, step=None, held_out=b"", error="")

    def _start(self) -> None:
        folder, inputs = self._chooser.folder, self._state.inputs
        if folder is None or inputs is None:
            return
        run_folder, checkpoint = str(folder.path), self._chooser.checkpoint
        denoising = self._page.denoising()
        if inputs.diffuses:
            question = Denoise(run_folder=run_folder, checkpoint=checkpoint, denoising=denoising)
            self._change(question=question, step=None, held_out=b"", error="")
            self._go_on(question)
            return
        generator = SampleGenerator(
            run_folder=run_folder,
            checkpoint=checkpoint,
            samples=denoising.samples,
            seed=denoising.seed,
        )
        self._change(question=generator, error="")
        self._ask_host(
            generator,
            lambda made: self._change(question=None, step=made, held_out=made.held_out),
            self._on_problems,
            is_wanted=lambda: self._state.question is generator,
        )

    def _stop(self) -> None:
        self._change(question=None)

    def _go_on(self, question: Denoise) -> None:
        self._ask_host(
            question,
            lambda step: self._on_step(question, step),
            self._on_problems,
            is_wanted=lambda: self._state.question is question,
        )

    def _on_step(self, question: Denoise, step: DenoisingStep) -> None:
        held_out = step.held_out or self._state.held_out
        if step.is_done:
            self._change(question=None, step=step, held_out=held_out)
            return
        following = replace(question, done=step.done, state=step.state, checkpoint=step.checkpoint)
        self._change(question=following, step=step, held_out=held_out)
        self._go_on(following)

    def _on_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        self._change(question=None, error=self._words(problems[:1]))


def present_samples(state: SamplesState) -> SamplesView:
    """Return the panel."""
    inputs, step, is_running = state.inputs, state.step, state.question is not None
    note = translate("Playground", "Generating…") if is_running else ""
    has_steps = inputs is None or not inputs.generates
    points, images, data = _nothing_yet(), (), ()
    if step is not None:
        line = translate("Playground", "Step {done}, weights of step {step}")
        if isinstance(step, Sampled) or step.is_done:
            line = translate("Playground", "{count} {count|sample|samples}, weights of step {step}")
        count = len(_samples(step.values, step.shape))
        done = step.done if isinstance(step, DenoisingStep) else 0
        note = filled(line, count=count, done=done, step=f"{step.step:,}")
        images = _pictures(inputs, step, step.values)
        data = _pictures(inputs, step, state.held_out)
        points = points if images else _points(step, state.held_out)
    return SamplesView(
        is_offered=inputs is not None,
        is_running=is_running,
        has_steps=has_steps,
        note=note,
        distance=_distance_text(step),
        points=points,
        images=images,
        data=data,
        error=state.error,
    )


def _nothing_yet() -> PointsView:
    text = translate("Playground", "The model makes samples out of noise. Choose Generate.")
    return replace_view(NO_POINTS, empty_text=text)


def _distance_text(step: DenoisingStep | Sampled | None) -> str:
    """Return how far the samples are from data that the model did not learn from."""
    if step is None or step.distance is None:
        return ""
    text = translate("Playground", "Energy distance to held-out data: {distance}")
    if step.distance_of_data is not None:
        text = translate(
            "Playground",
            "Energy distance to held-out data: {distance} (of as many training samples: {data})",
        )
    data = 0.0 if step.distance_of_data is None else step.distance_of_data
    return text.format(
        distance=number_text(step.distance, digits=_DIGITS),
        data=number_text(data, digits=_DIGITS),
    )


def _samples(values: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 bytes as samples (n, ...)."""
    return np.frombuffer(values, np.float32).reshape(-1, *shape)


def _points(step: DenoisingStep | Sampled, held_out: bytes) -> PointsView:
    """Return samples and data by the first two numbers of each; what has but one is drawn on a
    line.
    """
    kinds = [_samples(each, step.shape) for each in (held_out, step.values)]
    flat = [each.reshape(len(each), -1)[:, :_PLANE] for each in kinds]
    xy = np.concatenate([np.pad(each, ((0, 0), (0, _PLANE - each.shape[1]))) for each in flat])
    return PointsView(
        xy=xy.astype(np.float64),
        classes=np.repeat(np.arange(len(flat)), [len(each) for each in flat]),
        labels=(translate("Playground", "held-out data"), translate("Playground", "samples")),
        x_label=f"{step.field} [0]",
        y_label=f"{step.field} [1]",
    )


def _pictures(
    inputs: ModelInputs | None, step: DenoisingStep | Sampled, values: bytes
) -> tuple[ImageView, ...]:
    """Return samples (float32 bytes) as pictures, where they are some."""
    fields = () if inputs is None else inputs.fields
    field = next((field for field in fields if field.info.name == step.field), None)
    is_picture = len(step.shape) == _PICTURE_AXES and step.shape[0] in _CHANNELS
    if field is None or field.info.kind != "image" or not is_picture:
        return ()
    return tuple(
        ImageView(pixels=pixels, minimum=field.low, maximum=field.high)
        for pixels in _samples(values, step.shape)
    )
