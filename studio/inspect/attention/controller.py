"""Attention page: what is typed goes to the model, the weights of a head come back."""

from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.attention.request import AttentionReport, ReadAttention
from engine.query.results.request import DescribeModel, ModelInputs
from studio.inspect.attention.page import AttentionPage
from studio.inspect.attention.presenter import (
    AttentionState,
    other_cells,
    other_values,
    present_attention,
    text_fields,
)
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from widgets.common.throttle import SeenThrottle

_ASK_MS = 100
_RENEW_MS = 2000  # a run that writes checkpoints all the time has each of them read by the host
_NO_ATTENTION = "R580"


class AttentionController(PageController[AttentionPage, AttentionState]):
    """Glue between the page and the host process."""

    def __init__(self, services: Services, page: AttentionPage) -> None:
        super().__init__(services, page, AttentionState())
        self._number = 0  # of the description that is waited for
        self._is_waiting = self._is_stale = False
        self._offered: str | None = None
        self._chooser = RunChooser(services, page.choice)
        self._describe = SeenThrottle(50, self._ask_description, page)
        self._reading = SeenThrottle(_ASK_MS, self._read, page)
        self._renew = SeenThrottle(_RENEW_MS, self._reading.request, page)
        self._chooser.changed.connect(self._on_choice_changed)
        self._chooser.renewed.connect(self._renew.request)
        page.typed.connect(self._on_typed)
        page.head_chosen.connect(self._on_head)
        page.example_requested.connect(self._take_example)
        page.start_requested.connect(self._start_run)
        self._on_choice_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_attention(self._state, self._language()))

    def open_text(self, text: str) -> None:
        """Put a text into the first field."""
        self._offered = text
        if self._state.inputs is not None:
            self._take_offered()

    def _on_choice_changed(self) -> None:
        self._number += 1
        self._is_waiting = False
        has_run = self._chooser.folder is not None
        self._change(has_run=has_run, inputs=None, problem=None, report=None, error="")
        if has_run:
            self._describe.request()

    def _ask_description(self) -> None:
        folder = self._chooser.folder
        if folder is None:
            return
        number = self._number
        self._ask_host(
            DescribeModel(run_folder=str(folder.path), checkpoint=self._chooser.checkpoint),
            self._on_described,
            lambda problems: self._change(problem=problems[0]),
            is_wanted=lambda: number == self._number,
        )

    def _on_described(self, inputs: ModelInputs) -> None:
        texts, examples = self._state.texts, _examples(inputs)
        self._change(
            inputs=inputs, problem=None, texts=texts if len(texts) == len(examples) else examples
        )
        self._take_offered()
        self._reading.request()

    def _take_offered(self) -> None:
        offered, self._offered = self._offered, None
        if offered is not None and self._state.texts:
            self._change(texts=(offered, *self._state.texts[1:]))
            self._reading.request()

    def _take_example(self) -> None:
        if self._state.inputs is not None:
            self._change(texts=_examples(self._state.inputs))
            self._reading.request()

    def _on_typed(self, texts: tuple[str, ...]) -> None:
        self._take(texts=texts)
        self._reading.request()

    def _on_head(self, layer: int, head: int) -> None:
        self._take(chosen=(layer, head))
        self._reading.request()

    def _read(self) -> None:
        """Ask for the weights, one question at a time; what changed meanwhile is asked then."""
        state, folder = self._state, self._chooser.folder
        inputs = state.inputs
        if inputs is None or folder is None or not text_fields(inputs):
            return
        if self._is_waiting:
            self._is_stale = True
            return
        self._is_waiting, self._is_stale = True, False
        names = (field.info.name for field in text_fields(inputs))
        layer, head = state.chosen
        self._ask_host(
            ReadAttention(
                run_folder=str(folder.path),
                checkpoint=self._chooser.checkpoint,
                texts=dict(zip(names, state.texts, strict=True)),
                values=other_values(inputs),
                cells=dict(other_cells(inputs)),
                layer=layer,
                head=head,
            ),
            self._on_report,
            self._on_problems,
            is_wanted=lambda: inputs is self._state.inputs,
        )

    def _on_report(self, report: AttentionReport) -> None:
        if not self._is_stale:  # else another head may have been chosen meanwhile
            self._take(chosen=(report.layer, report.head))
        self._change(report=report, error="")
        self._go_on()

    def _on_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        if problems[0].code == _NO_ATTENTION:
            self._change(problem=problems[0])
        else:
            self._change(error=self._words(problems[:1]))
        self._go_on()

    def _go_on(self) -> None:
        self._is_waiting = False
        if self._is_stale:
            self._reading.request()


def _examples(inputs: ModelInputs) -> tuple[str, ...]:
    """Return the texts of the sample."""
    return tuple(field.text for field in text_fields(inputs))
