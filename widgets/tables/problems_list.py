"""List of problems: a sentence each, its location, and the original message."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QIcon,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QMenu,
    QPlainTextEdit,
    QSplitter,
    QTreeView,
    QVBoxLayout,
    QWidget,
)
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import pixmap
from widgets.common.live_widget import LiveWidget
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, mono_font
from widgets.tables.repair_button import RepairButton, add_choices
from widgets.tables.view_model import ProblemView


class ProblemsList(LiveWidget):
    """Lists problems; one click or Enter asks to be led there, the details show what PyTorch said.
    Where that leads to another page (``is_far``) it takes a double click: one shows the details.

    ``problem_activated`` carries the index into what :meth:`set_problems` was given, and so does
    ``problem_seen`` for one whose details are shown; ``fix_requested`` the index of the fix too.
    """

    problem_activated = Signal(int)
    fix_requested = Signal(int, int)
    problem_seen = Signal(int)

    def __init__(
        self, parent: QWidget | None = None, name: str = "problems", *, is_far: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self._problems: tuple[ProblemView, ...] = ()
        self._model = QStandardItemModel(0, 3, self)
        self.list = _List(self)
        self.list.setObjectName(name)
        self.list.setModel(self._model)
        header = self.list.header()
        header.hide()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self._is_checking = False
        self._has_nodes = True
        self._empty = parts.label(self.list.viewport(), f"{name}.empty", role="muted", wraps=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._build_details(name)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(self.list)
        self._splitter.addWidget(self._details)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        self._splitter.setChildrenCollapsible(False)
        parts.column(self._splitter, margins=(0, 0, 0, 0), parent=self)
        QVBoxLayout(self.list.viewport()).addWidget(self._empty)
        self.setFocusProxy(self.list)
        if is_far:
            self.list.doubleClicked.connect(self._on_enter)
        else:
            self.list.row_clicked.connect(self.problem_activated)
        self.list.entered_key.connect(self._on_enter)
        self.list.copy_requested.connect(self.copy_current)
        self.list.menu_requested.connect(self._open_menu)
        self.list.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.retranslate()
        self._show_details(-1)

    def _build_details(self, name: str) -> None:
        self._details = QWidget(self)
        self._detail_title = parts.label(self._details, role="heading")
        self._copy = parts.tool_button(
            self._details, f"{name}.copy", icon="copy", clicked=self.copy_current
        )
        self._fix = RepairButton(self._details, f"{name}.fix")
        self._fix.chosen.connect(self._on_fix_chosen)
        self._text = QPlainTextEdit(self._details, readOnly=True)
        self._text.setObjectName(f"{name}.detail")
        self._text.setProperty("frameless", "true")
        self._text.setTabChangesFocus(True)
        bar = parts.row((self._detail_title, 1), self._copy, margins=(10, 4, 6, 4))
        fixes = parts.row(self._fix, None, margins=(10, 0, 6, 4))
        parts.column(bar, fixes, self._text, margins=(0, 0, 0, 0), spacing=0, parent=self._details)

    def set_problems(self, problems: Sequence[ProblemView]) -> None:
        """Show problems, the worst first as they come; the current one stays current."""
        if tuple(problems) == self._problems:
            return
        previous = self.current_index()
        current = self._problems[previous] if previous >= 0 else None
        self._problems = tuple(problems)
        self._fill()
        selected = next(
            (
                index
                for index, problem in enumerate(self._problems)
                if current is not None
                and (problem.code, problem.where) == (current.code, current.where)
            ),
            -1,
        )
        if selected >= 0:
            self.list.setCurrentIndex(self._model.index(selected, 0))
        self._show_details(selected)

    def set_checking(self, *, is_checking: bool, has_nodes: bool = True) -> None:
        """Say that the problems are being looked for, that there are none, or where there is
        nothing to check what to begin with.
        """
        if (self._is_checking, self._has_nodes) != (is_checking, has_nodes):
            self._is_checking, self._has_nodes = is_checking, has_nodes
            self._write_empty()

    def _write_empty(self) -> None:
        if not self._has_nodes:
            text = self.tr(
                "The model is empty. Add an Input, some layers and an Output. Problems "
                "with them are listed here."
            )
        elif self._is_checking:
            text = self.tr("Checking the model…")
        else:
            text = self.tr("No problems. The model is ready to train.")
        self._empty.setText(text)

    def _fill(self) -> None:
        self._model.removeRows(0, self._model.rowCount())
        theme = current_theme()
        for problem in self._problems:
            name = problem.severity
            sentence = QStandardItem(
                QIcon(pixmap(name, theme.severity(name), 16, 2.0)), problem.text
            )
            spoken = f"{self._severity_text(name)}: {problem.text} {problem.where}"
            sentence.setData(spoken, Qt.ItemDataRole.AccessibleTextRole)
            sentence.setToolTip(tooltip("", problem.text))
            where = QStandardItem(problem.where)
            where.setForeground(self.palette().placeholderText())
            code = QStandardItem(problem.code)
            code.setForeground(self.palette().placeholderText())
            self._model.appendRow([sentence, where, code])
        self._empty.setVisible(not self._problems)

    def _severity_text(self, name: str) -> str:
        texts = {"error": self.tr("Error"), "warning": self.tr("Warning")}
        return texts.get(name, self.tr("Hint"))

    def current_index(self) -> int:
        """Return the index of the current problem, -1 without one."""
        index = self.list.currentIndex()
        return index.row() if index.isValid() else -1

    def select(self, index: int) -> None:
        """Make a problem current without asking to be led there."""
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        flag |= QItemSelectionModel.SelectionFlag.Rows
        self.list.selectionModel().setCurrentIndex(self._model.index(index, 0), flag)

    def open_repairs(self) -> bool:
        """Show what mends the current problem, at its row; return whether there is something."""
        index = self.current_index()
        if index < 0 or not self._problems[index].fixes:
            return False
        rect = self.list.visualRect(self._model.index(index, 0))
        self._fix.open_menu(self.list.viewport().mapToGlobal(rect.bottomLeft()))
        return True

    def _open_menu(self, position: QPoint) -> None:
        """Show what can be done with the current problem."""
        index = self.current_index()
        if index < 0:
            return
        menu = QMenu(self)
        menu.setObjectName("problems.context_menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_choices(menu, self._problems[index].fixes)
        menu.triggered.connect(partial(self._on_chosen, index))
        menu.addSeparator()
        menu.addAction(self.tr("Go to problem"), self._on_enter)
        menu.addAction(self.tr("Copy problem and details"), self.copy_current)
        menu.popup(position)

    def _on_fix_chosen(self, fix: int) -> None:
        self.fix_requested.emit(self.current_index(), fix)

    def _on_chosen(self, index: int, action: QAction) -> None:
        if isinstance(action.data(), int):
            self.fix_requested.emit(index, action.data())

    def copy_current(self) -> None:
        """Put the current problem with its original message on the clipboard."""
        index = self.current_index()
        if index >= 0:
            problem = self._problems[index]
            first = " ".join(part for part in (problem.code, problem.where) if part)
            text = "\n".join(part for part in (first, problem.text, problem.detail) if part)
            QApplication.clipboard().setText(text)

    def _on_enter(self) -> None:
        index = self.current_index()
        if index >= 0:
            self.problem_activated.emit(index)

    def _on_current_changed(self, index: QModelIndex) -> None:
        self._show_details(index.row())

    def _show_details(self, index: int) -> None:
        has_one = 0 <= index < len(self._problems)
        self._details.setVisible(has_one)
        if not has_one:
            return
        problem = self._problems[index]
        self._detail_title.setText(
            " · ".join(part for part in (problem.where, problem.code) if part)
        )
        self._fix.set_repairs(problem.fixes)
        self.problem_seen.emit(index)
        said = f"\n\n{problem.detail}" if problem.detail else ""
        self._text.setPlainText(problem.text + said)

    @override
    def retranslate(self) -> None:
        self.list.setAccessibleName(self.tr("Problems"))
        self._write_empty()
        self._copy.setToolTip(self.tr("Copy problem and details"))
        self._copy.setAccessibleName(self.tr("Copy problem and details"))
        self._fix.setAccessibleName(self.tr("Fix this problem"))
        self._text.setAccessibleName(self.tr("Problem details"))

    @override
    def restyle(self) -> None:
        index = self.current_index()
        self._text.setFont(mono_font())
        self._fill()
        if index >= 0:
            self.select(index)


class _List(QTreeView):
    """The rows: a click or Enter goes there, arrows move, Ctrl+C copies.

    The row that was pressed counts: the details open under the mouse, so that the release may lie
    over something else.
    """

    row_clicked = Signal(int)
    entered_key = Signal()
    copy_requested = Signal()
    menu_requested = Signal(object)  # QPoint on the screen

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("frameless", "true")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAllColumnsShowFocus(True)
        self.setIconSize(QSize(16, 16))
        self._pressed = -1

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() is Qt.MouseButton.LeftButton
        self._pressed = self.indexAt(event.position().toPoint()).row() if is_left else -1
        super().mousePressEvent(event)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        row, self._pressed = self._pressed, -1
        if row >= 0:
            self.row_clicked.emit(row)

    @override
    def contextMenuEvent(self, arg__1: QContextMenuEvent) -> None:
        position = arg__1.globalPos()
        if arg__1.reason() == QContextMenuEvent.Reason.Keyboard and self.currentIndex().isValid():
            corner = self.visualRect(self.currentIndex()).bottomLeft()
            position = self.viewport().mapToGlobal(corner)
        self.menu_requested.emit(position)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_key.emit()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        else:
            super().keyPressEvent(event)
