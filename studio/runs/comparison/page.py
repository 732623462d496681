"""The part of the Runs workspace in which several runs are compared: one table for each aspect."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.runs.comparison.presenter import Aspect, aspect_titles
from widgets.common.combo_box import ComboBox
from widgets.common.icons import set_icon
from widgets.common.page_stack import PageStack
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_SAVED = ("csv", "md", "copy")
_FILTERED_FROM = 13  # rows; fewer are seen at a glance


class RunComparisonPanel(QWidget):
    """Shows comparisons. ``place_requested`` carries the row of the table of models that is to be
    shown on the canvas, or nothing; ``save_requested`` is ``csv``, ``md`` or ``copy``;
    ``more_requested`` asks for more of the samples that differ.
    """

    aspect_changed = Signal()
    checkpoint_changed = Signal()
    place_requested = Signal(str)
    save_requested = Signal(str)
    more_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self.setAccessibleName(translate("Comparison", "Comparison of the selected runs"))

    def build(self) -> Iterator[None]:
        """Put the panel together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._fill_bar(column)
        yield
        self._stack = PageStack(self)
        self._stack.setObjectName("comparison.tables")
        self._stack.setAccessibleName(self.accessibleName())
        column.addWidget(self._stack, 1)
        self._tables: dict[Aspect, TableView] = {}
        for aspect, title in aspect_titles().items():
            name = f"comparison.{aspect.value}"
            table = TableView(name, self._stack, filtered_from=_FILTERED_FROM)
            table.setAccessibleName(title)
            self._stack.addWidget(table)
            self._tables[aspect] = table
            yield
        self._tables[Aspect.MODEL].row_activated.connect(self.place_requested)
        self.tabs.currentChanged.connect(lambda _: self._on_tab_changed())
        self._show_parts()

    @property
    def aspect(self) -> Aspect:
        """What is compared in front."""
        return Aspect(self.tabs.tabData(self.tabs.currentIndex()))

    @property
    def checkpoint(self) -> str:
        """Which weights are compared: ``last`` or ``best``."""
        return str(self._checkpoint.currentData())

    def table(self, aspect: Aspect) -> TableView:
        """Return the table of an aspect."""
        return self._tables[aspect]

    def set_table(self, aspect: Aspect, data: TableData, note: str = "") -> None:
        """Show what was found about an aspect; ``note`` stands above while it is in front."""
        self._tables[aspect].set_data(data)
        if aspect == self.aspect:
            self._note.setText(note)
            self._note.setToolTip(plain_tip(note))

    def set_more(self, shown: int, count: int) -> None:
        """Offer the rest of ``count`` samples that differ, of which some are shown."""
        self._is_more = shown < count
        self._more.setText(
            translate("Comparison", "More samples ({shown} of {count})").format(
                shown=f"{shown:,}", count=f"{count:,}"
            )
        )
        self._more.setVisible(self._is_more and self.aspect is Aspect.DATA)

    def _fill_bar(self, column: QVBoxLayout) -> None:
        self.tabs = QTabBar(self)
        self.tabs.setObjectName("comparison.tabs")
        self.tabs.setAccessibleName(translate("Comparison", "What to compare"))
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        for aspect, title in aspect_titles().items():
            self.tabs.setTabData(self.tabs.addTab(title), aspect.value)
        self._note = PlainLabel(self)
        self._note.setObjectName("comparison.note")
        self._note.setAccessibleName(translate("Comparison", "Checkpoints"))
        self._note.setProperty("role", "muted")
        self._note.setMinimumWidth(20)
        self._checkpoint = ComboBox(self)
        self._checkpoint.setObjectName("comparison.checkpoint")
        self._checkpoint.setAccessibleName(translate("Comparison", "Checkpoint"))
        self._checkpoint.setToolTip(translate("Comparison", "The weights of each run to compare"))
        for checkpoint, text in (
            ("last", translate("Comparison", "Last checkpoints")),
            ("best", translate("Comparison", "Best checkpoints")),
        ):
            self._checkpoint.addItem(text, checkpoint)
        self._checkpoint.currentIndexChanged.connect(lambda _: self.checkpoint_changed.emit())
        self._canvas = QPushButton(translate("Comparison", "On a canvas"), self)
        self._canvas.setObjectName("comparison.canvas")
        self._canvas.setAccessibleName(self._canvas.text())
        self._canvas.setToolTip(
            translate("Comparison", "Show both models together with differences in color")
        )
        set_icon(self._canvas, "model")
        self._canvas.clicked.connect(self._on_canvas_clicked)
        self._is_more = False
        self._more = QPushButton(self)
        self._more.setObjectName("comparison.more")
        self._more.setAccessibleName(translate("Comparison", "More samples"))
        self._more.setToolTip(translate("Comparison", "List more of the samples that differ"))
        self._more.clicked.connect(self.more_requested)
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 12, 2)
        row.setSpacing(8)
        row.addWidget(self.tabs)
        row.addWidget(self._note, 1)
        row.addWidget(self._checkpoint)
        row.addWidget(self._canvas)
        row.addWidget(self._more)
        row.addWidget(self._save_button())
        column.addLayout(row)

    def _save_button(self) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("comparison.save")
        button.setAccessibleName(translate("Comparison", "Export comparison"))
        button.setToolTip(translate("Comparison", "Save or copy the whole comparison"))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        set_icon(button, "download")
        menu = QMenu(button)
        menu.setObjectName("comparison.save.menu")
        texts = (
            translate("Comparison", "Save as CSV…"),
            translate("Comparison", "Save as Markdown…"),
            translate("Comparison", "Copy as Markdown"),
        )
        for kind, text in zip(_SAVED, texts, strict=True):
            action = menu.addAction(text)
            action.setObjectName(f"comparison.save.{kind}")
            action.triggered.connect(lambda _=False, kind=kind: self.save_requested.emit(kind))
        button.setMenu(menu)
        return button

    def _on_tab_changed(self) -> None:
        self._show_parts()
        self.aspect_changed.emit()

    def _on_canvas_clicked(self) -> None:
        chosen = self._tables[Aspect.MODEL].selected_ids()
        self.place_requested.emit(chosen[0] if chosen else "")

    def _show_parts(self) -> None:
        self._stack.setCurrentWidget(self._tables[self.aspect])
        self._note.clear()
        self._checkpoint.setVisible(self.aspect is Aspect.WEIGHTS)
        self._canvas.setVisible(self.aspect is Aspect.MODEL)
        self._more.setVisible(self._is_more and self.aspect is Aspect.DATA)
