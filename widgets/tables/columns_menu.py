"""Menu of the columns of a table: which of them are shown."""

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QTableView, QToolButton

from widgets.tables.view_model import ColumnView


class ColumnsMenu(QMenu):
    """Opens below a button. ``columns`` tells which there are, ``choose`` is called with the index
    of one and whether to show it; the first one stays.
    """

    def __init__(
        self,
        button: QToolButton,
        table: QTableView,
        columns: Callable[[], Sequence[ColumnView]],
        choose: Callable[[int, bool], object],
    ) -> None:
        super().__init__(button)
        self._table = table
        self._columns = columns
        self._choose = choose
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setMenu(self)
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        self.clear()
        for index, column in enumerate(self._columns()):
            action = QAction(column.title.replace("&", "&&"), self, checkable=True)
            action.setChecked(not self._table.isColumnHidden(index))
            action.setEnabled(index > 0)
            action.toggled.connect(lambda on, index=index: self._choose(index, on))
            self.addAction(action)
