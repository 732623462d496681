"""The Runs workspace: the table of runs, their curves together, their checkpoints."""

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.runs.comparison.page import RunComparisonPanel
from studio.view.run import chart_title
from widgets.common.empty_state import EmptyState
from widgets.common.icons import set_icon
from widgets.common.page_stack import PageStack
from widgets.plots.curve_chart import CurveChart
from widgets.tables.table_view import TableView


class RunsWorkspace(QWidget):
    """Shows runs; the buttons ask for something to be done with the selected ones."""

    verb_requested = Signal(str)
    start_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runs.list")
        self.setAccessibleName(translate("Runs", "Runs"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        self._buttons: dict[str, QPushButton] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._button_row())
        yield
        self._whole = self._splitter("splitter", Qt.Orientation.Vertical, self)
        column.addWidget(self._whole, 1)
        self.table = TableView("runs.table", self._whole)
        self.table.setAccessibleName(translate("Runs", "Runs"))
        yield
        below = self._splitter("below", Qt.Orientation.Vertical, self._whole)
        charts = self._splitter("charts", Qt.Orientation.Horizontal, below)
        self.loss_chart = CurveChart("runs.loss", charts)
        self.loss_chart.setAccessibleName(chart_title("loss"))
        yield
        self.metric_chart = CurveChart("runs.metric", charts)
        self.metric_chart.setAccessibleName(chart_title("metric"))
        yield
        self._lower = PageStack(below)
        self._lower.setObjectName("runs.lower")
        self._lower.setAccessibleName(translate("Runs", "Checkpoints or comparison"))
        self.checkpoints = TableView("runs.checkpoints", self._lower)
        self.checkpoints.setAccessibleName(translate("Runs", "Checkpoints"))
        self._lower.addWidget(self.checkpoints)
        yield
        self.comparison = RunComparisonPanel(self._lower)
        self._lower.addWidget(self.comparison)
        for _ in self.comparison.build():
            yield
        below.setSizes([230, 220])
        self._whole.setSizes([200, 510])
        yield
        self.empty = EmptyState("runs", self, name="runs.empty")
        self.empty.setAccessibleName(translate("Runs", "No runs yet"))
        self.empty.set_texts(
            translate("Runs", "No runs yet"),
            translate("Runs", "Each training is kept here with its curves and checkpoints."),
            translate("Runs", "Start training"),
        )
        self.empty.action_requested.connect(self.start_requested)
        column.addWidget(self.empty, 1)
        self.set_empty(is_empty=False)
        self.set_verbs(frozenset())

    def _button_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(6)
        for verb, icon_name, text, tip in _verbs():
            button = QPushButton(text, self)
            button.setObjectName(f"runs.{verb}")
            button.setAccessibleName(text)
            button.setToolTip(tip)
            set_icon(button, icon_name)
            button.clicked.connect(lambda _=False, verb=verb: self.verb_requested.emit(verb))
            row.addWidget(button)
            self._buttons[verb] = button
        row.addStretch(1)
        return row

    def set_empty(self, *, is_empty: bool) -> None:
        """Invite to the first run where there is none."""
        self.empty.setVisible(is_empty)
        self._whole.setVisible(not is_empty)
        for button in self._buttons.values():
            button.setVisible(not is_empty)

    def set_comparing(self, *, is_comparing: bool) -> None:
        """Show the comparison of several runs, or the checkpoints of one."""
        self._lower.setCurrentWidget(self.comparison if is_comparing else self.checkpoints)

    def set_verbs(self, possible: frozenset[str]) -> None:
        """Enable the buttons that can be used with what is selected."""
        for verb, button in self._buttons.items():
            button.setEnabled(verb in possible)

    def verb_buttons(self) -> tuple[QPushButton, ...]:
        """Return the buttons in their order, for the menu of the table."""
        return tuple(self._buttons.values())

    def _splitter(self, name: str, orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
        splitter = QSplitter(orientation, parent)
        splitter.setObjectName(f"runs.{name}")
        splitter.setAccessibleName(translate("Runs", "Runs and curves"))
        splitter.setChildrenCollapsible(False)
        return splitter


def _verbs() -> tuple[tuple[str, str, str, str], ...]:
    return (
        (
            "follow",
            "follow",
            translate("Runs", "Show"),
            translate("Runs", "Show this run in the Train workspace"),
        ),
        (
            "resume",
            "resume",
            translate("Runs", "Resume"),
            translate("Runs", "Go on from the checkpoint that is selected below, or the newest"),
        ),
        (
            "restore",
            "model",
            translate("Runs", "Take its model"),
            translate("Runs", "Put the model and the recipe of this run back on the canvas"),
        ),
        (
            "export",
            "export",
            translate("Runs", "Export"),
            translate("Runs", "Take weights or code of this run away"),
        ),
        *_naming_verbs(),
        (
            "reveal",
            "folder",
            translate("Runs", "Open folder"),
            translate("Runs", "Show the folder of this run"),
        ),
        (
            "delete",
            "delete",
            translate("Runs", "Delete"),
            translate("Runs", "Take the selected runs away; this can be undone"),
        ),
    )


def _naming_verbs() -> tuple[tuple[str, str, str, str], ...]:
    return (
        (
            "rename",
            "edit",
            translate("Runs", "Rename"),
            translate("Runs", "Give this run another name"),
        ),
        (
            "note",
            "log",
            translate("Runs", "Notes"),
            translate("Runs", "Write a note about this run and give it tags"),
        ),
    )
