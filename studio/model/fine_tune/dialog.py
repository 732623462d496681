"""Dialog of fine-tuning: where the weights come from, what is frozen, how many classes there are,
and the learning rates of the head and the rest.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QTreeWidgetItem,
    QWidget,
)

from studio.i18n import translate
from studio.model.fine_tune.presenter import FineTuneView
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.forms.rate_box import RateBox

_MOST = 1_000_000


class FineTuneDialog(Dialog):
    """``changed`` carries how many parts are frozen, the classes, and the two rates."""

    changed = Signal(int, int, float, float)
    weights_requested = Signal()
    import_requested = Signal()
    apply_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        title = translate("FineTune", "Fine-tune")
        super().__init__(parent, "dialog.finetune", title, size=(620, 600))
        self._model = parts.label(
            self, "dialog.finetune.model", translate("FineTune", "Model"), wraps=True
        )
        self._weights = parts.label(
            self, "dialog.finetune.weights", translate("FineTune", "Weights"), wraps=True
        )
        self._build_parts()
        self._build_head()
        self._summary = parts.label(
            self, "dialog.finetune.summary", translate("FineTune", "Summary"), wraps=True
        )
        self._problem = parts.label(
            self, "dialog.finetune.problem", translate("FineTune", "Problem"), role="warning"
        )
        self._problem.setWordWrap(True)
        self.apply = parts.button(
            self,
            "dialog.finetune.apply",
            translate("FineTune", "Prepare model"),
            is_primary=True,
        )
        self.apply.clicked.connect(self._apply)
        self.apply.setToolTip(
            translate("FineTune", "Changes the model and its settings in a single undo step.")
        )
        self._lay_out()

    def _build_parts(self) -> None:
        self.slider = parts.named(
            QSlider(Qt.Orientation.Horizontal, self),
            "dialog.finetune.slider",
            translate("FineTune", "Freeze up to"),
        )
        self.slider.setToolTip(
            plain_tip(
                translate(
                    "FineTune",
                    "Frozen parts keep their weights and batch norm statistics. The less data "
                    "you have, the more you should freeze.",
                )
            )
        )
        self.slider.setPageStep(1)
        self.slider.valueChanged.connect(self._tell)
        self.parts = parts.tree_table(
            self,
            "dialog.finetune.parts",
            translate("FineTune", "Parts of the model"),
            (
                translate("FineTune", "Part"),
                translate("FineTune", "Parameters"),
                translate("FineTune", "State"),
            ),
        )
        self.parts.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.parts.itemClicked.connect(self._freeze_until)

    def _build_head(self) -> None:
        self.classes = parts.named(
            QSpinBox(self), "dialog.finetune.classes", translate("FineTune", "Classes")
        )
        self.classes.setRange(1, _MOST)
        self.classes.valueChanged.connect(self._tell)
        self.head_rate = RateBox(
            "dialog.finetune.head_rate",
            translate("FineTune", "Learning rate of the head"),
            translate("FineTune", "The head is new, so it can use a higher learning rate."),
            self,
        )
        self.rate = RateBox(
            "dialog.finetune.rate",
            translate("FineTune", "Learning rate of the rest"),
            translate(
                "FineTune",
                "Pretrained parts should change little: a tenth of the head's learning rate.",
            ),
            self,
        )
        for field in (self.head_rate, self.rate):
            field.valueChanged.connect(self._tell)

    def set_view(self, view: FineTuneView) -> None:
        """Show what is chosen and what comes of it."""
        self._model.setText(view.model)
        self._weights.setText(view.weights)
        self.classes.setToolTip(plain_tip(view.classes_help))
        for widget, value in ((self.head_rate, view.head_rate), (self.rate, view.rate)):
            with QSignalBlocker(widget):
                widget.setValue(value)
        with QSignalBlocker(self.classes):
            self.classes.setValue(view.classes)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(len(view.rows) - 1, 0))
            self.slider.setValue(view.frozen)
        self.rate.setEnabled(view.is_rate_used)
        self._show_rows(view.rows)
        self._summary.setText(view.summary)
        self._problem.setText(view.problem)
        self._problem.setVisible(bool(view.problem))
        self.apply.setEnabled(not view.problem)

    def _show_rows(self, rows: Sequence[tuple[str, str, str]]) -> None:
        while self.parts.topLevelItemCount() > len(rows):
            self.parts.takeTopLevelItem(self.parts.topLevelItemCount() - 1)
        for index, texts in enumerate(rows):
            item = self.parts.topLevelItem(index)
            if item is None:
                item = QTreeWidgetItem(self.parts)
                item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            for column, text in enumerate(texts):
                item.setText(column, text)

    def _freeze_until(self, item: QTreeWidgetItem) -> None:
        self.slider.setValue(self.parts.indexOfTopLevelItem(item) + 1)

    def _apply(self) -> None:
        for field in (self.classes, self.head_rate, self.rate):
            field.interpretText()  # what is being typed counts
        self.apply_requested.emit()

    def _tell(self) -> None:
        self.changed.emit(
            self.slider.value(), self.classes.value(), self.head_rate.value(), self.rate.value()
        )

    def _lay_out(self) -> None:
        weights = parts.button(
            self, "dialog.finetune.choose_weights", translate("FineTune", "Choose weights…")
        )
        weights.clicked.connect(self.weights_requested)
        other = parts.button(self, "dialog.finetune.import", translate("FineTune", "Other model…"))
        other.clicked.connect(self.import_requested)
        other.setToolTip(translate("FineTune", "Import a known model with pretrained weights."))
        cancel = parts.button(
            self, "dialog.finetune.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(translate("FineTune", "Model"), _row(self._model, other))
        form.addRow(translate("FineTune", "Weights"), _row(self._weights, weights))
        form.addRow(self.slider.accessibleName(), self.slider)
        column = parts.column(
            form, (self.parts, 1), margins=(16, 14, 16, 14), spacing=10, parent=self
        )
        after = QFormLayout()
        after.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for field in (self.classes, self.head_rate, self.rate):
            after.addRow(field.accessibleName(), field)
        column.addLayout(after)
        column.addWidget(self._summary)
        column.addWidget(self._problem)
        buttons = parts.row(None, cancel, self.apply)
        column.addLayout(buttons)


def _row(label: QLabel, button: QPushButton) -> QHBoxLayout:
    return parts.row((label, 1), button)
