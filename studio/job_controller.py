"""Base of the controllers of dialogs in which a job is started, in a process of its own."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from studio.process.job_slot import JobSlot, Startable
from studio.services import Controller, Services
from studio.window.dialog.job_dialog import JobDialog

DialogT = TypeVar("DialogT", bound=JobDialog)
Request = TypeVar("Request")
Message = TypeVar("Message")


class JobController(Controller, Generic[DialogT, Request, Message]):
    """Glue between a dialog and its job: one dialog is open at a time, and its end is that of the
    job.
    """

    def __init__(
        self,
        services: Services,
        make_job: Callable[[Request, Callable[[Message], object]], Startable],
    ) -> None:
        super().__init__(services, services.window)
        self._trust = services.trust
        self._make_job = make_job
        self._dialog: DialogT | None = None
        self._work: JobSlot[Startable] = JobSlot()

    @abstractmethod
    def _on_message(self, message: Message) -> None:
        """Show what the job says."""

    @abstractmethod
    def _canceled(self) -> str:
        """Return what is left of a job that the user has given up, in a sentence."""

    def cancel(self) -> None:
        """Give up what goes on."""
        self._work.give_up()

    def _show(self, make: Callable[[], DialogT]) -> None:
        """Bring the dialog to the front, which is made where there is none."""
        if self._session.project is None:
            return
        if self._dialog is None:
            self._open(make())
        else:
            self._dialog.bring_to_front()

    def _open(self, dialog: DialogT) -> None:
        self._dialog = dialog
        dialog.cancel_requested.connect(self._cancel)
        dialog.finished.connect(self._on_closed)
        dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None
        self.cancel()

    def _begin(self, request: Request, text: str) -> None:
        """Start the job; ``text`` says what it begins with."""
        if self._dialog is None:
            return
        self._dialog.set_running(is_running=True)
        self._dialog.set_progress(text, 0, 0)
        self._work.start(
            lambda tell: self._make_job(request, tell), self._on_message, self._handover
        )

    def _cancel(self) -> None:
        if self._work.job is not None:
            self._work.give_up()
            self._end(self._canceled())

    def _end(self, text: str | None) -> None:
        """Show that the job has ended, and what came of it (None: that is told already)."""
        self._work.job = None
        if self._dialog is not None:
            self._dialog.set_running(is_running=False)
            if text is not None:
                self._dialog.set_progress(text, 0, 1)
