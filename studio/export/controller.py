"""Controller of the Export workspace: the runs, the writing, and its result."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import assert_never

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.export.request import (
    Export,
    ExportDone,
    ExportFailed,
    ExportMessage,
    ExportStage,
    ExportWritten,
    WriteExport,
    apart,
)
from engine.query.weights.request import ReadCheckpoint
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.runtime import CheckpointContents, ExportReport, is_apart
from engine.runtime.job.request_job import ExportJob
from studio.export.page import ExportWorkspace
from studio.i18n import translate
from studio.process.desktop import show_folder
from studio.process.job_slot import JobSlot
from studio.services import Controller, Services
from studio.session.run_states import read_states
from studio.view.export import (
    checkpoint_file,
    present_checkpoint_choices,
    present_contents,
    present_optimizers,
    present_report,
    present_stage,
)
from studio.window.dialog.replacing import ask_to_replace

MakeJob = Callable[[WriteExport, Callable[[ExportMessage], object]], ExportJob]


class ExportController(Controller):
    """Joins the Export workspace to the host process."""

    def __init__(
        self, services: Services, page: ExportWorkspace, *, make_job: MakeJob = ExportJob
    ) -> None:
        super().__init__(services, page)
        self._page = page
        self._trust = services.trust
        self._make_job = make_job
        self._work: JobSlot[ExportJob] = JobSlot()
        self._request: Export | None = None
        self._states: dict[str, tuple[RunFolder, RunState]] = {}
        self._shown = ""
        self._followed = ""
        self._is_stale = False
        self._written: Path | None = None
        page.shown.connect(self._catch_up)
        page.changed.connect(self._on_changed)
        page.run_picked.connect(self._session.ask_export)
        page.save_requested.connect(self._save)
        page.reveal_requested.connect(self._reveal)
        page.cancel_requested.connect(self._cancel)
        page.destroyed.connect(self._work.give_up)
        self._session.project_changed.connect(self._on_project_changed)
        self._session.run_changed.connect(self._on_run_changed)
        self._session.export_asked.connect(self._choose_asked)
        self._runs.on_runs_changed(self.refresh)
        self._project = self._session.project.path if self._session.project else None
        if self._session.run is not None:
            self._followed = self._session.run.folder.id
            self._session.to_export = self._session.to_export or self._followed
        self.refresh()

    def refresh(self) -> None:
        """Read again which runs and checkpoints there are."""
        project = self._session.project
        if project is None:
            self._states = {}
            self._page.set_runs((), "")
            return
        path = project.path
        self._handover.run(lambda: read_states(path), lambda future: self._on_read(path, future))

    def _choose_asked(self) -> None:
        """Offer the run that was asked for last: picked in the table of runs, or followed since."""
        self._is_stale = False
        self._page.set_runs(self._choices(), self._session.to_export)

    def _choices(self) -> tuple[tuple[str, str], ...]:
        with_weights = [
            (run, folder.document.name)
            for run, (folder, state) in self._states.items()
            if state.checkpoints
        ]
        return tuple(reversed(with_weights))

    def _on_read(self, path: Path, future: "Future[dict[str, tuple[RunFolder, RunState]]]") -> None:
        session = self._session
        if session.project is None or session.project.path != path:
            return
        self._states = future.result()
        self._choose_asked()

    def _on_project_changed(self) -> None:
        project = self._session.project
        path = project.path if project else None
        if path != self._project:
            self._project = path
            self._states = {}
            self._followed = ""
            self._page.forget()
            self.refresh()

    def _on_run_changed(self) -> None:
        """Keep the checkpoints of the run that is followed current; offer it when it is another."""
        update = self._session.run
        if update is None or not update.state.checkpoints:
            return
        if update.folder.id != self._followed:
            self._followed = self._session.to_export = update.folder.id
        entry = self._states.get(update.folder.id)
        if entry is None or entry[1].checkpoints != update.state.checkpoints:
            self._states[update.folder.id] = (update.folder, update.state)
            self._is_stale = True
            self._catch_up()

    def _catch_up(self) -> None:
        """Offer what came since the page was seen last: reading a checkpoint takes time."""
        if self._is_stale and self._page.isVisible():
            self._choose_asked()

    def _on_changed(self) -> None:
        page = self._page
        entry = self._states.get(page.run)
        project = self._session.project
        if entry is None or project is None:
            self._shown = ""
            page.set_checkpoints(())
            self._show_contents(None)
            return
        folder, state = entry
        averaging = folder.document.spec.averaging
        page.set_checkpoints(present_checkpoint_choices(state, averaging))
        name = f"{folder.document.name}{page.format.suffix}"
        page.suggest_path(str(folder.artefacts / name))
        self._ask_contents(folder, state)

    def _ask_contents(self, folder: RunFolder, state: RunState) -> None:
        name, _, _ = checkpoint_file(state, self._page.checkpoint).partition(":")
        file = str(folder.checkpoints / name)
        if file == self._shown:
            return
        self._shown = file
        self._ask_host(
            ReadCheckpoint(file=file),
            self._show_contents,
            self._on_unreadable,
            is_wanted=lambda: file == self._shown,
        )

    def _show_contents(self, contents: CheckpointContents | None) -> None:
        self._page.show_contents(present_contents(contents), present_optimizers(contents))

    def _on_unreadable(self, problems: tuple[Diagnostic, ...]) -> None:
        """Say it in the page, without a notification: nobody asked."""
        self._shown = ""  # it is read again when it is chosen again
        text = self._words(problems)
        self._show_contents(None)
        self._page.show_result(text, is_good=False)
        self._notifications.log(text, "error")

    def _save(self) -> None:
        page = self._page
        entry = self._states.get(page.run)
        if entry is None or not page.path:
            return
        folder = entry[0]
        try:
            output = folder.artefacts / Path(page.path).expanduser()
        except RuntimeError:  # ~name of a user that there is not
            output = folder.artefacts / page.path
        self._export(
            Export(
                run_folder=str(folder.path),
                format=page.format.key,
                output=str(output),
                checkpoint=page.checkpoint,
                overwrite=False,
            )
        )

    def _export(self, request: Export) -> None:
        if is_apart(request.format):
            self._export_apart(request)
            return
        self._page.set_busy(busy=True)
        self._page.show_result("", is_good=True)
        self._ask_host(
            request,
            lambda report: self._on_saved(request, report),
            lambda problems: self._on_not_saved(request, problems),
        )

    def _export_apart(self, request: Export) -> None:
        """Write a format that takes long: its process says what it is at, and can be given up."""
        code = RunFolder.open(Path(request.run_folder)).document.graph.code
        asked = apart(request, trusted=self._trust.covers_run(code))
        self._request = request
        self._page.set_busy(busy=True, can_cancel=True)
        self._page.show_stage(present_stage("load"))
        self._work.start(lambda tell: self._make_job(asked, tell), self._on_message, self._handover)

    def _on_message(self, message: ExportMessage) -> None:
        request = self._request
        if request is None:
            return
        match message:
            case ExportStage():
                self._page.show_stage(present_stage(message.stage))
            case ExportWritten():
                self._on_saved(request, message.report)
            case ExportFailed():
                self._work.job = None
                self._on_not_saved(request, message.problems)
            case ExportDone():
                self._work.job = None
            case _:
                assert_never(message)

    def _cancel(self) -> None:
        if self._work.job is not None:
            self._work.give_up()
            self._page.set_busy(busy=False)
            text = translate("Export", "Canceled. Nothing was written.")
            self._page.show_stage(text)

    def _on_not_saved(self, request: Export, problems: tuple[Diagnostic, ...]) -> None:
        self._page.set_busy(busy=False)
        if problems[0].code == "X004":
            self._ask_overwrite(request, str(problems[0].params["file"]))
        else:
            self._page.show_result(self._words(problems), is_good=False)

    def _on_saved(self, request: Export, report: ExportReport) -> None:
        page = self._page
        page.set_busy(busy=False)
        problems = () if report.int8 is None else report.int8.problems
        text = present_report(report, self._words(problems) if problems else "")
        text = "\n".join([text, *([self._words(report.notices)] if report.notices else [])])
        self._written = Path(report.files[0] if report.files else request.output)
        page.show_result(text, is_good=True)
        self._notifications.tell(translate("Export", "Exported."), "success")
        self._notifications.log(text, "success")

    def _ask_overwrite(self, request: Export, names: str) -> None:
        ask_to_replace(
            self._page,
            names,
            Path(request.output).parent,
            lambda: self._export(msgspec.structs.replace(request, overwrite=True)),
        )

    def _reveal(self) -> None:
        if self._written is not None:
            show_folder(self._written.parent)
