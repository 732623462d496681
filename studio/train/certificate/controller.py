"""Controller of the certificate of a run."""

from collections.abc import Callable

from PySide6.QtWidgets import QApplication
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.runs.certificate import Certificate, read_certificate
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runtime.certify import (
    Certification,
    CertifyFailed,
    CertifyJob,
    CertifyMessage,
    CertifyProgress,
)
from studio.i18n import translate
from studio.job_controller import JobController
from studio.services import Services
from studio.train.certificate.dialog import CertificateDialog
from studio.train.certificate.presenter import (
    present_choices,
    present_parts,
    present_place,
    present_progress,
    present_result,
)

Job = Callable[[Certification, Callable[[CertifyMessage], object]], CertifyJob]


class CertificateController(JobController[CertificateDialog, Certification, CertifyMessage]):
    """Glue between the dialog and the processes that are compared."""

    def __init__(self, services: Services, *, make_job: Job = CertifyJob) -> None:
        super().__init__(services, make_job)
        self._folder: RunFolder | None = None
        self._found: Certificate | None = None
        self._steps = 0

    @override
    def _canceled(self) -> str:
        return translate("Certificate", "Canceled. The run is as it was.")

    def show(self, folder: RunFolder, checkpoint: str = "") -> None:
        """Show the certificate of a run, and offer to make one from a checkpoint."""
        if self._dialog is not None and self._folder is not None:
            if self._folder.path == folder.path:
                self._dialog.bring_to_front()
                return
            self._dialog.accept()
        try:
            state = read_state(folder)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return
        self._folder = folder
        dialog = CertificateDialog(self._window, folder.document.name)
        dialog.start_requested.connect(self._start)
        dialog.copy_requested.connect(self._copy)
        dialog.set_checkpoints(present_choices(state.checkpoints), checkpoint)
        self._open(dialog)
        self._paint(read_certificate(folder.path))

    def _paint(self, found: Certificate | None) -> None:
        self._found = found
        if self._dialog is None:
            return
        self._dialog.set_parts(present_parts(found))
        if found is None:
            self._dialog.set_result("", "", is_equal=None)
        else:
            text = present_result(found, self._language())
            self._dialog.set_result(text, present_place(found), is_equal=found.is_equal)

    def _start(self, steps: int, checkpoint: str) -> None:
        if self._dialog is None or self._folder is None:
            return
        self._steps = steps
        trusted = self._trust.covers_resume(self._folder.project, self._folder.id)
        certification = Certification(self._folder, steps, file=checkpoint, trusted=trusted)
        self._paint(None)
        self._begin(certification, present_progress(0, 0, steps))

    @override
    def _on_message(self, message: CertifyMessage) -> None:
        dialog = self._dialog
        if dialog is None:
            return
        match message:
            case CertifyProgress(done, whole):
                dialog.set_progress(
                    present_progress(done, whole, self._steps), done, whole if done else 0
                )
            case CertifyFailed(problems):
                self._end(self._words(problems))
            case _:
                self._end("")
                self._paint(message)
                self._runs.tell_runs_changed()

    def _copy(self) -> None:
        if self._found is not None:
            lines = (present_result(self._found, self._language()), present_place(self._found))
            QApplication.clipboard().setText("\n".join(lines))
            self._notifications.tell(translate("Certificate", "Certificate copied"), "hint")
