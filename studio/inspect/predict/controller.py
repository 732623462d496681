"""Controller of files of predictions, which a process of its own writes."""

from collections.abc import Callable
from pathlib import Path
from typing import assert_never, get_args

from msgspec.structs import replace
from typing_extensions import override

from engine.query.predicting.request import (
    DecimalChoice,
    OnDamaged,
    PredictFile,
    PredictionDone,
    PredictionFailed,
    PredictionMessage,
    PredictionPiece,
    PredictionProgress,
    PredictionReport,
)
from engine.query.request import Split
from engine.runtime.job.request_job import PredictionJob
from studio.i18n import translate
from studio.inspect.predict.dialog import PredictDialog
from studio.inspect.predict.presenter import (
    OWN,
    present_damaged,
    present_decimals,
    present_progress,
    present_report,
    present_rows,
    present_sources,
)
from studio.job_controller import JobController
from studio.process.desktop import show_folder
from studio.run_choice.controller import RunChooser
from studio.services import Services
from studio.window.dialog.replacing import ask_to_replace

Job = Callable[[PredictFile, Callable[[PredictionMessage], object]], PredictionJob]

_EXISTS = "P051"
_ON_DAMAGED: dict[str, OnDamaged] = {each: each for each in get_args(OnDamaged)}
_DECIMALS: dict[str, DecimalChoice] = {each: each for each in get_args(DecimalChoice)}
_SPLITS: dict[str, Split] = {each: each for each in get_args(Split)}


class PredictController(JobController[PredictDialog, PredictFile, PredictionMessage]):
    """Glue between the dialog and the process that predicts."""

    def __init__(self, services: Services, *, make_job: Job = PredictionJob) -> None:
        super().__init__(services, make_job)
        self._services = services
        self._chooser: RunChooser | None = None
        self._request: PredictFile | None = None
        self._written: Path | None = None

    def show(self) -> None:
        """Offer to predict."""
        is_new = self._dialog is None
        self._show(self._make_dialog)
        if is_new:
            self._on_run()

    def _make_dialog(self) -> PredictDialog:
        dialog = PredictDialog(
            self._window, present_sources(), present_damaged(), present_decimals()
        )
        self._chooser = RunChooser(self._services, dialog.choice)
        self._chooser.changed.connect(self._on_run)
        dialog.start_requested.connect(self._start)
        dialog.reveal_requested.connect(self._reveal)
        dialog.data_changed.connect(self._suggest)
        return dialog

    @override
    def _canceled(self) -> str:
        return translate("Predict", "Canceled. Nothing was written.")

    @override
    def _on_closed(self) -> None:
        self._chooser = None
        super()._on_closed()

    def _on_run(self) -> None:
        if self._dialog is None or self._chooser is None:
            return
        self._dialog.refresh()
        self._suggest()
        if self._work.job is None and self._chooser.folder is None:
            text = translate("Predict", "No run has a checkpoint yet. Train the model first.")
            self._dialog.set_result(text, has_file=False)
        elif self._work.job is None and self._written is None:
            self._dialog.set_result("", has_file=False)

    def _suggest(self) -> None:
        """Propose a file beside the data, or in the folder of the run."""
        dialog, chooser = self._dialog, self._chooser
        if dialog is None or chooser is None or chooser.folder is None:
            return
        if dialog.source == OWN and dialog.data:
            data = Path(dialog.data)
            dialog.suggest_output(str(data.parent / f"{data.stem}_predictions.csv"))
        elif dialog.source != OWN:
            place = chooser.folder.artefacts / f"{dialog.source}_predictions.csv"
            dialog.suggest_output(str(place))
        else:
            dialog.suggest_output("")

    def _start(self) -> None:
        dialog, chooser = self._dialog, self._chooser
        if dialog is None or chooser is None or chooser.folder is None:
            return
        is_own = dialog.source == OWN
        self._predict(
            PredictFile(
                run_folder=str(chooser.folder.path),
                checkpoint=chooser.checkpoint,
                data=str(Path(dialog.data).absolute()) if is_own else "",
                part=_SPLITS.get(dialog.source),
                output=dialog.output,
                on_damaged=_ON_DAMAGED[dialog.on_damaged],
                decimal=_DECIMALS[dialog.decimal] if is_own else "auto",
                trusted=self._trust.covers_run(chooser.folder.document.graph.code),
            )
        )

    def _predict(self, request: PredictFile) -> None:
        if self._dialog is None or self._work.job is not None:
            return
        self._request, self._written = request, None
        self._dialog.set_rows(present_rows(None))
        self._begin(request, translate("Predict", "Loading the model…"))

    @override
    def _on_message(self, message: PredictionMessage) -> None:
        match message:
            case PredictionProgress():
                if self._dialog is not None:
                    self._dialog.set_progress(*present_progress(message))
            case PredictionReport():
                self._written = Path(message.output)
                if self._dialog is not None:
                    self._dialog.set_rows(present_rows(message))
                    text = present_report(message, self._language())
                    self._dialog.set_result(text, has_file=True)
            case PredictionPiece():
                pass  # of predictions without a file
            case PredictionDone():
                self._end(None)
            case PredictionFailed():
                exists = message.problems[0].code == _EXISTS
                self._end("" if exists else self._words(message.problems))
                if exists:
                    self._ask_overwrite(str(message.problems[0].params["file"]))
            case _:
                assert_never(message)

    @override
    def _end(self, text: str | None) -> None:
        super()._end(text)
        if self._dialog is not None and text is not None:
            self._dialog.set_result(text, has_file=False)

    def _ask_overwrite(self, name: str) -> None:
        request = self._request
        if self._dialog is None or request is None:
            return
        ask_to_replace(
            self._dialog,
            name,
            Path(request.output).parent,
            lambda: self._predict(replace(request, overwrite=True)),
        )

    def _reveal(self) -> None:
        if self._written is not None:
            show_folder(self._written.parent)
