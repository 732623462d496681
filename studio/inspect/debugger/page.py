"""Page of the debugger: breakpoints, where the run stands, and the tensors there."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from studio.i18n import translate
from studio.inspect.debugger.presenter import DebuggerView, kinds
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_KIND = 10  # characters of the kind of breakpoint that are always seen


class DebuggerPage(PageWidget):
    """``step_requested`` names what is stepped over, or is ``continue``; ``add_requested`` gives
    the kind of a breakpoint; ``condition_changed`` says that the condition is to be applied to the
    selected one, ``from_requested`` that the values are to be shown from the index that is typed;
    ``write_requested`` gives an expression; ``value_chosen`` a flat index, or None.
    """

    step_requested = Signal(str)
    add_requested = Signal(str)
    kind_changed = Signal()
    value_typed = Signal(str)
    condition_typed = Signal(str)
    condition_changed = Signal()
    write_requested = Signal(str)
    first_typed = Signal(str)
    from_requested = Signal()
    tensor_chosen = Signal(str)
    value_chosen = Signal(object)
    points_chosen = Signal(tuple)
    menu_requested = Signal(list, QPoint)
    switch_requested = Signal(int)
    delete_requested = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.debugger", translate("Debugger", "Debugger"), parent)
        self.steps: dict[str, QPushButton] = {}

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addLayout(parts.row(*self._step_buttons(), None, margins=(12, 10, 12, 4), spacing=6))
        title = translate("Debugger", "Current position")
        self.where = parts.label(self, "debugger.where", title)
        self.where.setContentsMargins(12, 0, 12, 4)
        column.addWidget(self.where)
        yield
        title = translate("Debugger", "Debugger panels")
        panels = parts.splitter(self, "debugger.splitter", title)
        column.addWidget(panels, 1)
        panels.addWidget(self._points_panel())
        yield
        right = QWidget(panels)
        name = "debugger.tensors_splitter"
        self._seen = parts.splitter(self, name, title, is_vertical=True)
        stack = parts.column(self._seen, margins=(0, 0, 0, 0), parent=right)
        title = translate("Debugger", "The run is not paused")
        self.add_empty(stack, "bug", "debugger.empty", title, instead_of=(self._seen, self.where))
        yield
        self.tensors = TableView("debugger.tensors", self._seen)
        self.tensors.setAccessibleName(translate("Debugger", "Tensors"))
        self.tensors.selection_changed.connect(
            lambda ids: self.tensor_chosen.emit(ids[0] if len(ids) == 1 else "")
        )
        yield
        self._seen.addWidget(self._values_panel())
        self._seen.setSizes([320, 260])
        panels.setSizes([330, 900])

    def set_view(self, view: DebuggerView) -> None:
        """Show the breakpoints, where the run stands, and its tensors."""
        self.set_empty(view.empty)
        for button in self.steps.values():
            button.setEnabled(view.is_running)
        self.where.setText(view.where)
        self.condition.setEnabled(view.can_limit)
        for edit, text in (
            (self.condition, view.condition),
            (self.value, view.typed),
            (self.first, view.first),
        ):
            if edit.text() != text:
                with QSignalBlocker(edit):
                    edit.setText(text)
        for label, text in ((self.problem, view.problem), (self.wrong, view.value_problem)):
            label.setText(text)
            label.setVisible(bool(text))
        self.span.setText(view.span)
        self._span.setVisible(bool(view.span))
        self.target.setText(view.target)
        self.expression.setEnabled(view.can_write)
        self.set.setEnabled(view.can_write)
        _show(self.points, view.points)
        _show(self.tensors, view.tensors)
        _show(self.values, view.values)

    def _step_buttons(self) -> Iterator[QPushButton]:
        for over, text, tip in (
            (
                "continue",
                translate("Debugger", "Continue"),
                translate("Debugger", "Continue to the next breakpoint (F8)"),
            ),
            (
                "layer",
                translate("Debugger", "Layer"),
                translate("Debugger", "Run this layer and stop before the next one (F7)"),
            ),
            (
                "function",
                translate("Debugger", "Function"),
                translate("Debugger", "Stop before the next backward Function (Shift+F7)"),
            ),
            (
                "optimizer",
                translate("Debugger", "Optimizer"),
                translate("Debugger", "Stop before the optimizer updates the weights, then after"),
            ),
            (
                "batch",
                translate("Debugger", "Batch"),
                translate("Debugger", "Stop before the first layer of the next batch (F10)"),
            ),
            (
                "epoch",
                translate("Debugger", "Epoch"),
                translate("Debugger", "Stop before the first layer of the next epoch"),
            ),
        ):
            icon = "play" if over == "continue" else "step"
            button = parts.button(self, f"debugger.{over}", text, icon=icon, tip=tip)
            button.clicked.connect(lambda _=False, over=over: self.step_requested.emit(over))
            self.steps[over] = button
            yield button

    def _points_panel(self) -> QWidget:
        panel = QWidget(self)
        self.points = TableView("debugger.points", panel)
        self.points.setAccessibleName(translate("Debugger", "Breakpoints"))
        self.points.selection_changed.connect(
            lambda ids: self.points_chosen.emit(tuple(map(int, ids)))
        )
        self.points.menu_requested.connect(self.menu_requested)
        self.points.row_activated.connect(lambda key: self.switch_requested.emit(int(key)))
        self.points.delete_requested.connect(self.delete_requested)
        only_if = parts.label(panel, "debugger.only_if", text=translate("Debugger", "Only if"))
        self.condition = parts.line_edit(
            panel,
            "debugger.condition",
            translate("Debugger", "Breakpoint condition"),
            placeholder=translate("Debugger", "loss > 3 and hits >= 10"),
            tip=translate(
                "Debugger",
                "The run stops at the selected breakpoint only if this condition is true "
                "(press Enter to apply). Use numbers, comparisons, and, or, not, with "
                "step, epoch, loss, grad_norm (the last computed value), nan (a value here "
                "is not finite) and hits (how often the run has reached this point).",
            ),
            is_clearable=True,
        )
        self.condition.setEnabled(False)
        self.condition.textChanged.connect(self.condition_typed)
        self.condition.returnPressed.connect(self.condition_changed)
        only_if.setBuddy(self.condition)
        self.problem = self._error_label(
            panel, "problem", translate("Debugger", "Breakpoint error")
        )
        self._build_new_point(panel)
        margins = (8, 0, 8, 0)
        parts.column(
            (self.points, 1),
            parts.row(only_if, (self.condition, 1), margins=margins),
            self.problem,
            parts.row((self.kind, 3), (self.value, 2), self.add, margins=margins),
            margins=(0, 0, 0, 8),
            parent=panel,
        )
        return panel

    def _build_new_point(self, panel: QWidget) -> None:
        self.kind = parts.combo(
            panel,
            "debugger.kind",
            translate("Debugger", "Breakpoint type"),
            translate("Debugger", "What stops the run"),
        )
        self.kind.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.kind.setMinimumContentsLength(_KIND)
        for kind, text, _ in kinds():
            self.kind.addItem(text, kind)
        title = translate("Debugger", "Breakpoint value")
        self.value = parts.line_edit(panel, "debugger.value", title)
        self.value.textChanged.connect(self.value_typed)
        self.value.returnPressed.connect(self._add)
        self.add = parts.button(
            panel, "debugger.add", translate("Debugger", "Add"), clicked=self._add
        )
        self.add.setAccessibleName(translate("Debugger", "Add breakpoint"))
        self.kind.currentIndexChanged.connect(self._on_kind)
        self._on_kind(0)

    def _values_panel(self) -> QWidget:
        panel = QWidget(self._seen)
        self.values = TableView("debugger.values", panel)
        self.values.setAccessibleName(translate("Debugger", "Values of the tensor"))
        self.values.selection_changed.connect(
            lambda ids: self.value_chosen.emit(int(ids[0]) if len(ids) == 1 else None)
        )
        self._span = self._span_row(panel)
        self.target = parts.label(panel, "debugger.target", role="muted")
        self.expression = parts.line_edit(
            panel,
            "debugger.expression",
            translate("Debugger", "New value"),
            placeholder=translate("Debugger", "0.5, x * 2, clamp(x, 0, 1)…"),
            tip=translate(
                "Debugger",
                "Use numbers, x (the current values) and functions such as zeros_like(x). If a "
                "row is selected above, only that value changes.",
            ),
        )
        self.expression.returnPressed.connect(self._write)
        self.set = parts.button(
            panel, "debugger.set", translate("Debugger", "Set"), clicked=self._write
        )
        self.set.setAccessibleName(translate("Debugger", "Set value"))
        self.wrong = self._error_label(panel, "wrong", translate("Debugger", "Value error"))
        parts.column(
            (self.values, 1),
            self._span,
            parts.row(self.target, (self.expression, 1), self.set, margins=(8, 0, 8, 0)),
            self.wrong,
            margins=(0, 0, 0, 8),
            parent=panel,
        )
        return panel

    def _span_row(self, panel: QWidget) -> QWidget:
        title = translate("Debugger", "Values shown")
        result = parts.named(QWidget(panel), "debugger.span", title)
        self.span = parts.label(result, "debugger.span.text", role="muted")
        self.first: QLineEdit = parts.line_edit(
            result,
            "debugger.first",
            translate("Debugger", "Index of the first value"),
            placeholder="[0, 3]",
            tip=translate(
                "Debugger",
                "Show values starting at this index (press Enter to apply), such as 0, 3",
            ),
        )
        self.first.textChanged.connect(self.first_typed)
        self.first.returnPressed.connect(self.from_requested)
        self.span.setBuddy(self.first)
        parts.row(self.span, (self.first, 1), margins=(8, 4, 8, 0), parent=result)
        result.hide()
        return result

    def _error_label(self, panel: QWidget, name: str, title: str) -> PlainLabel:
        result = parts.label(panel, f"debugger.{name}", title, role="error", wraps=True)
        result.setContentsMargins(10, 0, 10, 0)
        result.hide()
        return result

    def _on_kind(self, index: int) -> None:
        example = kinds()[index][2]
        self.value.setVisible(bool(example))
        self.value.setPlaceholderText(example)
        self.kind_changed.emit()

    def _add(self) -> None:
        self.add_requested.emit(self.kind.currentData())

    def _write(self) -> None:
        if self.expression.text().strip():
            self.write_requested.emit(self.expression.text())


def _show(table: TableView, data: TableData) -> None:
    if data != table.model.table:
        table.set_data(data)
