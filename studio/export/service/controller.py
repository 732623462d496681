"""Controller of the dialog in which a run is served, by a process of its own."""

from collections import deque
from collections.abc import Callable
from typing import assert_never

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from typing_extensions import override

from engine.runtime.service import (
    Serve,
    ServiceFailed,
    ServiceJob,
    ServiceLine,
    ServiceMessage,
    ServiceServed,
    ServiceStage,
    ServiceStarted,
)
from studio.export.service.dialog import ServeDialog
from studio.export.service.presenter import present_count, present_lines, present_step
from studio.i18n import translate
from studio.job_controller import JobController
from studio.run_choice.controller import RunChooser
from studio.services import Services

MakeJob = Callable[[Serve, Callable[[ServiceMessage], object]], ServiceJob]

_SHOWN = 200


class ServeController(JobController[ServeDialog, Serve, ServiceMessage]):
    """Glue between the dialog and the process that serves."""

    def __init__(self, services: Services, *, make_job: MakeJob = ServiceJob) -> None:
        super().__init__(services, make_job)
        self._services = services
        self._chooser: RunChooser | None = None
        self._lines: deque[ServiceLine] = deque(maxlen=_SHOWN)

    def show(self) -> None:
        """Offer to serve."""
        self._show(self._make_dialog)
        self._on_run()

    def _make_dialog(self) -> ServeDialog:
        dialog = ServeDialog(self._window)
        self._chooser = RunChooser(self._services, dialog.choice)
        self._chooser.changed.connect(self._on_run)
        dialog.start_requested.connect(self._start)
        dialog.open_requested.connect(self._open_browser)
        self._lines.clear()
        dialog.set_requests(present_lines(()))
        return dialog

    @override
    def _canceled(self) -> str:
        return translate("Serve", "Stopped.")

    @override
    def _on_closed(self) -> None:
        self._chooser = None
        super()._on_closed()

    def _on_run(self) -> None:
        if self._dialog is None or self._chooser is None or self._work.job is not None:
            return
        has_run = self._chooser.folder is not None
        self._dialog.set_startable(is_startable=has_run)
        if not has_run:
            text = translate("Serve", "No run has a checkpoint yet. Train the model first.")
            self._dialog.set_progress(text, 0, 1)
        else:
            self._dialog.set_progress("", 0, 1)

    def _start(self) -> None:
        if self._chooser is None or self._chooser.folder is None or self._work.job is not None:
            return
        folder = self._chooser.folder
        request = Serve(
            run_folder=str(folder.path),
            checkpoint=self._chooser.checkpoint,
            trusted=self._trust.covers_run(folder.document.graph.code),
        )
        self._begin(request, present_step("load"))

    @override
    def _on_message(self, message: ServiceMessage) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        match message:
            case ServiceStage(stage=stage):
                dialog.set_progress(present_step(stage), 0, 0)
            case ServiceStarted(url=url):
                dialog.set_address(url)
                dialog.set_progress(present_count(0, 0), 0, 1)
            case ServiceServed():
                self._lines.extend(message.lines)
                dialog.set_progress(present_count(message.requests, message.failed), 0, 1)
                dialog.set_requests(present_lines(self._lines))
            case ServiceFailed(problems=problems):
                self._end(self._words(problems))
            case _:
                assert_never(message)

    def _open_browser(self) -> None:
        if self._dialog is not None and self._dialog.address:
            QDesktopServices.openUrl(QUrl(self._dialog.address))
