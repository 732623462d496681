"""Controller of the download of a data set, in a process of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace

from engine.diagnostics import sentence
from engine.query.download.request import (
    DownloadData,
    DownloadDone,
    DownloadFailed,
    DownloadMessage,
    DownloadProgress,
)
from engine.runtime.job.request_job import DownloadJob
from engine.spec.run import Choice
from studio.data.download.dialog import DownloadDialog
from studio.data.download.presenter import is_downloadable, present_progress, present_set
from studio.i18n import translate
from studio.process.job_slot import JobSlot
from studio.services import Controller, Services

Job = Callable[[DownloadData, Callable[[DownloadMessage], object]], DownloadJob]


class DownloadController(Controller):
    """Glue between the dialog, the process that downloads, and the choice of the data."""

    def __init__(self, services: Services, *, make_job: Job = DownloadJob) -> None:
        super().__init__(services, services.window)
        self._editor = services.editor
        self._analyst = services.analyst
        self._make_job = make_job
        self._dialog: DownloadDialog | None = None
        self._work: JobSlot[DownloadJob] = JobSlot()
        self._source: Choice | None = None

    def show(self) -> None:
        """Offer to download the data that are chosen."""
        spec = self._session.spec
        if self._session.project is None or not is_downloadable(spec):
            return
        if self._dialog is None:
            self._source = spec.data.source
            dialog = self._dialog = DownloadDialog(self._window, self._folder(self._source))
            dialog.set_text(*present_set(self._source, self._language()))
            dialog.start_requested.connect(self._start)
            dialog.cancel_requested.connect(self._cancel)
            dialog.finished.connect(self._on_closed)
        self._dialog.bring_to_front()

    def _folder(self, source: Choice) -> str:
        """Return the folder that is chosen, or one for all data sets of the user."""
        return str(source.params.get("path") or Path.home() / "datasets")

    def _on_closed(self) -> None:
        self._dialog = None
        self._cancel()

    def _start(self, folder: str) -> None:
        if self._dialog is None or self._source is None or self._work.job is not None:
            return
        root = str(Path(folder).expanduser().absolute())
        self._source = replace(self._source, params={**self._source.params, "path": root})
        request = DownloadData(source=self._source)
        self._dialog.set_running(is_running=True)
        self._dialog.set_progress(translate("Download", "Connecting…"), 0, 0)
        self._work.start(
            lambda tell: self._make_job(request, tell), self._on_message, self._handover
        )

    def _cancel(self) -> None:
        if self._work.job is not None:
            self._work.give_up()
            self._end(
                translate(
                    "Download",
                    "Canceled. What came so far is kept; download again to continue.",
                )
            )

    def _on_message(self, message: DownloadMessage) -> None:
        match message:
            case DownloadProgress():
                if self._dialog is not None:
                    self._dialog.set_progress(*present_progress(message))
            case DownloadDone():
                self._end(translate("Download", "The data set is ready."))
                self._take_over()
            case DownloadFailed():
                self._end(sentence(message.problems[0], self._language()))
            case _:
                assert_never(message)

    def _take_over(self) -> None:
        """Choose the folder, where the data set is still the one that is chosen."""
        source, chosen = self._source, self._session.spec.data.source
        if source is None or chosen.type != source.type:
            return
        root = str(source.params["path"])
        if chosen.params.get("path") != root:
            self._editor.set("data.source.path", root)
        else:
            self._analyst.ask_again()

    def _end(self, text: str) -> None:
        self._work.job = None
        if self._dialog is not None:
            self._dialog.set_running(is_running=False)
            self._dialog.set_note(text)
