"""Dialogs of low-rank adaptation: the numbers of new blocks, and whose weights are meant."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QSpinBox, QWidget

from engine.graph.edit.lora import MOST_RANK
from studio.i18n import translate
from studio.run_choice.bar import RunChoice
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip

_MARGINS = (20, 18, 20, 16)
_MOST_ALPHA = 100_000.0


class LoraDialog(Dialog):
    """``changed`` tells that a number is another one; ``confirmed`` that the blocks shall be."""

    changed = Signal()
    confirmed = Signal()

    def __init__(self, parent: QWidget, text: str) -> None:
        super().__init__(parent, "dialog.lora", translate("Lora", "Add LoRA"), is_modal=True)
        about = parts.label(self, "dialog.lora.text", text=text, wraps=True)
        about.setMinimumWidth(440)
        self.rank = parts.named(
            QSpinBox(self),
            "dialog.lora.rank",
            translate("Lora", "LoRA rank"),
            translate("Lora", "The size between lora_A and lora_B. More can learn more."),
        )
        self.rank.setRange(1, MOST_RANK)
        self.rank.setValue(8)
        self.alpha = self._number(
            "alpha", translate("Lora", "Alpha"), (0.01, _MOST_ALPHA, 16.0, 1.0)
        )
        self.alpha.setToolTip(
            translate("Lora", "The output of the pair is multiplied by alpha / rank.")
        )
        self.dropout = self._number("dropout", translate("Lora", "Dropout"), (0.0, 0.99, 0.0, 0.05))
        self.dropout.setToolTip(
            plain_tip(
                translate("Lora", "Dropout before lora_A, in training only. Embeddings have none.")
            )
        )
        self.freeze: QCheckBox = parts.check_box(
            self, "dialog.lora.freeze", translate("Lora", "Freeze all other layers")
        )
        self.freeze.setChecked(True)
        self._count = parts.label(
            self, "dialog.lora.count", translate("Lora", "Trained parameters"), wraps=True
        )
        self.rank.valueChanged.connect(self.changed)
        self.alpha.valueChanged.connect(self.changed)
        self.dropout.valueChanged.connect(self.changed)
        self.freeze.toggled.connect(self.changed)
        self._lay_out(about)
        self.set_count(translate("Lora", "Counting parameters…"))
        self.rank.setFocus()
        self.rank.selectAll()

    def set_count(self, text: str) -> None:
        """Show how many parameters would be trained."""
        self._count.setText(text)
        self.adjustSize()

    def _number(
        self, name: str, title: str, range_value_step: tuple[float, float, float, float]
    ) -> QDoubleSpinBox:
        least, most, value, step = range_value_step
        box = parts.named(QDoubleSpinBox(self), f"dialog.lora.{name}", title)
        box.setRange(least, most)
        box.setSingleStep(step)
        box.setValue(value)
        return box

    def _lay_out(self, about: QWidget) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for box in (self.rank, self.alpha, self.dropout):
            form.addRow(box.accessibleName(), box)
        cancel = parts.button(
            self, "dialog.lora.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        apply = parts.button(
            self,
            "dialog.lora.apply",
            translate("Lora", "Add LoRA"),
            is_primary=True,
            clicked=self._apply,
        )
        apply.setDefault(True)
        parts.column(
            about,
            form,
            self.freeze,
            self._count,
            parts.row(None, cancel, apply),
            margins=_MARGINS,
            spacing=14,
            parent=self,
        )

    def _apply(self) -> None:
        for box in (self.rank, self.alpha, self.dropout):
            box.interpretText()  # what is being typed counts
        self.accept()
        self.confirmed.emit()


class LoraWeightsDialog(Dialog):
    """Asks whose weights are meant; ``confirmed`` carries the run and the checkpoint, both empty
    for the weights that the project starts from.
    """

    confirmed = Signal(str, str)

    def __init__(self, parent: QWidget, title: str, text: str, verb: str) -> None:
        super().__init__(parent, "dialog.lora_weights", title, is_modal=True)
        self._checkpoints: Mapping[str, Sequence[tuple[str, str]]] = {}
        about = parts.label(self, "dialog.lora_weights.text", text=text, wraps=True)
        about.setMinimumWidth(440)
        self.choice = RunChoice("dialog.lora_weights", self)
        self.choice.run_changed.connect(self._show)
        cancel = parts.button(
            self, "dialog.lora_weights.cancel", translate("Dialog", "Cancel"), clicked=self.reject
        )
        self.apply = parts.button(
            self, "dialog.lora_weights.apply", verb, is_primary=True, clicked=self._apply
        )
        self.apply.setDefault(True)
        self.apply.setEnabled(False)
        parts.column(
            about,
            parts.row(self.choice, None),
            parts.row(None, cancel, self.apply),
            margins=_MARGINS,
            spacing=14,
            parent=self,
        )

    def set_choices(
        self,
        runs: Sequence[tuple[str, str]],
        checkpoints: Mapping[str, Sequence[tuple[str, str]]],
    ) -> None:
        """Offer runs (id and name) with the checkpoints of each (key and text)."""
        self._checkpoints = checkpoints
        self.choice.set_runs(runs, "")
        self._show()

    def _show(self) -> None:
        self.choice.set_checkpoints(self._checkpoints.get(self.choice.run, ()))
        self.apply.setEnabled(bool(self._checkpoints))
        self.adjustSize()

    def _apply(self) -> None:
        self.accept()
        is_run = self.choice.run != START
        self.confirmed.emit(*((self.choice.run, self.choice.checkpoint) if is_run else ("", "")))


START = "start"
"""The key of the weights that the project starts from, among the ids of runs."""
