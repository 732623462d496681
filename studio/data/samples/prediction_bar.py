"""Line of the predictions: which run predicts for the samples, and how far that is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.data.samples.prediction_state import PredictionView
from studio.i18n import translate
from studio.run_choice.bar import RunChoice
from widgets.common import parts
from widgets.common.progress import ProgressPanel
from widgets.common.text import plain_tip


class PredictionBar(QWidget):
    """Shows a :class:`PredictionView`."""

    predict_requested = Signal()
    cancel_requested = Signal()
    output_chosen = Signal(str)
    parts_chosen = Signal(bool)
    results_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        title = translate("Samples", "Predictions of")
        parts.named(self, "data.predictions", translate("Samples", "Predictions for the samples"))
        label = parts.label(self, "data.predictions.title", title, role="muted")
        label.setText(title)
        self.choice = RunChoice("data.predictions", self)
        self._build_output()
        self.predict = parts.button(
            self,
            "data.predictions.predict",
            translate("Samples", "Predict"),
            icon="play",
            tip=translate(
                "Samples",
                "Let the trained model predict every sample: loss, prediction and confidence "
                "become columns to sort and filter by",
            ),
        )
        self.predict.clicked.connect(self.predict_requested)
        self.of_run = parts.check_box(
            self,
            "data.predictions.parts",
            translate("Samples", "Splits of this run"),
            tip=translate(
                "Samples",
                "Each sample is in the split that this run has it in; what came later is “not in "
                "this run”. Without the check mark: in the split that the next run gives it",
            ),
        )
        self.of_run.clicked.connect(self.parts_chosen)
        self.progress = ProgressPanel("data.predictions.progress", self)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.told = parts.label(
            self,
            "data.predictions.told",
            translate("Samples", "State of the predictions"),
            wraps=True,
        )
        self.results = parts.button(
            self,
            "data.predictions.results",
            translate("Samples", "Results"),
            icon="arrow-right",
            tip=translate("Samples", "Confusion matrix, curves and worst samples of a run"),
        )
        self.results.clicked.connect(self.results_requested)
        self._arrange(label)
        self.hide()

    def _build_output(self) -> None:
        self.output = parts.combo(
            self,
            "data.predictions.output",
            translate("Samples", "Output"),
            translate(
                "Samples",
                "Of which of the outputs that the loss compares with the data the columns are; the "
                "loss is that of this output alone",
            ),
        )
        self.output.activated.connect(self._tell_output)

    def _arrange(self, label: QWidget) -> None:
        middle = ((self.progress, 3), (QWidget(self), 1))
        items = (label, self.choice, self.output, self.predict, self.of_run, *middle, self.results)
        row = parts.row(*items, spacing=8)
        # Sentences are as long as the name of a file: they have a line of their own.
        parts.column(row, self.told, margins=(12, 2, 12, 2), spacing=2, parent=self)

    def set_view(self, view: PredictionView) -> None:
        """Show what there is to predict with, and how far it is."""
        self.setVisible(view.is_there)
        parts.set_choices(self.output, view.outputs, view.output)
        self.output.setVisible(bool(view.outputs))
        self.predict.setVisible(view.can_predict)
        self.of_run.setVisible(view.has_parts)
        self.of_run.setChecked(view.shows_parts)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self.told.setText(view.told)
        self.told.setToolTip(plain_tip(view.tip))
        self.told.setVisible(bool(view.told))
        self.results.setVisible(view.has_results)

    def _tell_output(self) -> None:
        self.output_chosen.emit(self.output.currentData())
