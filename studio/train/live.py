"""Fields for the values of a run that can be changed while it goes on."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QLineEdit, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.view.run import LENGTH, LiveView
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip

_RATE = "optimizer.lr"
_RATE_WIDTH = 112
_FIRST = 2  # fields that are always there
_RATES_IN_ROW = 3


class LiveValues(QWidget):
    """One field for each value; Enter asks for a change. What is being typed is left alone."""

    value_entered = Signal(str, str)
    edits_switched = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("train.live")
        self.setAccessibleName(translate("Train", "Live settings"))
        self._fields: dict[str, QLineEdit] = {}
        self._titles: dict[str, PlainLabel] = {}
        self._error = parts.label(
            self, "train.live.error", translate("Train", "Setting error"), role="error"
        )
        self._error.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        row = parts.row(margins=(0, 0, 0, 0), spacing=8)
        column.addLayout(row)
        self._further = QGridLayout()  # the learning rates of further phases
        self._further.setHorizontalSpacing(8)
        self._further.setColumnStretch(2 * _RATES_IN_ROW, 1)
        column.addLayout(self._further)
        for name, title, help_text, width in (
            (_RATE, translate("Train", "Learning rate"), "", _RATE_WIDTH),
            (
                LENGTH,
                translate("Train", "Length"),
                translate("Train", "Press Enter to make the run longer or shorter"),
                64,
            ),
        ):
            self._add(name, title, help_text, width)
            row.addWidget(self._titles[name])
            row.addWidget(self._fields[name])
            row.addSpacing(8)
        self._edits = parts.check_box(
            self,
            "train.live.edits",
            translate("Train", "Apply edits now"),
            translate(
                "Train",
                "While this is on, edits of the recipe, and of dropout and frozen layers in the "
                "model, take effect in this run after its current step and are marked on the "
                "curve. Fields that can do this say so; all others apply to the next run. Undo "
                "sets the value back.",
            ),
        )
        self._edits.toggled.connect(self.edits_switched)
        row.addWidget(self._edits)
        row.addSpacing(8)
        row.addWidget(self._error, 1)
        self.set_view(LiveView())

    def set_view(self, view: LiveView) -> None:
        """Show values; without any there is nothing to be seen."""
        self.setVisible(bool(view.values))
        if not view.values:
            self._edits.setChecked(False)  # what is edited for the next run must not surprise it
        self._error.setText(view.error)
        if view.values:
            self._show_rates(view)
            self._name(LENGTH, view.length_title, view.length_title)
        for name, edit in self._fields.items():
            text = view.values.get(name, "")
            is_typed = edit.hasFocus() and edit.isModified()
            if not is_typed and edit.text() != text:
                edit.setText(text)

    def _show_rates(self, view: LiveView) -> None:
        """Show a field for the learning rate of each phase."""
        for name, rate in view.rates.items():
            if name not in self._fields:
                row, place = divmod(len(self._fields) - _FIRST, _RATES_IN_ROW)
                self._add(name, rate.title, "", _RATE_WIDTH)
                self._further.addWidget(self._titles[name], row, 2 * place)
                self._further.addWidget(self._fields[name], row, 2 * place + 1)
            self._name(name, rate.short, rate.title)
            self._fields[name].setToolTip(plain_tip(rate.help))
        for name in self._fields:
            is_shown = name in view.rates or name in (_RATE, LENGTH)
            self._titles[name].setVisible(is_shown)
            self._fields[name].setVisible(is_shown)

    def _add(self, name: str, title: str, help_text: str, width: int) -> None:
        edit = parts.line_edit(self, f"train.live.{name}", title, tip=help_text)
        edit.setFixedWidth(width)
        edit.returnPressed.connect(
            lambda name=name, edit=edit: self.value_entered.emit(name, edit.text())
        )
        self._titles[name] = parts.label(self, f"train.live.{name}.title", text=title, role="muted")
        self._fields[name] = edit

    def _name(self, field: str, short: str, title: str) -> None:
        label, edit = self._titles[field], self._fields[field]
        if label.text() != short or label.accessibleName() != title:
            label.setText(short)
            label.setAccessibleName(title)
            edit.setAccessibleName(title)

    def accept(self, name: str) -> None:
        """Take a field as set: it shows the value of the run again."""
        self._fields[name].setModified(False)
        self._fields[name].selectAll()
