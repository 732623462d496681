"""Page of the debugger: breakpoints, where the run stands, and the tensors there."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.debugger.presenter import kinds
from studio.window.page import PageWidget
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_KIND = 10  # characters of the kind of breakpoint that are always seen


@dataclass(frozen=True, kw_only=True)
class DebuggerChoice:
    """What is selected: breakpoints by their numbers, a tensor by its key, a value by its flat
    index and the text of its index. Without one, or with several, tensor and value are empty.
    """

    points: tuple[int, ...]
    tensor: str
    value: int | None
    index: str


class DebuggerPage(PageWidget):
    """``step_requested`` names what is stepped over, or is ``continue``; ``add_requested`` gives
    the kind of a breakpoint and what was typed; ``condition_changed`` the condition of the one that
    is selected; ``write_requested`` an expression; ``from_requested`` the index of the first value
    that is to be shown.
    """

    step_requested = Signal(str)
    add_requested = Signal(str, str)
    condition_changed = Signal(str)
    write_requested = Signal(str)
    from_requested = Signal(str)
    tensor_chosen = Signal()
    value_chosen = Signal()
    point_chosen = Signal()
    menu_requested = Signal(list, QPoint)
    switch_requested = Signal(int)
    delete_requested = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.debugger", translate("Debugger", "Debugger"), parent)
        self.steps: dict[str, QPushButton] = {}

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 10, 12, 4)
        bar.setSpacing(6)
        self._fill_bar(bar)
        column.addLayout(bar)
        self.where = PlainLabel(self)
        self.where.setObjectName("debugger.where")
        self.where.setAccessibleName(translate("Debugger", "Current position"))
        self.where.setContentsMargins(12, 0, 12, 4)
        column.addWidget(self.where)
        yield
        whole = self._splitter("debugger.splitter", Qt.Orientation.Horizontal)
        column.addWidget(whole, 1)
        whole.addWidget(self._points_panel())
        yield
        right = QWidget(whole)
        self._seen = self._splitter("debugger.tensors_splitter", Qt.Orientation.Vertical)
        stack = QVBoxLayout(right)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(self._seen)
        title = translate("Debugger", "The run is not paused")
        self.add_empty(stack, "bug", "debugger.empty", title, instead_of=(self._seen, self.where))
        yield
        self.tensors = TableView("debugger.tensors", self._seen)
        self.tensors.setAccessibleName(translate("Debugger", "Tensors"))
        self.tensors.selection_changed.connect(lambda _: self.tensor_chosen.emit())
        yield
        self._seen.addWidget(self._values_panel())
        self._seen.setSizes([320, 260])
        whole.setSizes([330, 900])

    def _splitter(self, name: str, orientation: Qt.Orientation) -> QSplitter:
        splitter = QSplitter(orientation, self)
        splitter.setObjectName(name)
        splitter.setAccessibleName(translate("Debugger", "Debugger panels"))
        splitter.setChildrenCollapsible(False)
        return splitter

    def _fill_bar(self, bar: QHBoxLayout) -> None:
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
            button = QPushButton(text, self)
            button.setObjectName(f"debugger.{over}")
            button.setAccessibleName(text)
            button.setToolTip(tip)
            set_icon(button, "play" if over == "continue" else "step")
            button.clicked.connect(lambda _=False, over=over: self.step_requested.emit(over))
            self.steps[over] = button
            bar.addWidget(button)
        bar.addStretch(1)

    def _points_panel(self) -> QWidget:
        panel = QWidget(self)
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 8)
        self.points = TableView("debugger.points", panel)
        self.points.setAccessibleName(translate("Debugger", "Breakpoints"))
        self.points.selection_changed.connect(lambda _: self.point_chosen.emit())
        self.points.menu_requested.connect(self.menu_requested)
        self.points.row_activated.connect(lambda key: self.switch_requested.emit(int(key)))
        self.points.delete_requested.connect(self.delete_requested)
        column.addWidget(self.points, 1)
        column.addLayout(self._condition_row(panel))
        self.problem = PlainLabel(panel)
        self.problem.setObjectName("debugger.problem")
        self.problem.setAccessibleName(translate("Debugger", "Breakpoint error"))
        self.problem.setProperty("role", "error")
        self.problem.setWordWrap(True)
        self.problem.setContentsMargins(10, 0, 10, 0)
        self.problem.hide()
        column.addWidget(self.problem)
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        self.kind = QComboBox(panel)
        self.kind.setObjectName("debugger.kind")
        self.kind.setAccessibleName(translate("Debugger", "Breakpoint type"))
        self.kind.setToolTip(translate("Debugger", "What stops the run"))
        self.kind.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.kind.setMinimumContentsLength(_KIND)
        for kind, text, _ in kinds():
            self.kind.addItem(text, kind)
        self.value = QLineEdit(panel)
        self.value.setObjectName("debugger.value")
        self.value.setAccessibleName(translate("Debugger", "Breakpoint value"))
        self.value.returnPressed.connect(self._add)
        self.add = QPushButton(translate("Debugger", "Add"), panel)
        self.add.setObjectName("debugger.add")
        self.add.setAccessibleName(translate("Debugger", "Add breakpoint"))
        self.add.clicked.connect(self._add)
        self.kind.currentIndexChanged.connect(self._on_kind)
        self._on_kind(0)
        row.addWidget(self.kind, 3)
        row.addWidget(self.value, 2)
        row.addWidget(self.add)
        column.addLayout(row)
        return panel

    def _condition_row(self, panel: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        label = PlainLabel(translate("Debugger", "Only if"), panel)
        label.setObjectName("debugger.only_if")
        self.condition = QLineEdit(panel, clearButtonEnabled=True)
        self.condition.setObjectName("debugger.condition")
        self.condition.setAccessibleName(translate("Debugger", "Breakpoint condition"))
        self.condition.setPlaceholderText(translate("Debugger", "loss > 3 and hits >= 10"))
        self.condition.setToolTip(
            translate(
                "Debugger",
                "The run stops at the selected breakpoint only if this condition is true "
                "(press Enter to apply). Use numbers, comparisons, and, or, not, with "
                "step, epoch, loss, grad_norm (the last computed value), nan (a value here "
                "is not finite) and hits (how often the run has reached this point).",
            )
        )
        self.condition.setEnabled(False)
        self.condition.returnPressed.connect(
            lambda: self.condition_changed.emit(self.condition.text().strip())
        )
        label.setBuddy(self.condition)
        row.addWidget(label)
        row.addWidget(self.condition, 1)
        return row

    def _values_panel(self) -> QWidget:
        panel = QWidget(self._seen)
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 8)
        self.values = TableView("debugger.values", panel)
        self.values.setAccessibleName(translate("Debugger", "Values of the tensor"))
        self.values.selection_changed.connect(lambda _: self.value_chosen.emit())
        column.addWidget(self.values, 1)
        column.addWidget(self._span_row(panel))
        row = QHBoxLayout()
        row.setContentsMargins(8, 0, 8, 0)
        self.target = PlainLabel(panel)
        self.target.setObjectName("debugger.target")
        self.target.setProperty("role", "muted")
        self.expression = QLineEdit(panel)
        self.expression.setObjectName("debugger.expression")
        self.expression.setAccessibleName(translate("Debugger", "New value"))
        self.expression.setPlaceholderText(translate("Debugger", "0.5, x * 2, clamp(x, 0, 1)…"))
        tip = translate(
            "Debugger",
            "Use numbers, x (the current values) and functions such as zeros_like(x). If a "
            "row is selected above, only that value changes.",
        )
        self.expression.setToolTip(tip)
        self.expression.returnPressed.connect(self._write)
        self.set = QPushButton(translate("Debugger", "Set"), panel)
        self.set.setObjectName("debugger.set")
        self.set.setAccessibleName(translate("Debugger", "Set value"))
        self.set.clicked.connect(self._write)
        row.addWidget(self.target)
        row.addWidget(self.expression, 1)
        row.addWidget(self.set)
        column.addLayout(row)
        self.wrong = PlainLabel(panel)
        self.wrong.setObjectName("debugger.wrong")
        self.wrong.setAccessibleName(translate("Debugger", "Value error"))
        self.wrong.setProperty("role", "error")
        self.wrong.setWordWrap(True)
        self.wrong.setContentsMargins(10, 0, 10, 0)
        self.wrong.hide()
        column.addWidget(self.wrong)
        return panel

    def _span_row(self, panel: QWidget) -> QWidget:
        self._span = QWidget(panel)
        self._span.setObjectName("debugger.span")
        self._span.setAccessibleName(translate("Debugger", "Values shown"))
        row = QHBoxLayout(self._span)
        row.setContentsMargins(8, 4, 8, 0)
        self.span = PlainLabel(self._span)
        self.span.setObjectName("debugger.span.text")
        self.span.setProperty("role", "muted")
        self.first = QLineEdit(self._span)
        self.first.setObjectName("debugger.first")
        self.first.setAccessibleName(translate("Debugger", "Index of the first value"))
        self.first.setPlaceholderText("[0, 3]")
        self.first.setToolTip(
            translate(
                "Debugger",
                "Show values starting at this index (press Enter to apply), such as 0, 3",
            )
        )
        self.first.returnPressed.connect(lambda: self.from_requested.emit(self.first.text()))
        self.span.setBuddy(self.first)
        row.addWidget(self.span)
        row.addWidget(self.first, 1)
        self._span.hide()
        return self._span

    def _on_kind(self, index: int) -> None:
        example = kinds()[index][2]
        self.value.setVisible(bool(example))
        self.value.setPlaceholderText(example)
        self.show_problem("")

    def _add(self) -> None:
        self.add_requested.emit(self.kind.currentData(), self.value.text())

    def _write(self) -> None:
        if self.expression.text().strip():
            self.write_requested.emit(self.expression.text())

    @property
    def chosen(self) -> DebuggerChoice:
        """What is selected in the tables."""
        tensors, values = self.tensors.selected_ids(), self.values.selected_ids()
        value = values[0] if len(values) == 1 else ""
        rows = {row.id: row.cells[0] for row in self.values.model.table.rows}
        return DebuggerChoice(
            points=tuple(map(int, self.points.selected_ids())),
            tensor=tensors[0] if len(tensors) == 1 else "",
            value=int(value) if value else None,
            index=str(rows[value]) if value else "",
        )

    @property
    def example(self) -> str:
        """What can be typed for the chosen kind of breakpoint."""
        return self.value.placeholderText()

    def clear_value(self) -> None:
        """Empty the line of the breakpoint: it was added."""
        self.value.clear()

    def clear_first(self) -> None:
        """Empty the index of the first value: it was meant of another tensor."""
        self.first.clear()

    def show_points(self, data: TableData) -> None:
        """Show the breakpoints."""
        self.points.set_data(data)

    def show_condition(self, text: str, *, can_write: bool) -> None:
        """Show the condition of the selected breakpoint, if one is selected that can have one."""
        self.condition.setText(text)
        self.condition.setEnabled(can_write)
        self.show_problem("")

    def show_problem(self, text: str) -> None:
        """Say what is wrong with what was typed for a breakpoint; nothing where all is well."""
        self.problem.setText(text)
        self.problem.setVisible(bool(text))

    def show_wrong(self, text: str) -> None:
        """Say why a new value was not taken; nothing where none was refused."""
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))

    def show_stop(self, text: str, tensors: TableData) -> None:
        """Say where the run stands, and show its tensors."""
        self.where.setText(text)
        self.tensors.set_data(tensors)
        self.set_empty(None)

    def set_running(self, *, is_running: bool) -> None:
        """Let the buttons be pressed while there is a run."""
        for button in self.steps.values():
            button.setEnabled(is_running)

    def show_values(self, data: TableData, *, can_write: bool, target: str) -> None:
        """Show the values of a tensor, and what a new value would be put into."""
        self.values.set_data(data)
        self.set_target(target)
        self.expression.setEnabled(can_write)
        self.set.setEnabled(can_write)

    def show_span(self, text: str) -> None:
        """Say which values of a large tensor are shown; nothing where all are."""
        self.span.setText(text)
        self._span.setVisible(bool(text))

    def set_target(self, target: str) -> None:
        """Say what a new value would be put into."""
        self.target.setText(target)
