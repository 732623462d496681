"""Results of a checkpoint: examined a little at a time, then looked at from all sides."""

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from engine.diagnostics import Diagnostic, sentence
from engine.query.results.request import Examine, ExamineStep, LookUp, ResultReport
from engine.runs.folder import RunFolder
from engine.spec.data import PreviewInfo
from studio.i18n import filled, translate
from studio.inspect.results.page import ResultsPage
from studio.inspect.results.presenter import (
    SHOWN,
    Chart,
    as_csv,
    charts,
    ordered,
    present_matrix,
    present_sample_images,
    present_sample_rows,
    present_scores,
    present_summary,
    present_xy,
    sample_of,
)
from studio.inspect.run_choice.controller import RunChooser
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session
from studio.window.dialog.file import save_dialog, write_file
from studio.window.notifications import Notifications
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView
from widgets.common.throttle import SeenThrottle
from widgets.plots.chart_export import picture


class ResultsController(QObject):
    """Glue between the Results page and the host process."""

    def __init__(
        self,
        *,
        session: Session,
        page: ResultsPage,
        runs: RunController,
        host: Host,
        border: ThreadHandover,
        messenger: Notifications,
        go_to: Callable[[str], object],
        language: Callable[[], str],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._runs = runs
        self._host = host
        self._border = border.of(self)
        self._messenger = messenger
        self._go_to = go_to
        self._language = language
        self._asked = 0
        self._begun = 0.0
        self._run: RunFolder | None = None
        self._report: ResultReport | None = None
        self._cell: tuple[int, int] | None = None
        self._picked: int | None = None
        self._chooser = RunChooser(session=session, choice=page.choice, runs=runs, border=border)
        self._seen = SeenThrottle(50, self._begin, page)
        self._chooser.changed.connect(self._on_choice_changed)
        session.run_changed.connect(self._on_run_changed)
        page.part_changed.connect(self._on_choice_changed)
        page.examine_requested.connect(self._begin)
        page.start_requested.connect(self._start)
        page.cancel_requested.connect(self._cancel)
        page.chart_changed.connect(self._paint_chart)
        page.order_changed.connect(self._ask_samples)
        page.all_requested.connect(lambda: self._narrow(None))
        page.cell_chosen.connect(lambda row, column: self._narrow((row, column)))
        page.point_chosen.connect(self._on_point_chosen)
        page.save_requested.connect(self._ask_file)
        self._on_choice_changed()

    def _on_choice_changed(self) -> None:
        """Take away what was found: it is of something else, and nothing is mixed."""
        self._asked += 1
        self._report = None
        self._page.set_summary("")
        self._page.set_progress(None)
        self._page.set_examinable(is_examinable=self._chooser.folder is not None)
        if self._chooser.folder is None:
            self._tell_no_run()
        else:
            self._page.set_empty(EmptyView(translate("Results", "Opening the model…")))
            self._seen.request()

    def _on_run_changed(self) -> None:
        """Examine what a run that ended has written since; while it goes on the user says when."""
        report = self._report
        is_late = report is not None and report.checkpoint != self._chooser.file
        if is_late and not self._runs.is_running:
            self._seen.request()

    def _tell_no_run(self) -> None:
        self._page.set_empty(
            EmptyView(
                translate("Results", "No checkpoint yet"),
                translate(
                    "Results",
                    "Evaluate a trained model: confusion matrix, worst samples, ROC curves, "
                    "residuals. Train a model first; the first checkpoint is saved after the "
                    "first epoch.",
                ),
                translate("Results", "Start training"),
            )
        )

    def _start(self) -> None:
        if self._chooser.folder is not None:
            self._begin()
        else:
            self._go_to("train")
            self._runs.start()

    def _begin(self) -> None:
        self._run = self._chooser.folder
        if self._run is None:
            return
        self._asked += 1
        self._begun = time.monotonic()
        self._page.set_progress(None)
        if self._report is None:
            self._page.set_empty(EmptyView(translate("Results", "Opening the model…")))
        self._examine(self._asked, self._chooser.checkpoint)

    def _examine(self, number: int, checkpoint: str, sha256: str = "") -> None:
        """Go on with a checkpoint: the one that was begun with, whatever the run writes since."""
        assert self._run is not None
        request = Examine(
            run_folder=str(self._run.path),
            checkpoint=checkpoint,
            sha256=sha256,
            split=self._page.part,  # type: ignore[arg-type]
        )
        self._border.deliver(
            self._host.request(request),
            lambda future: self._on_step(number, future.result()),
            self._fail,
            is_wanted=lambda: number == self._asked,
        )

    def _on_step(self, number: int, step: ExamineStep) -> None:
        if step.report is not None:
            self._page.set_progress(None)
            self._show(step.report)
            return
        self._show_progress(step)
        self._examine(number, step.checkpoint, step.sha256)

    def _show_progress(self, step: ExamineStep) -> None:
        share = step.done / step.total
        passed = time.monotonic() - self._begun
        text = translate("Results", "{done} of {total} samples")
        self._page.set_progress(
            ProgressView(
                text=text.format(done=f"{step.done:,}", total=f"{step.total:,}"),
                fraction=share,
                left_s=passed / share - passed if share else -1.0,
                can_cancel=True,
            )
        )

    def _cancel(self) -> None:
        self._asked += 1
        self._page.set_progress(None)
        if self._report is None:
            text = translate("Results", "The results so far are kept. You can continue from there.")
            self._page.set_empty(
                EmptyView(translate("Results", "Stopped"), text, translate("Results", "Continue"))
            )

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        self._page.set_progress(None)
        if problems[0].code == "K014" and self._page.try_next_part():
            self._begin()
            return
        self._report = None
        self._page.set_summary("")
        title = translate("Results", "Nothing to show")
        self._page.set_empty(EmptyView(title, sentence(problems[0], self._language())))

    def _show(self, report: ResultReport) -> None:
        page = self._page
        self._report = report
        self._cell = self._picked = None
        page.set_summary(present_summary(report))
        page.set_classified(is_classified=report.task != "regression")
        page.set_empty(None)
        page.set_charts(charts(report))
        self._paint_chart()
        self._ask_samples()

    def _paint_chart(self) -> None:
        report = self._report
        if report is None:
            return
        chart = self._page.chart
        if chart is Chart.MATRIX:
            self._page.show_matrix(present_matrix(report))
        elif chart is Chart.CLASSES:
            self._page.show_scores(present_scores(report))
        else:
            self._page.show_xy(present_xy(report, chart))

    def _narrow(self, cell: tuple[int, int] | None) -> None:
        self._cell = cell
        self._picked = None
        self._ask_samples()

    def _on_point_chosen(self, _line: str, number: int) -> None:
        assert self._report is not None
        self._picked = sample_of(self._report, number)
        self._ask_samples()

    def _ask_samples(self) -> None:
        report, run = self._report, self._run
        if report is None or run is None:
            return
        numbers = ordered(report, self._page.order, self._cell)
        if self._picked is not None:
            numbers = (self._picked,)
        self._page.set_told(
            self._told(report, len(numbers)),
            can_show_all=self._cell is not None or self._picked is not None,
        )
        shown = numbers[:SHOWN]
        request = LookUp(
            data=run.document.spec.data, places=tuple(report.indices[at] for at in shown)
        )
        self._border.deliver(
            self._host.request(request),
            lambda future: self._on_samples(report, shown, future.result()),
            self._messenger.report,
            is_wanted=lambda: report is self._report,
        )

    def _told(self, report: ResultReport, count: int) -> str:
        if self._cell is not None:
            text = translate("Results", "{true} predicted as {predicted}: {count}")
            names = (report.classes[place] for place in self._cell)
            return text.format(true=next(names), predicted=next(names), count=f"{count:,}")
        if count > SHOWN:
            text = translate("Results", "the first {shown} of {count}")
            return text.format(shown=SHOWN, count=f"{count:,}")
        text = translate("Results", "{count} {count|sample|samples}")
        return filled(text, count=f"{count:,}")

    def _on_samples(
        self, report: ResultReport, numbers: tuple[int, ...], preview: PreviewInfo
    ) -> None:
        if any(field.kind == "image" for field in report.fields):
            images = present_sample_images(report, numbers, preview)
            empty = translate("Results", "No matching samples.")
            self._page.show_images(images, empty)
        else:
            self._page.show_rows(present_sample_rows(report, numbers, preview))

    def _ask_file(self, kind: str) -> None:
        report = self._report
        if report is None:
            return
        title = translate("Results", "Save results")
        filters = [f"{kind.upper()} (*.{kind})"]
        name = "samples" if kind == "csv" else self._page.chart.value
        dialog = save_dialog(self._page, "save_results", title, filters, f"{name}.{kind}")
        dialog.fileSelected.connect(lambda file: self.save(Path(file), kind))
        dialog.open()

    def save(self, path: Path, kind: str) -> None:
        """Write the samples as ``csv`` or the chart in front as ``png`` or ``svg``."""
        report = self._report
        if report is not None:
            is_table = kind == "csv"
            content = as_csv(report) if is_table else picture(self._page.chart_widget(), kind)
            write_file(path, content, self._messenger)
