"""Generation in the Playground: a language model writes, a few tokens with each answer."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.generation.request import Beam, Generate, GenerationStep, Sampling
from studio.i18n import filled, translate
from studio.inspect.playground.writing_panel import WritingPanel, WritingView
from studio.services import PageController, Services


@dataclass(frozen=True, kw_only=True)
class WritingState:
    """A text that is written: ``question`` is asked again with each ``step`` until it is done."""

    is_offered: bool = False
    attends: bool = False
    question: Generate | None = None
    step: GenerationStep | None = None
    error: str = ""


class WritingController(PageController[WritingPanel, WritingState]):
    """Glue between the panel and the host process. ``ask`` returns what is to be written on from,
    or nothing after saying why that cannot be.
    """

    def __init__(
        self,
        services: Services,
        panel: WritingPanel,
        ask: Callable[[Sampling], Generate | None],
    ) -> None:
        super().__init__(services, panel, WritingState())
        self._question = ask
        panel.start_requested.connect(self._start)
        panel.stop_requested.connect(self._stop)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_view(present_writing(self._state))

    def offer(self, *, is_offered: bool, attends: bool) -> None:
        """Show the panel for a model that writes, and may attend; what was written stays."""
        self._update(is_offered=is_offered, attends=attends)

    def reset(self) -> None:
        """Forget what was written: there is another model."""
        self._update(is_offered=False, question=None, step=None, error="")

    def _start(self) -> None:
        question = self._question(self._page.sampling())
        if question is not None:
            self._change(question=question, step=None, error="")
            self._go_on(question)

    def _stop(self) -> None:
        self._update(question=None)

    def _go_on(self, question: Generate) -> None:
        self._ask_host(
            question,
            lambda step: self._on_step(question, step),
            self._on_problems,
            is_wanted=lambda: self._state.question is question,
        )

    def _on_step(self, question: Generate, step: GenerationStep) -> None:
        if step.is_done:
            self._change(question=None, step=step)
            return
        following = replace(
            question, written=step.written, beams=step.beams, checkpoint=step.checkpoint
        )
        self._change(question=following, step=step)
        self._go_on(following)

    def _on_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        self._change(question=None, error=self._words(problems[:1]))


def _beams(beams: Sequence[Beam]) -> str:
    """Return the texts of a beam search in lines, each after the mean probability of a token."""
    return "\n".join(f"{math.exp(beam.mean):.3f}  {beam.text}" for beam in beams)


def present_writing(state: WritingState) -> WritingView:
    """Return the panel."""
    step, is_writing = state.step, state.question is not None
    note = translate("Playground", "Generating…") if is_writing else ""
    if step is not None:
        line = translate("Playground", "{count} {count|token|tokens}, weights of step {step}")
        note = filled(line, count=len(step.written), step=f"{step.step:,}")
    return WritingView(
        is_offered=state.is_offered,
        is_writing=is_writing,
        attends=state.attends,
        text="" if step is None else step.before + step.text,
        beams="" if step is None else _beams(step.beams),
        note=note,
        error=state.error,
    )
