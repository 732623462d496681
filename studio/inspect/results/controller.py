"""Results of a checkpoint: examined a little at a time, then looked at from all sides."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Signal
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.data.request import FindParts, SampleParts
from engine.query.request import Request, Split
from engine.query.results.request import (
    Examine,
    ExamineStep,
    LookUp,
    PredictBoxes,
    PredictMasks,
    PredictSequences,
    ResultReport,
)
from engine.runs.folder import RunFolder
from engine.spec.custom_code import data_code
from studio.i18n import translate
from studio.inspect.results.boxes import present_boxes
from studio.inspect.results.masks import present_masks
from studio.inspect.results.numbers import chosen_column, column_number, sample_of
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import (
    Chart,
    Order,
    Samples,
    as_csv,
    charts,
    has_classes,
    ordered,
    present_chart,
    present_samples,
)
from studio.inspect.results.sequences import present_sequences
from studio.inspect.results.state import (
    PARTS,
    ResultsState,
    present_progress,
    present_results,
    shown_of,
)
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from studio.view.judged import output_choices
from studio.window.dialog.file import save_dialog, write_file
from widgets.common.throttle import SeenThrottle
from widgets.plots.chart_export import picture

_Samples = TypeVar("_Samples")


class ResultsController(PageController[ResultsPage, ResultsState]):
    """Glue between the Results page and the host process."""

    sought_in_data = Signal(tuple)
    """Samples (indices in the source) that are to be seen among those of the project."""

    def __init__(self, services: Services, page: ResultsPage) -> None:
        super().__init__(services, page, ResultsState())
        self._number = 0  # of the examination whose steps are waited for
        self._started = 0.0
        self._run: RunFolder | None = None
        self._sought: tuple[object, ...] = ()  # the run in whose parts chosen samples were sought
        self._told: tuple[Diagnostic, ...] = ()  # of samples that came or went
        self._chooser = RunChooser(services, page.choice)
        self._seen = SeenThrottle(50, self._begin, page)
        self._chooser.changed.connect(self._on_choice_changed)
        self._chooser.renewed.connect(self._on_renewed)
        self._session.run_changed.connect(self._on_run_changed)
        page.part_changed.connect(self._on_part_changed)
        page.output_changed.connect(self._on_output_changed)
        page.examine_requested.connect(self._begin)
        page.start_requested.connect(self._start)
        page.cancel_requested.connect(self._cancel)
        page.chart_changed.connect(lambda key: self._draw(Chart(key)))
        page.column_changed.connect(self._on_column_chosen)
        page.order_changed.connect(lambda key: self._list(order=Order(key)))
        page.all_requested.connect(lambda: self._list(cell=None, sample=None, chosen=()))
        page.cell_chosen.connect(self._on_cell_chosen)
        page.point_chosen.connect(self._on_point_chosen)
        page.save_requested.connect(self._ask_file)
        page.image_chosen.connect(lambda at: self._seek_in_data(self._state.numbers[at : at + 1]))
        page.row_chosen.connect(lambda index: self._show_in_data((int(index),)))
        page.in_data_requested.connect(lambda: self._seek_in_data(self._state.numbers))
        self._on_choice_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_results(self._state, self._language()))

    def show_samples(self, indices: tuple[int, ...]) -> None:
        """List these samples of the project's data (indices in the source) and no others, in the
        part of the run that has most of them.
        """
        self._sought = ()
        self._list(cell=None, sample=None, chosen=indices)
        self._seek_part()

    def _seek_part(self) -> None:
        """Ask in which parts of the run the chosen samples are, once for each run."""
        run, chosen = self._chooser.folder, self._state.chosen
        if not chosen or run is None or self._sought == (run.path, chosen):
            return  # without a checkpoint the page says so
        self._sought = (run.path, chosen)
        if run.document.spec.data.source != self._session.spec.data.source:
            self._tell_other_data()
            self._list(chosen=())
            return
        self._ask_host(
            FindParts(run_folder=str(run.path), indices=chosen),
            self._show_part_of,
            self._notifications.report,
            is_wanted=lambda: self._state.chosen is chosen,
        )

    def _seek_in_data(self, numbers: Sequence[int]) -> None:
        """Have samples of the report shown among those of the project."""
        report = self._state.report
        if report is not None:
            self._show_in_data(tuple(report.indices[number] for number in numbers))

    def _show_in_data(self, indices: tuple[int, ...]) -> None:
        if self._run is None or not indices:
            return
        if self._run.document.spec.data.source != self._session.spec.data.source:
            self._tell_other_data()
            return
        self.sought_in_data.emit(indices)

    def _tell_other_data(self) -> None:
        text = translate("Results", "The chosen run was trained on other data.")
        self._notifications.tell(text, "hint")

    def _show_part_of(self, parts: SampleParts) -> None:
        """Go to the part that has most of the chosen samples."""
        if not any(parts.counts.values()):
            text = translate("Results", "None of these samples is in a split of the chosen run.")
            self._notifications.tell(text, "hint")
            return
        part = max(PARTS, key=lambda each: parts.counts.get(each, 0))
        if part != self._state.part:
            self._on_part_changed(part)

    def _on_part_changed(self, part: Split) -> None:
        self._take(part=part, is_part_chosen=True)
        self._on_choice_changed()

    def _on_output_changed(self, output: str) -> None:
        self._take(output=output)
        self._on_choice_changed()

    def _on_choice_changed(self) -> None:
        """Take away the report: it is of something else, and nothing is mixed."""
        self._number += 1
        run = self._chooser.folder
        has_checkpoint = run is not None
        outputs = () if run is None else output_choices(run.document)
        is_kept = self._state.output in dict(outputs)
        self._change(
            has_checkpoint=has_checkpoint,
            outputs=outputs,
            output=self._state.output if is_kept else "",
            report=None,
            progress=None,
            problem=None,
            is_stopped=False,
        )
        if has_checkpoint:
            self._seek_part()
            self._seen.request()

    def _on_run_changed(self) -> None:
        """Examine what a run that ended has written since; while it goes on the user says when."""
        report = self._state.report
        is_late = report is not None and report.checkpoint != self._chooser.file
        if is_late and not self._runs.is_running:
            self._seen.request()

    def _on_renewed(self) -> None:
        """Examine anew what reads its data somewhere else by now: they were located."""
        run, before = self._chooser.folder, self._run
        if run is None or before is None or self._runs.is_running:
            return
        if run.document.spec.data.source != before.document.spec.data.source:
            self._seen.request()

    def _start(self) -> None:
        if self._state.has_checkpoint:
            self._begin()
        else:
            self._start_run()

    def _begin(self) -> None:
        self._run = self._chooser.folder
        if self._run is None:
            return
        self._number += 1
        self._started = time.monotonic()
        self._change(progress=None, problem=None, is_stopped=False)
        self._examine(self._number, self._chooser.checkpoint)

    def _examine(self, number: int, checkpoint: str, sha256: str = "") -> None:
        """Go on with a checkpoint: the one that was begun with, whatever the run writes since."""
        assert self._run is not None
        request = Examine(
            run_folder=str(self._run.path),
            checkpoint=checkpoint,
            sha256=sha256,
            split=self._state.part,
            output=self._state.output,
        )
        self._ask_host(
            request,
            lambda step: self._on_step(number, step),
            self._fail,
            is_wanted=lambda: number == self._number,
        )

    def _on_step(self, number: int, step: ExamineStep) -> None:
        if step.report is not None:
            self._on_report(step.report)
            return
        self._change(progress=present_progress(step, time.monotonic() - self._started))
        self._examine(number, step.checkpoint, step.sha256)

    def _cancel(self) -> None:
        self._number += 1
        self._change(progress=None, is_stopped=self._state.report is None)

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        following = self._state.following_part()
        if problems[0].code == "K014" and following is not None:
            self._change(progress=None, part=following)
            self._begin()
        else:
            self._change(progress=None, report=None, problem=problems[0])

    def _on_report(self, report: ResultReport) -> None:
        state, present = self._state, charts(report)
        has_wrong = has_classes(report)
        self._take(
            report=report,
            progress=None,
            order=Order.DATA if state.order is Order.WRONG and not has_wrong else state.order,
        )
        is_kept = state.drawing is not None and state.chart in present
        self._draw(state.chart if is_kept else present[0])
        self._list(cell=None, sample=None)
        if report.notices != self._told:
            self._notifications.report(report.notices)
        self._told = report.notices

    def _draw(self, chart: Chart) -> None:
        """Bring a chart to the front."""
        report = self._state.report
        if report is not None:
            column = column_number(chosen_column(report, self._state.column))
            self._change(chart=chart, drawing=present_chart(report, chart, column))

    def _on_column_chosen(self, column: str) -> None:
        self._take(column=column)
        self._draw(self._state.chart)

    def _on_cell_chosen(self, row: int, column: int) -> None:
        """List the samples of a cell; the cells of masks count pixels."""
        if self._state.report is not None and has_classes(self._state.report):
            self._list(cell=(row, column), sample=None, chosen=())

    def _on_point_chosen(self, _line: str, number: int) -> None:
        report = self._state.report
        assert report is not None
        column = column_number(chosen_column(report, self._state.column))
        self._list(sample=sample_of(report, number, column))

    def _list(self, **changes: object) -> None:
        """List samples in another order, or others of them."""
        state, run = replace(self._state, **changes), self._run
        report = state.report
        if report is None or run is None:
            self._set(state)
            return
        numbers = ordered(report, state.order, state.cell)
        if state.chosen:
            wanted = frozenset(state.chosen)
            numbers = tuple(number for number in numbers if report.indices[number] in wanted)
        if state.sample is not None:
            numbers = (state.sample,)
        self._set(replace(state, numbers=numbers))
        shown = numbers[: shown_of(report)]
        if report.ious:
            self._show_samples(self._prediction(PredictMasks, report, shown), present_masks)
        elif report.box_counts:
            boxes = self._prediction(PredictBoxes, report, shown, of_output=False)
            self._show_samples(boxes, present_boxes)
        elif report.hits:
            self._show_samples(self._prediction(PredictSequences, report, shown), present_sequences)
        else:
            request = LookUp(
                data=run.document.spec.data,
                code=data_code(run.document.spec.data, run.document.graph.code),
                places=tuple(report.indices[number] for number in shown),
            )
            self._show_samples(request, lambda _, preview: present_samples(report, shown, preview))

    def _prediction(
        self,
        kind: Callable[..., Request[_Samples]],
        report: ResultReport,
        shown: tuple[int, ...],
        *,
        of_output: bool = True,
    ) -> Request[_Samples]:
        """Return the question what the checkpoint of the report predicts for samples."""
        assert self._run is not None
        chosen = {"output": self._state.output} if of_output else {}
        return kind(
            run_folder=str(self._run.path),
            checkpoint=report.checkpoint,
            split=self._state.part,
            numbers=shown,
            **chosen,
        )

    def _show_samples(
        self,
        request: Request[_Samples],
        present: Callable[[ResultReport, _Samples], Samples],
    ) -> None:
        """Show samples when they are there, if they are still those to be shown."""
        report, numbers = self._state.report, self._state.numbers
        assert report is not None
        self._ask_host(
            request,
            lambda samples: self._change(samples=present(report, samples)),
            self._notifications.report,
            is_wanted=lambda: numbers is self._state.numbers,
        )

    def _ask_file(self, kind: str) -> None:
        if self._state.report is None:
            return
        title = translate("Results", "Save results")
        filters = [f"{kind.upper()} (*.{kind})"]
        name = "samples" if kind == "csv" else self._state.chart.value
        dialog = save_dialog(self._page, "save_results", title, filters, f"{name}.{kind}")
        dialog.fileSelected.connect(lambda file: self.save(Path(file), kind))
        dialog.open()

    def save(self, path: Path, kind: str) -> None:
        """Write the samples as ``csv`` or the chart in front as ``png`` or ``svg``."""
        report = self._state.report
        if report is not None:
            is_table = kind == "csv"
            content = as_csv(report) if is_table else picture(self._page.chart_widget(), kind)
            write_file(path, content, self._notifications)
