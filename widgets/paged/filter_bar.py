"""Filter of rows: its conditions as chips that can be removed, and a line that adds one."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.live_widget import LiveWidget
from widgets.common.text import plain_tip
from widgets.paged.filter_view import FilterField, FilterValue

_LONGEST_CHIP = 40  # characters
_WIDTH = 170


class FilterBar(LiveWidget):
    """Shows conditions and makes new ones. ``values_requested`` asks for the values of a category
    by its key; ``removed`` gives the number of a condition.
    """

    values_requested = Signal(str)
    added = Signal(FilterValue)
    removed = Signal(int)
    cleared = Signal()

    def __init__(self, object_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = object_name
        self.setObjectName(object_name)
        self._fields: tuple[FilterField, ...] = ()
        self._chips: tuple[str, ...] = ()
        self._chip_row = QWidget(self)
        self._chip_layout = QHBoxLayout(self._chip_row)
        self._chip_layout.setContentsMargins(0, 0, 0, 0)
        self._editor = QWidget(self)
        self._build_editor(object_name)
        parts.column(self._chip_row, self._editor, margins=(12, 0, 12, 4), spacing=4, parent=self)
        self._editor.hide()
        self._update_visibility()
        self.retranslate()

    def _build_editor(self, name: str) -> None:
        self.column = parts.combo(self._editor, f"{name}.column")
        self.relation = parts.combo(self._editor, f"{name}.relation")
        self._values = QStackedWidget(self._editor)
        self.value = parts.combo(self._values, f"{name}.value")
        self.text = parts.line_edit(self._values, f"{name}.text")
        self._ends = QWidget(self._values)
        self.low = parts.line_edit(self._ends, f"{name}.low")
        self.high = parts.line_edit(self._ends, f"{name}.high")
        self._to = parts.label(self._ends, text="–")
        parts.row(self.low, self._to, self.high, margins=(0, 0, 0, 0), spacing=4, parent=self._ends)
        self._nothing = QWidget(self._values)
        for page in (self.value, self.text, self._ends, self._nothing):
            self._values.addWidget(page)
        for widget in (self.column, self._values):
            widget.setFixedWidth(_WIDTH)
        self._values.setFixedHeight(self.text.sizeHint().height())
        self.add = parts.button(
            self._editor, f"{name}.add", icon="add", clicked=self._add_condition
        )
        self.close_editor = parts.tool_button(
            self._editor,
            f"{name}.close",
            icon="close",
            clicked=lambda: self.set_editing(is_on=False),
        )
        parts.row(
            self.column,
            self.relation,
            self._values,
            self.add,
            self.close_editor,
            None,
            margins=(0, 0, 0, 0),
            spacing=6,
            parent=self._editor,
        )
        self.column.currentIndexChanged.connect(self._on_column_changed)
        self.relation.currentIndexChanged.connect(self._show_value)
        for line in (self.text, self.low, self.high):
            line.textChanged.connect(self._update_add)
            line.returnPressed.connect(self._add_condition)

    def set_fields(self, fields: Sequence[FilterField]) -> None:
        """Offer other columns."""
        if tuple(fields) == self._fields:
            return
        self._fields = tuple(fields)
        chosen = self.column.currentData()
        keys = [field.key for field in fields]
        choices = [(field.key, field.title) for field in fields]
        parts.set_choices(
            self.column, choices, chosen if chosen in keys else (keys[0] if keys else "")
        )
        self._on_column_changed()

    def set_chips(self, chips: Sequence[str]) -> None:
        """Show the conditions that hold, in words."""
        if tuple(chips) == self._chips:
            return
        self._chips = tuple(chips)
        while self._chip_layout.count():
            item = self._chip_layout.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for at, text in enumerate(self._chips):
            self._chip_layout.addWidget(self._chip(at, text))
        if len(self._chips) > 1:
            clear = parts.button(
                self._chip_row, f"{self._name}.clear", self.tr("Remove all"), clicked=self.cleared
            )
            clear.setProperty("flat", "true")
            self._chip_layout.addWidget(clear)
        self._chip_layout.addStretch(1)
        self._update_visibility()

    def set_values(self, key: str, values: Sequence[tuple[str, str]]) -> None:
        """Offer the values of a category: each with the text that is shown."""
        if key == self.column.currentData():
            parts.set_choices(self.value, values, values[0][0] if values else "")
            self._update_add()

    def set_editing(self, *, is_on: bool) -> None:
        """Show or hide the line that adds a condition."""
        self._editor.setVisible(is_on)
        self._update_visibility()
        if is_on:
            self._on_column_changed()
            self.column.setFocus()

    @property
    def is_editing(self) -> bool:
        """Whether a condition can be put together."""
        return not self._editor.isHidden()

    def _chip(self, at: int, text: str) -> QWidget:
        shown = text if len(text) <= _LONGEST_CHIP else f"{text[: _LONGEST_CHIP - 1]}…"
        chip = parts.button(
            self._chip_row,
            f"{self._name}.chip{at}",
            shown.replace("&", "&&"),
            icon="close",
            role="muted",
            tip=self.tr("Remove the condition: {condition}").format(condition=text),
            clicked=lambda: self.removed.emit(at),
        )
        chip.setAccessibleName(text)
        return chip

    def _kind(self) -> str:
        key = self.column.currentData()
        return next((field.kind for field in self._fields if field.key == key), "text")

    def _on_column_changed(self) -> None:
        kind = self._kind()
        relations = {
            "category": [("is", self.tr("is")), ("is not", self.tr("is not"))],
            "number": [
                ("between", self.tr("is between")),
                ("between not", self.tr("is not between")),
            ],
            "text": [
                ("contains", self.tr("contains")),
                ("contains not", self.tr("does not contain")),
            ],
        }[kind]
        missing = [
            ("missing", self.tr("is missing")),
            ("missing not", self.tr("is not missing")),
        ]
        parts.set_choices(self.relation, relations + missing, relations[0][0])
        if kind == "category":
            parts.set_choices(self.value, (), "")
            if self.is_editing:
                self.values_requested.emit(str(self.column.currentData()))
        self._show_value()

    def _show_value(self) -> None:
        relation = str(self.relation.currentData() or "").split(" ")[0]
        page = {"is": self.value, "contains": self.text, "between": self._ends}
        self._values.setCurrentWidget(page.get(relation, self._nothing))
        self._values.setVisible(relation in page)
        self._update_add()

    def _update_add(self) -> None:
        self.add.setEnabled(self._condition() is not None)

    def _condition(self) -> FilterValue | None:
        """Return what was put together, None where something is missing."""
        kind, _, is_not = str(self.relation.currentData() or "").partition(" ")
        key, negative = str(self.column.currentData() or ""), bool(is_not)
        match kind:
            case "is" if self.value.currentIndex() >= 0:
                values = (str(self.value.currentData()),)
                return FilterValue(key=key, kind="is", values=values, is_not=negative)
            case "contains" if self.text.text().strip():
                text = self.text.text().strip()
                return FilterValue(key=key, kind="contains", text=text, is_not=negative)
            case "missing" if key:
                return FilterValue(key=key, kind="missing", is_not=negative)
            case "between":
                ends = [_end(line.text()) for line in (self.low, self.high)]
                if any(end != end for end in ends) or ends == [None, None]:  # noqa: PLR0124 - NaN
                    return None
                return FilterValue(
                    key=key, kind="between", low=ends[0], high=ends[1], is_not=negative
                )
            case _:
                return None

    def _add_condition(self) -> None:
        condition = self._condition()
        if condition is not None:
            for line in (self.text, self.low, self.high):
                line.clear()
            self.added.emit(condition)

    def _update_visibility(self) -> None:
        self._chip_row.setVisible(bool(self._chips))
        self.setVisible(bool(self._chips) or self.is_editing)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_editing:
            self.set_editing(is_on=False)
        else:
            super().keyPressEvent(event)

    @override
    def retranslate(self) -> None:
        names = (
            (self.column, self.tr("Column to filter by")),
            (self.relation, self.tr("Condition")),
            (self.value, self.tr("Value")),
            (self.text, self.tr("Text")),
            (self.low, self.tr("Lowest value")),
            (self.high, self.tr("Highest value")),
            (self.close_editor, self.tr("Close")),
        )
        for widget, name in names:
            widget.setAccessibleName(name)
            widget.setToolTip(plain_tip(name))
        self.low.setPlaceholderText(self.tr("from"))
        self.high.setPlaceholderText(self.tr("to"))
        self.add.setText(self.tr("Add"))
        self.add.setAccessibleName(self.tr("Add the condition"))
        self.add.setToolTip(self.tr("Show only rows that meet this condition too"))


def _end(text: str) -> float | None:
    """Return the number of an end, None where it is open, NaN where it is no number."""
    if not text.strip():
        return None
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return float("nan")
