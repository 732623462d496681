"""Runs of the project: reading the runs of the project, comparing, and what is done with them."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QInputDialog, QMenu

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.certificate import read_certificate
from engine.runs.folder import RunDocument, RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.record.series import Curve
from engine.runs.record.shard_folder import checkpoint_sizes
from engine.runs.record.state import RunStatus
from engine.runs.record.store import NO_RECORD, Points, RunStore, Steps
from studio.i18n import listed, translate
from studio.model.comparison.controller import ModelComparisonController
from studio.process.desktop import show_folder
from studio.run_choice.repeat import can_repeat, repeat_run
from studio.runs.comparison.controller import RunComparisonController
from studio.runs.rows import (
    RunRecord,
    present_checkpoints,
    present_overlay,
    present_runs,
    read_tags,
    tags_text,
)
from studio.runs.table.note_dialog import RunNoteDialog
from studio.runs.table.page import RunsWorkspace
from studio.services import Controller, Services
from studio.train.certificate.controller import CertificateController
from studio.view.chart import ChartSaver
from studio.view.run import METRIC_KINDS
from studio.view.taking_back import take_model
from studio.window.page import EmptyView

Curves = dict[str, dict[str, tuple[Steps, Points]]]
_LOOK_MS = 2000  # between two looks at runs that train
_PASSING = (NO_RECORD, "R152")  # its worker is just making it, or writes


class RunsController(Controller):
    """Glue between the Runs workspace and the run folders."""

    def __init__(
        self,
        services: Services,
        page: RunsWorkspace,
        *,
        models: ModelComparisonController,
        certificates: CertificateController,
        write_report: Callable[[Sequence[RunFolder]], object],
    ) -> None:
        super().__init__(services, page)
        self._page = page
        self._certificates = certificates
        self._write_report = write_report
        self._repeat_run = partial(repeat_run, services)
        self._comparison = RunComparisonController(services, page.comparison, models=models)
        self._records: dict[str, RunRecord] = {}
        self._reported: list[Diagnostic] = []  # of runs that cannot be read
        self._asked = 0
        ChartSaver(page.loss_chart, self._notifications, "loss")
        ChartSaver(page.metric_chart, self._notifications, "metrics")
        page.metrics.chart_added.connect(
            lambda chart, name: ChartSaver(chart, self._notifications, name)
        )
        page.menu_requested.connect(self._on_menu_requested)
        page.start_requested.connect(self._start_run)
        page.selected.connect(self._on_selection_changed)
        page.run_activated.connect(self._follow)
        page.verb_requested.connect(self._do)
        self._session.project_changed.connect(self._on_project_changed)
        self._runs.on_runs_changed(self.refresh)
        self._project: Path | None = None
        self._is_new = True  # nothing was selected in this project yet
        self._is_looking = False
        timer = QTimer(self)
        timer.timeout.connect(self._look_at_living)
        timer.start(_LOOK_MS)
        self._on_project_changed()
        self._compare()

    def refresh(self) -> None:
        """Read the runs of the project again."""
        project = self._session.project
        if project is None:
            self._records = {}
            self._paint()
            return
        path = project.path
        problems: list[Diagnostic] = []

        def read() -> list[RunRecord]:
            return _read_records(runs_of(path, problems), problems)

        self._handover.run(read, lambda future: self._on_read(path, future, problems))

    def _look_at_living(self) -> None:
        if self._is_looking or not self._page.isVisible():
            return
        followed = (
            self._session.run.folder.path if self._runs.is_running and self._session.run else None
        )
        living = [
            record.folder
            for record in self._records.values()
            if record.is_alive or record.folder.path == followed
        ]
        if living:
            self._is_looking = True
            self._handover.run(lambda: _read_records(living), self._on_living)

    def _on_living(self, future: "Future[list[RunRecord]]") -> None:
        self._is_looking = False
        was = self._records
        now = {
            run: record
            for record in future.result()
            if (run := record.folder.id) in was and was[run].folder is record.folder  # not renamed
        }
        grown = {run for run, record in now.items() if record.state.epoch > was[run].state.epoch}
        self._records = was | now
        self._paint()
        if grown & set(self._page.chosen):
            self._compare()

    def _selected(self) -> list[RunRecord]:
        return [self._records[key] for key in self._page.chosen if key in self._records]

    def _on_project_changed(self) -> None:
        path = self._session.project.path if self._session.project else None
        if path != self._project:
            self._project = path
            self._is_new = True
            self.refresh()

    def _on_read(
        self, path: Path, future: "Future[list[RunRecord]]", problems: list[Diagnostic]
    ) -> None:
        if self._session.project is None or self._session.project.path != path:
            return
        if news := [one for one in problems if one not in self._reported]:
            self._notifications.report(news)
        self._reported = problems
        self._records = {record.folder.id: record for record in future.result()}
        self._paint()
        if self._is_new and self._records:  # begin with the run of the Train page, or the newest
            self._is_new = False
            followed = self._session.run.folder.id if self._session.run else ""
            newest = next(reversed(self._records))
            self._page.choose(followed if followed in self._records else newest)
        else:
            self._compare()  # curves that went, and those of a run that ended by now

    def _paint(self) -> None:
        self._page.set_empty(None if self._records else _no_runs())
        shown = [record.folder.id for record in self._selected()]
        self._page.show_runs(present_runs(tuple(self._records.values()), shown))
        self._paint_selection()

    def _paint_selection(self) -> None:
        chosen = self._selected()
        one = chosen[0] if len(chosen) == 1 else None
        self._page.show_checkpoints(present_checkpoints(one), is_comparing=len(chosen) > 1)
        self._comparison.show(chosen)
        possible: set[str] = {"report"} if chosen else set()
        if chosen and not any(record.is_alive for record in chosen):
            possible.add("delete")
        if one is not None:
            possible |= {"follow", "reveal", "rename", "note", "restore"}
            if one.state.checkpoints:
                possible.add("export")
                if not one.is_alive or one.state.status is RunStatus.PAUSED:
                    possible.add("certify")
                if not one.is_alive and not self._runs.is_running:
                    possible.add("resume")
            if can_repeat(one.state) and not one.is_alive and not self._runs.is_running:
                possible.add("repeat")
        self._page.set_verbs(frozenset(possible))

    def _on_selection_changed(self) -> None:
        self._paint()
        self._compare()

    def _compare(self) -> None:
        chosen = self._selected()
        self._asked += 1
        number = self._asked
        documents = {record.folder.id: record.folder.document for record in chosen}
        paths = {record.folder.id: record.folder.path for record in chosen}
        self._handover.run(
            lambda: _read_curves(paths),
            lambda future: self._on_curves(documents, future.result()),
            self._notifications.report,
            is_wanted=lambda: number == self._asked,
        )

    def _on_curves(self, documents: dict[str, RunDocument], curves: Curves) -> None:
        names = {run: document.name for run, document in documents.items()}
        specs = {run: document.spec for run, document in documents.items()}
        self._page.show_curves(
            present_overlay(curves, names, "loss", specs),
            {kind: present_overlay(curves, names, kind, specs) for kind in METRIC_KINDS},
        )

    def _do(self, verb: str) -> None:
        chosen = self._selected()
        if not chosen:
            return
        record = chosen[0]
        verbs: dict[str, Callable[[], object]] = {
            "follow": lambda: self._follow(record.folder.id),
            "resume": lambda: self._resume(record),
            "repeat": lambda: self._repeat(record),
            "restore": lambda: take_model(
                self._session, self._notifications, record.folder, self._window.show_workspace
            ),
            "export": lambda: self._export(record),
            "report": lambda: self._write_report([each.folder for each in chosen]),
            "certify": lambda: self._certify(record),
            "rename": lambda: self._ask_name(record),
            "note": lambda: self._ask_note(record),
            "reveal": lambda: show_folder(record.folder.path),
            "delete": self._delete,
        }
        verbs[verb]()

    def _on_menu_requested(self, place: QPoint) -> None:
        menu = QMenu(self._page)
        menu.setObjectName("runs.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in self._page.verb_buttons():
            action = menu.addAction(button.icon(), button.text())
            action.setEnabled(button.isEnabled())
            action.triggered.connect(button.click)
        menu.addSeparator()
        back = menu.addAction(translate("Runs", "Restore deleted runs"))
        back.triggered.connect(lambda _=False: self._runs.bring_back())
        menu.popup(place)

    def _follow(self, run: str) -> None:
        if run in self._records:
            self._runs.follow(self._records[run].folder)
            self._window.show_workspace("train")

    def _resume(self, record: RunRecord) -> None:
        files = self._page.chosen_checkpoints
        length = 0.0 if files else self._runs.longer(record.state).total
        self._runs.resume(record.folder.id, files[0] if files else "latest", length)
        self._window.show_workspace("train")

    def _repeat(self, record: RunRecord) -> None:
        self._repeat_run(record.folder, record.state)
        self._window.show_workspace("train")

    def _certify(self, record: RunRecord) -> None:
        files = self._page.chosen_checkpoints
        self._certificates.show(record.folder, files[0] if files else "")

    def _export(self, record: RunRecord) -> None:
        self._session.ask_export(record.folder.id)
        self._window.show_workspace("export")

    def _ask_name(self, record: RunRecord) -> None:
        dialog = QInputDialog(self._page.window())
        dialog.setObjectName("dialog.rename_run")
        dialog.setAccessibleName(translate("Runs", "Rename run"))
        dialog.setWindowTitle(translate("Runs", "Rename run"))
        dialog.setLabelText(translate("Runs", "Name"))
        dialog.setTextValue(record.folder.document.name)
        dialog.textValueSelected.connect(lambda name: self._rename(record, name))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _rename(self, record: RunRecord, name: str) -> None:
        if name.strip() and name != record.folder.document.name:
            self._write(lambda: record.folder.rename(name.strip()[:100]))

    def _ask_note(self, record: RunRecord) -> None:
        document = record.folder.document
        dialog = RunNoteDialog(
            self._page.window(),
            run=document.name,
            note=document.note,
            tags=tags_text(document.tags),
        )
        dialog.chosen.connect(
            lambda note, tags: self._write(
                lambda: record.folder.describe(note.strip(), read_tags(tags))
            )
        )
        dialog.open()

    def _write(self, act: Callable[[], object]) -> None:
        self._succeeds(act)
        self.refresh()

    def _delete(self) -> None:
        """Move the selected runs aside, and offer to bring them back."""
        chosen = [record for record in self._selected() if not record.is_alive]
        gone = self._runs.delete([record.folder.path for record in chosen]) if chosen else []
        if not gone:
            return
        names = listed(r.folder.document.name for r in chosen if r.folder.id in gone)
        self._notifications.tell(
            translate("Runs", "Deleted: {runs}").format(runs=names),
            "hint",
            action=(translate("Runs", "Undo"), lambda: self._runs.bring_back(gone)),
        )


def _no_runs() -> EmptyView:
    return EmptyView(
        translate("Runs", "No runs yet"),
        translate("Runs", "Each run is kept here with its curves and checkpoints."),
        translate("Runs", "Start training"),
    )


def _read_records(
    folders: Sequence[RunFolder], problems: list[Diagnostic] | None = None
) -> list[RunRecord]:
    records = []
    for folder in folders:
        try:
            state = read_state(folder, problems)
        except DiagnosticError as error:
            if problems is not None:
                problems.extend(one for one in error.problems if one.code not in _PASSING)
            continue  # without a record there is nothing to compare
        sizes = checkpoint_sizes(folder.checkpoints)
        record = RunRecord(
            folder=folder,
            state=state,
            is_alive=folder.is_alive(),
            sizes=sizes,
            certificate=read_certificate(folder.path),
        )
        records.append(record)
    return records


def _read_curves(paths: dict[str, Path]) -> Curves:
    curves_of: Curves = {}
    for run, path in paths.items():
        curves_of[run] = {}
        store = RunStore.find(path)
        if store is None:  # it begins just now
            continue
        with store:
            curves = {name: Curve(name) for name in store.series_names()}
            for curve in curves.values():
                curve.update(store)
            curves_of[run] = {name: (curve.steps, curve.values) for name, curve in curves.items()}
    return curves_of
