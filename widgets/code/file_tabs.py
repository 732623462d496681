"""Open files as tabs: chosen, renamed where they stand, with a sign where something is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTabBar, QWidget
from typing_extensions import override

from widgets.common import parts
from widgets.common.icons import icon
from widgets.common.text import tooltip
from widgets.common.theme import current_theme, theme_signals


@dataclass(frozen=True, kw_only=True)
class TabView:
    """One file; ``severity`` (error, warning, hint or empty) is the worst of what is marked."""

    name: str
    severity: str = ""
    help: str = ""


class FileTabs(QTabBar):
    """Tabs by name. ``chosen`` is told when the user goes to another one, ``rename_requested``
    when he has typed a name over one (F2, double click), ``menu_requested`` at a right click.
    """

    chosen = Signal(str)
    rename_requested = Signal(str, str)
    menu_requested = Signal(str, QPoint)

    def __init__(self, parent: QWidget, name: str) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._views: tuple[TabView, ...] = ()
        self._is_filling = False
        self._editing = ""
        self._field = parts.line_edit(self, f"{name}.name", self.tr("File name"))
        self._field.setStyleSheet("QLineEdit { padding: 0px 3px; }")
        self._field.hide()
        self._field.installEventFilter(self)
        self.currentChanged.connect(self._on_current_changed)
        self.tabBarDoubleClicked.connect(self._on_double_clicked)
        self.customContextMenuRequested.connect(self._on_menu_requested)
        theme_signals().changed.connect(self._restyle)

    def set_tabs(self, views: Sequence[TabView]) -> None:
        """Show files; the current one stays where it is still there."""
        if tuple(views) == self._views:
            return
        self._is_filling = True
        current = self.current_name()
        names = [view.name for view in views]
        if names != [view.name for view in self._views]:
            while self.count():
                self.removeTab(0)
            for name in names:
                self.addTab(name.replace("&", "&&"))
        self._views = tuple(views)
        for index, view in enumerate(views):
            self.setTabToolTip(index, tooltip(view.name, view.help))
            self.setTabData(index, view.name)
        if current in names:
            self.setCurrentIndex(names.index(current))
        self._is_filling = False
        self._restyle()
        if self.current_name() != current:
            self.chosen.emit(self.current_name())

    def current_name(self) -> str:
        """Return the file that is chosen; empty where there is none."""
        return self.tabData(self.currentIndex()) or "" if self.count() else ""

    def choose(self, name: str) -> None:
        """Go to a file."""
        names = [view.name for view in self._views]
        if name in names:
            self.setCurrentIndex(names.index(name))

    def begin_rename(self) -> None:
        """Let the user type another name over the current tab."""
        if not self.count():
            return
        self._editing = self.current_name()
        area = self.tabRect(self.currentIndex())
        width = max(area.width(), self.fontMetrics().horizontalAdvance("n" * 18))
        self._field.setGeometry(area.x(), area.y() + 2, width, area.height() - 4)
        self._field.setText(self._editing)
        self._field.show()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._field.setSelection(0, len(self._editing.removesuffix(".py")))

    def flush(self) -> None:
        """Take the name that is being typed over a tab."""
        if self._editing:
            self._finish(keep=True)

    def _finish(self, *, keep: bool) -> None:
        previous, name = self._editing, self._field.text().strip()
        self._editing = ""
        self._field.hide()
        if keep and previous and name and name != previous:
            self.rename_requested.emit(previous, name)

    def _on_current_changed(self) -> None:
        if not self._is_filling:
            self.chosen.emit(self.current_name())

    def _on_double_clicked(self, index: int) -> None:
        if index >= 0:
            self.setCurrentIndex(index)
            self.begin_rename()

    def _on_menu_requested(self, position: QPoint) -> None:
        index = self.tabAt(position)
        if index >= 0:
            self.setCurrentIndex(index)
            self.menu_requested.emit(self.current_name(), self.mapToGlobal(position))

    def _restyle(self) -> None:
        theme = current_theme()
        for index, view in enumerate(self._views):
            name, color = (view.severity, theme.severity(view.severity))
            self.setTabIcon(index, icon(name, color) if name else icon("code", theme.muted))

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._field and self._editing:
            if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
                if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                    self._finish(keep=True)
                    return True
                if event.key() == Qt.Key.Key_Escape:
                    self._finish(keep=False)
                    return True
            elif event.type() == QEvent.Type.FocusOut:
                self._finish(keep=True)
        return super().eventFilter(watched, event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F2:
            self.begin_rename()
        else:
            super().keyPressEvent(event)
