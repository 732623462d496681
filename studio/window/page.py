"""Page of a workspace: its names, its column, and what it says while there is nothing to show."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from widgets.common.empty_state import EmptyState


@dataclass(frozen=True, slots=True)
class EmptyView:
    """Why a page shows nothing, what to do, and what its button does (empty: no button)."""

    title: str
    text: str = ""
    action: str = ""


class PageWidget(QWidget):
    """``shown`` says that the page came to the front; ``start_requested`` comes from the button of
    a page that is empty. ``setting_requested`` names a setting of the run that is to be shown.
    """

    shown = Signal()
    setting_requested = Signal(str)
    start_requested = Signal()

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._filled: Sequence[QWidget] = ()

    def add_column(self) -> QVBoxLayout:
        """Lay the page out as one column without margins."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        return column

    def add_empty(
        self, column: QBoxLayout, icon: str, name: str, title: str, *, instead_of: Sequence[QWidget]
    ) -> None:
        """Add what stands in place of some widgets while there is nothing to show in them."""
        self.empty = EmptyState(icon, self, name=name)
        self.empty.setAccessibleName(title)
        self.empty.action_requested.connect(self.start_requested)
        self._filled = instead_of
        column.addWidget(self.empty, 1)

    def set_empty(self, view: EmptyView | None) -> None:
        """Say why the page is empty; None where it is not."""
        if view is not None:
            self.empty.set_texts(view.title, view.text, view.action)
        self.empty.setVisible(view is not None)
        for widget in self._filled:
            widget.setVisible(view is None)

    def show_setting(self, name: str) -> None:
        """Show a setting of the run, by its dotted name."""
        self.setting_requested.emit(name)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
