"""Controller of the download of a data set, in a process of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import assert_never

from msgspec.structs import replace
from typing_extensions import override

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
from studio.job_controller import JobController
from studio.services import Services

Job = Callable[[DownloadData, Callable[[DownloadMessage], object]], DownloadJob]


class DownloadController(JobController[DownloadDialog, DownloadData, DownloadMessage]):
    """Glue between the dialog, the process that downloads, and the choice of the data."""

    def __init__(self, services: Services, *, make_job: Job = DownloadJob) -> None:
        super().__init__(services, make_job)
        self._editor = services.editor
        self._analyst = services.analyst
        self._source: Choice | None = None

    def show(self) -> None:
        """Offer to download the data that are chosen."""
        if is_downloadable(self._session.spec):
            self._show(self._make_dialog)

    def _make_dialog(self) -> DownloadDialog:
        source = self._source = self._session.spec.data.source
        dialog = DownloadDialog(self._window, self._folder(source))
        dialog.set_text(*present_set(source, self._language()))
        dialog.start_requested.connect(self._start)
        return dialog

    @override
    def _canceled(self) -> str:
        return translate(
            "Download", "Canceled. What came so far is kept; download again to continue."
        )

    def _folder(self, source: Choice) -> str:
        """Return the folder that is chosen, or one for all data sets of the user."""
        return str(source.params.get("path") or Path.home() / "datasets")

    def _start(self, folder: str) -> None:
        if self._dialog is None or self._source is None or self._work.job is not None:
            return
        root = str(Path(folder).expanduser().absolute())
        self._source = replace(self._source, params={**self._source.params, "path": root})
        request = DownloadData(source=self._source)
        self._begin(request, translate("Download", "Connecting…"))

    @override
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
