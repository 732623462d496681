"""Breadcrumbs: the way into nested levels, as a row of buttons from the outside in."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from widgets.common import parts
from widgets.common.text import plain_tip

translate = QCoreApplication.translate


class Breadcrumbs(QWidget):
    """Shows the names of the levels; ``level_chosen`` carries the number of a level, 0 for the
    outermost. With one level there is nothing to show, and the row hides.
    """

    level_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None, name: str = "breadcrumbs") -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(translate("Breadcrumbs", "Location in the model"))
        self._names: tuple[str, ...] = ()
        self._row = parts.row(None, margins=(8, 3, 8, 3), spacing=2, parent=self)
        self.hide()

    def set_levels(self, names: Sequence[str]) -> None:
        """Show levels by name, the outermost first; the last one is where one is."""
        if tuple(names) == self._names:
            return
        self._names = tuple(names)
        while self._row.count() > 1:
            item = self._row.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.setParent(None)  # at once: another one takes its name
                widget.deleteLater()
        for index, name in enumerate(names):
            if index:
                self._add(parts.label(self, text="›", role="muted"))
            self._add(self._button(index, name, is_last=index == len(names) - 1))
        self.setVisible(len(names) > 1)

    def _add(self, widget: QWidget) -> None:
        self._row.insertWidget(self._row.count() - 1, widget)

    def _button(self, index: int, name: str, *, is_last: bool) -> QToolButton:
        button = parts.tool_button(self, f"{self.objectName()}.{index}", name)
        button.clicked.connect(lambda: self.level_chosen.emit(index))
        button.setToolTip(plain_tip(translate("Breadcrumbs", "Go to “{name}”").format(name=name)))
        button.setText(name)
        button.setAutoRaise(True)
        button.setEnabled(not is_last)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button
